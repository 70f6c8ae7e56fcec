import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { lineSocket } from '../../../src/http/node/index.ts'

it('lines that are sent at once after an outage share one new connection', async () => {
  const connections: Socket[] = []
  let received = ''
  const server = createServer((connection) => {
    connections.push(connection)
    connection.setEncoding('utf8').on('data', (text) => {
      received += text
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' ? bound?.port : undefined
  const socket = await lineSocket({ address: `127.0.0.1:${port}` })
  await expect.poll(() => connections.length).toBe(1)
  connections[0]?.end()
  // The socket has answered the end.
  await expect.poll(() => connections[0]?.destroyed).toBe(true)
  await Promise.all(['one\n', 'two\n', 'three\n'].map(socket.write))
  await socket.close()
  await expect.poll(() => connections.every(({ destroyed }) => destroyed)).toBe(true)
  expect([connections.length, received]).toEqual([2, 'one\ntwo\nthree\n'])
  server.close()
})

it('a line that a collector does not read in time was not sent', async () => {
  const connections: Socket[] = []
  const server = createServer((connection) => connections.push(connection.pause()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' ? bound?.port : undefined
  const socket = await lineSocket({ address: `127.0.0.1:${port}`, timeoutMs: 1000 })
  // More than the system keeps for a reader.
  const line = `${'x'.repeat(64 * 1024 * 1024)}\n`
  const outcomes = await Promise.allSettled([line, 'next\n'].map(socket.write))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(outcomes[0]).toMatchObject({
    reason: { message: 'the collector could not be sent to within 1000 ms' },
  })
  await socket.close()
  for (const each of connections) each.destroy()
  server.close()
})
