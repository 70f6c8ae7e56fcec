import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { defineService, errorsArray, raw, reply, route } from '../../../src/http/index.ts'
import { frameworks, servers, upWith } from './servers.ts'

const define = route<null>()

/** A service with a route for each stage at which a client can leave. */
function staged() {
  const errors: unknown[] = []
  const statuses: number[] = []
  const file: string[] = []
  const service = defineService<null>({
    name: 'staged',
    routes: [
      define({
        id: 'wait',
        method: 'GET',
        path: '/wait',
        summary: 'Wait until the client is gone',
        handle: async ({ exchange: { signal } }) => {
          if (!signal.aborted) await once(signal, 'abort')
          signal.throwIfAborted()
          return reply()
        },
      }),
      define({
        id: 'late',
        method: 'GET',
        path: '/late',
        summary: 'Begin a stream when the client is gone',
        handle: async ({ exchange: { signal } }) => {
          file.push('asked for')
          await once(signal, 'abort')
          file.push('opened')
          const body = new ReadableStream<Uint8Array>({ cancel: () => void file.push('closed') })
          return raw(body, 'application/octet-stream')
        },
      }),
      define({
        id: 'read',
        method: 'POST',
        path: '/read',
        summary: 'Read a body',
        handle: ({ text }) => reply({ length: text.length }),
      }),
      define({
        id: 'stream',
        method: 'GET',
        path: '/stream',
        summary: 'Stream without end',
        handle: () =>
          raw(
            new ReadableStream<Uint8Array>({
              pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
            }),
            'application/octet-stream',
          ),
      }),
      define({ id: 'here', method: 'GET', path: '/here', summary: 'Answer', handle: () => reply('here') }),
    ],
    statusOf: {},
    dialect: errorsArray,
    context: () => null,
    newId: () => 'ref',
    maxBufferedBytes: 1_000,
    onError: (error) => errors.push(error),
    onRequest: ({ status }) => statuses.push(status),
  })
  return { service, errors, statuses, file }
}

const host = 'HTTP/1.1\r\nHost: x\r\n'
const stages: readonly [stage: string, sent: string, waits: boolean][] = [
  ['before it sent anything', '', false],
  ['within the head', 'GET /here HTTP/1.1\r\nHo', false],
  ['within the body', `POST /read ${host}Content-Length: 900\r\n\r\n{"a":`, false],
  ['within a chunk', `POST /read ${host}Transfer-Encoding: chunked\r\n\r\n380\r\n{"a":`, false],
  ['while its handler waits', `GET /wait ${host}\r\n`, false],
  ['while it is sent an answer', `GET /stream ${host}\r\n`, true],
  ['after it was answered', `GET /here ${host}\r\n`, true],
  ['with requests in line', `GET /wait ${host}\r\n`.repeat(3), false],
]

describe.each([...servers, ...frameworks])('%s: a client that goes away', (_server, start) => {
  const up = upWith(start)

  it.each(stages)('%s leaves nothing behind', async (_stage, sent, waits) => {
    const { service, errors, statuses } = staged()
    const { port, url, errors: unforeseen } = await up(service.fetch)
    for (let round = 0; round < 8; round += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      if (sent !== '') await new Promise((resolve) => socket.write(sent, resolve))
      if (waits) await once(socket, 'data')
      else await new Promise((resolve) => setTimeout(resolve, 5))
      socket.resetAndDestroy()
    }
    // The budget of 1,000 bytes is free again: more than one abandoned body would exceed it.
    const body = JSON.stringify('x'.repeat(900))
    await expect.poll(async () => (await fetch(`${url}/read`, { method: 'POST', body })).status).toBe(200)
    expect(await (await fetch(`${url}/here`)).json()).toBe('here')
    expect(unforeseen).toEqual([])
    expect(errors).toEqual([])
    expect(statuses.filter((status) => status >= 500)).toEqual([])
  })

  it('before its stream begins ends the stream, which may hold a file open', async () => {
    const { service, file } = staged()
    const { port } = await up(service.fetch)
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await new Promise((resolve) => socket.write(`GET /late ${host}\r\n`, resolve))
    await expect.poll(() => file).toEqual(['asked for'])
    socket.resetAndDestroy()
    await expect.poll(() => file).toEqual(['asked for', 'opened', 'closed'])
  })
})
