import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect as dial } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { prepareServer, toNodeListener } from '../../../src/http/node/index.ts'

const listener = toNodeListener(() => new Response('here'))

describe.each([
  ['node:http', () => createServer(listener)],
  ['node:http2', () => createHttp2Server(listener)],
] as const)('a prepared server of %s', (_name, create) => {
  it('closes although a connection never asked', async () => {
    const server = prepareServer(create() as ReturnType<typeof createServer>).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const connected = once(server, 'connection')
    const client = dial((server.address() as AddressInfo).port, '127.0.0.1').resume()
    onTestFinished(() => void client.destroy())
    await connected
    const closed = once(server, 'close')
    server.close()
    await closed
    await once(client, 'close')
  })
})

it('a session of HTTP/2 closes after its open requests', async () => {
  let answer = (_: string) => {}
  const body = new Promise<string>((resolve) => {
    answer = resolve
  })
  const server = prepareServer(createHttp2Server(toNodeListener(async () => new Response(await body))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const request = session.request({ ':path': '/' })
  await once(server, 'request')
  const closed = once(server, 'close')
  server.close()
  await once(session, 'goaway')
  answer('to the end')
  expect(await text(request)).toBe('to the end')
  await closed
})
