import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { prepareServer, serve, toNodeListener } from '../../../src/http/node/index.ts'

vi.mock('node:http', async (original) => {
  const http = await original<typeof import('node:http')>()
  return { ...http, createServer: vi.fn(http.createServer) }
})

const method = (request: Request) => new Response(request.method)

describe('a listener', () => {
  it('waits a minute for the head of a request, for ever for a body, and notices clients that vanish', async () => {
    const listening = await serve({ fetch: method })
    const server = vi.mocked(createServer).mock.results[0]?.value
    expect(server).toMatchObject({ headersTimeout: 60_000, requestTimeout: 0 })
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
    const accepted = once(server, 'connection')
    const client = connect(listening.port, '127.0.0.1')
    await accepted
    expect(keepAlive).toHaveBeenCalledWith(true, 60_000)
    keepAlive.mockRestore()
    client.destroy()
    await listening.close()
  })
})

describe("a server of one's own", () => {
  it('is prepared to do the same, and accepts LIST before its listener', async () => {
    const server = prepareServer(createServer(toNodeListener(method)))
    expect(server).toMatchObject({ headersTimeout: 60_000, requestTimeout: 0 })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    let heard = ''
    client.on('data', (chunk) => (heard += chunk))
    client.write('LIST / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => heard.match(/LIST|GET/g)).toEqual(['LIST', 'GET'])
    client.destroy()
    server.close()
  })
})
