import { once } from 'node:events'
import type { createServer } from 'node:http'
import { connect, createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect as dial, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as dialTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { prepareServer, serve, toNodeListener } from '../../../src/http/node/index.ts'
import { needing, openssl } from '../../programs.ts'
import { selfSigned } from '../../self-signed.ts'

const listener = toNodeListener(() => new Response('here'))
const dialled = (socket: Socket): Socket => {
  onTestFinished(() => void socket.destroy())
  return socket.on('error', () => {}).resume()
}

describe(...needing('a prepared server with TLS', openssl), () => {
  let made: ReturnType<typeof selfSigned> | undefined
  const tls = () => {
    made ??= selfSigned()
    return made
  }
  const servers = {
    'node:https': () => createHttpsServer(tls(), listener),
    'node:http2': () => createSecureServer({ ...tls(), allowHTTP1: true }, listener),
  }
  const clients: Readonly<Record<string, (port: number) => Promise<Socket>>> = {
    'never began TLS': async (port) => {
      const client = dialled(dial(port, '127.0.0.1'))
      await once(client, 'connect')
      return client
    },
    'ended within its first message of TLS': async (port) => {
      const client = dialled(dial(port, '127.0.0.1'))
      client.write(Buffer.from('1603010200010001fc', 'hex'))
      await once(client, 'connect')
      return client
    },
    'never asked': async (port) => {
      const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
      const client = dialled(dialTls({ ...options, ALPNProtocols: ['h2', 'http/1.1'] }))
      await once(client, 'secureConnect')
      return client
    },
    'never asked by HTTP/1': async (port) => {
      const client = dialled(dialTls({ port, host: '127.0.0.1', rejectUnauthorized: false }))
      await once(client, 'secureConnect')
      return client
    },
  }

  for (const [name, create] of Object.entries(servers))
    it.each(Object.keys(clients))(`of ${name} closes although a client %s`, async (kind) => {
      const server = prepareServer(create() as ReturnType<typeof createServer>).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const connected = once(server, 'connection')
      const client = await clients[kind]?.(port)
      await connected
      // One that asked is not cut off: it has gone by itself.
      const [answer, closed] = [asked(port, name), once(server, 'close')]
      expect(await answer).toBe('here')
      server.close()
      await closed
      if (client !== undefined && !client.closed) await once(client, 'close')
    })

  it('closes what serve opened, too', async () => {
    const listening = await serve({ fetch: () => new Response('here'), tls: tls() })
    const client = await clients['never began TLS']?.(listening.port)
    expect(await asked(listening.port, 'node:https')).toBe('here')
    await listening.close()
    if (client !== undefined && !client.closed) await once(client, 'close')
  })
})

async function asked(port: number, server: string): Promise<string> {
  if (server === 'node:https') {
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
    const client = dialTls(options)
    client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return (await text(client)).split('\r\n').at(-1) ?? ''
  }
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  onTestFinished(() => session.destroy())
  // It stays open, and idle.
  return text(session.request({ ':path': '/' }))
}
