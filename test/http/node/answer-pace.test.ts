import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ServeOptions } from '../../../src/http/node/index.ts'
import { commandOf, needing, openssl } from '../../programs.ts'
import { selfSigned } from '../../self-signed.ts'
import { servers, upWith } from './servers.ts'

const sockets: Socket[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** A connection that asks for something and reads nothing of its own accord. */
const asking = (socket: Socket) => {
  sockets.push(socket)
  socket.on('error', () => {})
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  return socket
}
/** Reads an answer four megabytes at a time and calls `between`; says how much came until it was whole or cut off. */
const readSlowly = (socket: Socket, whole: number, between: () => void) =>
  new Promise<number>((resolve) => {
    let count = 0
    let pauses = 0
    socket.on('data', async (chunk) => {
      count += chunk.length
      if (count >= whole) resolve(count)
      if (count < (pauses + 1) * 4 * million) return
      pauses += 1
      socket.pause()
      // Turns of the event loop in which the server can send what there is room for now.
      for (let turn = 0; turn < 5; turn += 1) await pause(5)
      between()
      socket.resume()
    })
    socket.on('close', () => resolve(count))
    socket.resume()
  })

const million = 1024 * 1024
/** An answer of many pieces, and who stopped it. */
const endless = () => {
  let stopped: () => void = () => {}
  const cancelled = new Promise<void>((resolve) => {
    stopped = resolve
  })
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull: (to) => to.enqueue(new Uint8Array(million)),
      cancel: () => stopped(),
    })
  return { body, cancelled }
}

const certificate = commandOf(openssl) ? selfSigned() : undefined

describe.each(servers)('%s: an unread answer', (_server, start) => {
  const up = upWith(start, { answerTimeoutMs: 100 })
  const costsTheConnection = async (tls: ServeOptions['tls']) => {
    const { body, cancelled } = endless()
    let gone: () => void = () => {}
    const aborted = new Promise<void>((resolve) => {
      gone = resolve
    })
    const { port, errors } = await up(
      ({ signal }) => {
        signal.addEventListener('abort', gone)
        return new Response(body())
      },
      { tls },
    )
    asking(
      tls ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connect(port, '127.0.0.1'),
    )
    await cancelled
    await aborted
    expect(errors).toEqual([])
  }

  it('over plain HTTP costs its client the connection; its body ends, and its handler hears of it', () =>
    costsTheConnection(undefined))

  it(...needing('over TLS does the same', openssl), () => costsTheConnection(certificate))

  it('is one in one piece, too', async () => {
    let gone: () => void = () => {}
    const aborted = new Promise<void>((resolve) => {
      gone = resolve
    })
    const { port } = await up(({ signal }) => {
      signal.addEventListener('abort', gone)
      return new Response(new Uint8Array(40 * million))
    })
    asking(connect(port, '127.0.0.1'))
    await aborted
  })

  it('may be read slowly as long as it goes on, and is waited for without end where that is said', async () => {
    const whole = 32 * million
    const handler = () => new Response(new Uint8Array(whole))
    const ask = async (answerTimeoutMs: number) =>
      asking(connect((await up(handler, { answerTimeoutMs })).port, '127.0.0.1'))
    // The server looks when more has been read: otherwise a machine that stands still would look like a client.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const [steady, patient] = [await ask(500), await ask(Number.POSITIVE_INFINITY)]
    expect(await readSlowly(steady, whole, () => vi.advanceTimersByTime(500))).toBeGreaterThanOrEqual(whole)
    expect(await readSlowly(patient, whole, () => {})).toBeGreaterThanOrEqual(whole)
  })

  it('is not one that has not come yet, or not all of it', async () => {
    const { port } = await up(async () => {
      await pause(250)
      let left = 3
      const pull = async (to: ReadableStreamDefaultController<Uint8Array>) => {
        await pause(250)
        if (left-- > 0) to.enqueue(new TextEncoder().encode('drop '))
        else to.close()
      }
      return new Response(new ReadableStream({ pull }))
    })
    const answer = await fetch(`http://127.0.0.1:${port}`)
    expect(await answer.text()).toBe('drop drop drop ')
  })

  it('is not expected to be read in no time', async () => {
    for (const answerTimeoutMs of [0, -1, Number.NaN])
      await expect(start({ fetch: () => new Response(), answerTimeoutMs })).rejects.toThrow(
        `answerTimeoutMs is ${answerTimeoutMs}: pass a number of milliseconds, 1 or more`,
      )
  })
})
