import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { prepareServer, toNodeListener } from '../../../src/http/node/index.ts'

let server: Server
const clients: Socket[] = []

async function prepared(): Promise<() => Socket> {
  server = prepareServer(createServer(toNodeListener(async ({ method }) => new Response(method))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return () => {
    const client = connect(port, '127.0.0.1')
    clients.push(client)
    return client
  }
}

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server.close()
})

/** What a client receives until it ends with a text. */
async function received(client: Socket, end: string): Promise<string> {
  let text = ''
  while (!text.endsWith(end)) text += String((await once(client, 'data'))[0])
  return text
}

const echo = (socket: NodeJS.ReadWriteStream, head: Buffer): void => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  if (head.byteLength > 0) socket.write(head)
  socket.on('data', (chunk) => socket.write(chunk))
}
const offer = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

describe('a prepared server', () => {
  it.each([
    ['upgrade', offer],
    ['connect', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'],
  ])('leaves the bytes after a %s alone', async (event, head) => {
    const dial = await prepared()
    server.on(event, (_request, socket, first) => echo(socket, first))
    const client = dial()
    // A method that is not complete, and one that the parser would be shown as GET.
    client.write(head)
    await received(client, '\r\n\r\n')
    client.write('LI')
    expect(await received(client, 'LI')).toBe('LI')
    client.write('LIST / HTTP/1.1\r\n\r\n')
    expect(await received(client, '\r\n\r\n')).toBe('LIST / HTTP/1.1\r\n\r\n')
  })

  it('answers LIST on a connection whose upgrade has no listener', async () => {
    const client = (await prepared())()
    client.write(offer)
    expect(await received(client, 'GET')).toContain('200 OK')
    client.write('LIST / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await received(client, 'LIST')).toContain('200 OK')
  })

  it('answers LIST also if it was prepared twice', async () => {
    const dial = await prepared()
    prepareServer(server)
    const client = dial()
    client.write('LIST / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await received(client, 'LIST')).toContain('200 OK')
  })

  it.each([
    ['no HTTP at all', '\u0000\u0001\r\n\r\n'],
    ['a word alone', 'GARBAGE\r\n\r\n'],
    ['an upgrade whose headers are garbage', `${offer.slice(0, -2)}\u0000: \u0001\r\n\r\n`],
    ['a CONNECT to nowhere', 'CONNECT \u0001 HTTP/1.1\r\n\r\n'],
  ])('ends a connection that sends %s, and answers the others', async (_name, garbage) => {
    const dial = await prepared()
    const bad = dial()
    bad.on('error', () => {})
    bad.resume()
    const ended = once(bad, 'close')
    bad.write(garbage)
    await ended
    const client = dial()
    client.write('LIST / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await received(client, 'LIST')).toContain('200 OK')
  })

  it('is one of two in its process, and each has its own upgrades', async () => {
    const dialFirst = await prepared()
    const first = server
    first.on('upgrade', (_request, socket, head) => echo(socket, head))
    const dialSecond = await prepared()
    try {
      for (const dial of [dialFirst, dialSecond]) {
        const client = dial()
        client.write('LIST / HTTP/1.1\r\nHost: x\r\n\r\n')
        expect(await received(client, 'LIST')).toContain('200 OK')
      }
      const [upgraded, answered] = [dialFirst(), dialSecond()]
      upgraded.write(offer)
      expect(await received(upgraded, '\r\n\r\n')).toContain('101 Switching Protocols')
      answered.write(offer)
      expect(await received(answered, 'GET')).toContain('200 OK')
    } finally {
      first.close()
    }
  })
})
