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
