import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Listening, serve } from '../../../src/http/node/index.ts'
import { createRegistry } from '../../../src/registry/index.ts'

type Fetch = (request: Request) => Promise<Response>

/** Sends a head that asks before it sends the body, and the body once it is told to go on; returns all answers. */
async function ask({ port }: Listening, head: string, body: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let isSent = false
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (isSent || !text.startsWith('HTTP/1.1 100 Continue\r\n\r\n')) return
    isSent = true
    socket.write(body)
  })
  socket.write(`${head}\r\nHost: x\r\nExpect: 100-continue\r\n`)
  socket.write(`Content-Length: ${body.length}\r\n\r\n`)
  await once(socket, 'close')
  return text
}
const served = async (fetch: Fetch) => {
  const listening = await serve({ fetch })
  onTestFinished(() => listening.close())
  return listening
}
const reading: Fetch = async (request) => new Response(await request.text())

describe('a client that asks before it sends a body', () => {
  it('is refused without being told to send it, and the connection ends', async () => {
    const registry = createRegistry()
    const listening = await serve({ fetch: registry.fetch })
    onTestFinished(() => listening.close())
    const text = await ask(listening, 'POST /v1/modules/acme/vpc/aws/1.0.0 HTTP/1.1', 'x'.repeat(1000))
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(text).toMatch(/\r\nConnection: close\r\n/i)
    expect(text).not.toContain('100 Continue')
  })

  it.each(['PUT', 'WRITE'])('is told to send it once it is read, with the method %s', async (method) => {
    const listening = await served(async (request) =>
      request.method === method ? reading(request) : new Response('another method', { status: 500 }),
    )
    const text = await ask(listening, `${method} /a HTTP/1.1\r\nConnection: close`, 'the body')
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [\s\S]*\r\n\r\nthe body$/)
  })

  it('uses the connection again after a body that was read', async () => {
    const { port } = await served(reading)
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let text = ''
    const until = async (part: string) => {
      while (!text.includes(part)) text += String((await once(socket, 'data'))[0])
    }
    for (const body of ['first', 'other']) {
      socket.write(`PUT /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`)
      await until('100 Continue\r\n\r\n')
      text = ''
      socket.write(body)
      await until(body)
    }
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
  })
})
