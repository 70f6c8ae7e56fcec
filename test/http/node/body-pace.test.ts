import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
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

/** The server looks at its bodies when a test says so: otherwise a machine that stands still would look like a client. */
const lookWhenAsked = () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  return (ms: number) => vi.advanceTimersByTime(ms)
}
afterEach(() => void vi.useRealTimers())
/** Waits for something; `expect.poll` would let time pass. */
const until = async (holds: () => boolean) => {
  while (!holds()) await pause(5)
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
    expect(await closed).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*the body did not arrive in time$/)
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

  it('does not run while the body is not read', async () => {
    const passMs = lookWhenAsked()
    let begun = false
    let read: () => void = () => {}
    const mayRead = new Promise<void>((resolve) => {
      read = resolve
    })
    const { port } = await up(async (request) => {
      begun = true
      await mayRead
      return reading(request)
    })
    const { socket, heard } = client(port)
    socket.write(`${head(200_000)}${'x'.repeat(100_000)}`)
    await until(() => begun)
    passMs(350)
    read()
    socket.write('x'.repeat(100_000))
    await until(() => heard().includes('200000 bytes'))
  })

  it('may be slow as long as it goes on, and is waited for without end where that is said', async () => {
    const passMs = lookWhenAsked()
    let came = 0
    const counting: FetchHandler = async (request) => {
      for await (const piece of request.body ?? []) came += piece.byteLength
      return new Response(`${came} bytes`)
    }
    const steady = client((await up(counting, { bodyTimeoutMs: 200 })).port)
    const patient = client((await up(reading, { bodyTimeoutMs: Number.POSITIVE_INFINITY })).port)
    steady.socket.write(head(200_000))
    patient.socket.write(head(10))
    for (let sent = 1; sent <= 10; sent += 1) {
      steady.socket.write('x'.repeat(20_000))
      patient.socket.write('x')
      await until(() => came === sent * 20_000)
      passMs(200)
    }
    await until(() => steady.heard().includes('200000 bytes') && patient.heard().includes('10 bytes'))
  })

  it('is not expected in no time', async () => {
    for (const bodyTimeoutMs of [0, -1, Number.NaN])
      await expect(start({ fetch: reading, bodyTimeoutMs })).rejects.toThrow(
        `bodyTimeoutMs is ${bodyTimeoutMs}: pass a number of milliseconds, 1 or more`,
      )
  })
})
