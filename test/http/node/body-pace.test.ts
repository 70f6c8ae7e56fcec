import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { FetchHandler } from '../../../src/http/node/index.ts'
import { servers, upWith } from './servers.ts'

const reading: FetchHandler = async (request) => new Response(`${(await request.text()).length} bytes`)
const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

/** A connection that sends what it is told, and what it heard until it was closed. */
const client = (port: number) => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  return { socket, closed, heard: () => text }
}

describe.each(servers)('%s: a body that does not come', (_server, start) => {
  const up = upWith(start, { bodyTimeoutMs: 100 })
  it.each([
    ['of known length', `${head(100)}abc`],
    ['in chunks', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])('%s is answered 408, and its handler hears that the client is gone', async (_, text) => {
    let gone: () => void = () => {}
    const aborted = new Promise<void>((resolve) => {
      gone = resolve
    })
    const { port, errors } = await up((request) => {
      request.signal.addEventListener('abort', gone)
      return reading(request)
    })
    const { socket, closed } = client(port)
    socket.write(text)
    expect(await closed).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*the body did not come in time$/)
    await aborted
    expect(errors).toEqual([])
  })

  it('is one that drips, too', async () => {
    const { port } = await up(reading)
    const { socket, closed } = client(port)
    socket.write(head(1_000_000))
    const drip = setInterval(() => socket.write('x'), 10)
    expect(await closed).toContain('408 Request Timeout')
    clearInterval(drip)
  })

  it('holds no connection after an answer that did not wait for it', async () => {
    const { port } = await up(() => new Response('no', { status: 403 }))
    const { socket, closed } = client(port)
    socket.write(head(1_000_000))
    const drip = setInterval(() => socket.write('x'), 10)
    const heard = await closed
    clearInterval(drip)
    expect(heard).toContain('403 Forbidden')
    expect(heard).not.toContain('408')
  })

  it('is not looked for while nobody reads it', async () => {
    const { port } = await up(async (request) => {
      await pause(350)
      return reading(request)
    })
    const { socket, heard } = client(port)
    socket.write(`${head(200_000)}${'x'.repeat(100_000)}`)
    await pause(330)
    socket.write('x'.repeat(100_000))
    await expect.poll(heard).toContain('200000 bytes')
  })

  it('may be slow as long as it goes on, and is waited for without end where that is said', async () => {
    const steady = client((await up(reading, { bodyTimeoutMs: 200 })).port)
    const patient = client((await up(reading, { bodyTimeoutMs: Number.POSITIVE_INFINITY })).port)
    steady.socket.write(head(200_000))
    patient.socket.write(head(10))
    for (let sent = 0; sent < 10; sent += 1) {
      await pause(50)
      steady.socket.write('x'.repeat(20_000))
      patient.socket.write('x')
    }
    await expect.poll(steady.heard).toContain('200000 bytes')
    await expect.poll(patient.heard).toContain('10 bytes')
  })

  it('is not expected in no time', async () => {
    for (const bodyTimeoutMs of [0, -1, Number.NaN])
      await expect(start({ fetch: reading, bodyTimeoutMs })).rejects.toThrow(
        `bodyTimeoutMs is ${bodyTimeoutMs}: give a number of milliseconds, 1 or more`,
      )
  })
})
