import { once } from 'node:events'
import { type ClientHttp2Session, connect, createServer } from 'node:http2'
import { type AddressInfo, connect as dial } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { type FetchHandler, toNodeListener } from '../../../src/http/node/index.ts'
import { devSecrets } from '../../../src/secrets/index.ts'

/** A service behind the server of `node:http2`, which has the listener's interface but not quite its messages. */
const open: (() => void)[] = []
const up = (fetch: FetchHandler) => {
  const errors: unknown[] = []
  const server = createServer(toNodeListener(fetch, { onError: (error) => errors.push(error) })).listen(0)
  const { port } = server.address() as AddressInfo
  const session = connect(`http://localhost:${port}`)
  open.push(() => {
    session.close()
    server.close()
  })
  return { session, errors, port }
}
afterEach(() => {
  for (const close of open.splice(0)) close()
})

const ask = async (session: ClientHttp2Session, method: string, path: string, body?: string, more = {}) => {
  const stream = session.request(
    { ':method': method, ':path': path, ...more },
    { endStream: body === undefined },
  )
  if (body !== undefined) stream.end(body)
  const head = new Promise<number | undefined>((resolve) =>
    stream.on('response', (headers) => resolve(headers[':status'])),
  )
  return { status: await head, text: await text(stream) }
}

it('a handler behind HTTP/2 sees method, address, body, headers and peer', async () => {
  const { session, errors } = up(async (request, context) => {
    const { pathname, search, host } = new URL(request.url)
    const said = [
      request.method,
      pathname + search,
      host !== '',
      await request.text(),
      request.headers.get('x-a'),
    ]
    return Response.json([...said, context?.peer?.address !== undefined])
  })
  const seen = async (...asked: [string, string, string?, object?]) =>
    JSON.parse((await ask(session, ...asked)).text)
  expect(await seen('GET', '/a?b=1', undefined, { 'x-a': '1' })).toEqual([
    'GET',
    '/a?b=1',
    true,
    '',
    '1',
    true,
  ])
  expect(await seen('LIST', '/a')).toEqual(['LIST', '/a', true, '', null, true])
  expect(await seen('POST', '/a', 'of unknown length')).toEqual([
    'POST',
    '/a',
    true,
    'of unknown length',
    null,
    true,
  ])
  expect(await seen('PUT', '/a', 'known', { 'content-length': '5' })).toEqual([
    'PUT',
    '/a',
    true,
    'known',
    null,
    true,
  ])
  expect((await ask(session, 'HEAD', '/a')).text).toBe('')
  expect((await ask(session, 'TRACE', '/a')).status).toBe(501)
  expect(errors).toEqual([])
})

it('a handler behind HTTP/2 is notified of a client that disconnects, and of none that was answered', async () => {
  const signals: AbortSignal[] = []
  const { session } = up((request) => {
    signals.push(request.signal)
    return request.url.endsWith('/wait') ? new Promise(() => {}) : new Response('done')
  })
  expect((await ask(session, 'GET', '/now')).text).toBe('done')
  const stream = session.request({ ':path': '/wait' })
  await expect.poll(() => signals.length).toBe(2)
  stream.close()
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false, true])
})

it('a stream behind HTTP/2 ends whose client left before it began', async () => {
  const file: string[] = []
  const { session } = up(async ({ signal }) => {
    file.push('asked for')
    await once(signal, 'abort')
    return new Response(new ReadableStream({ cancel: () => void file.push('closed') }))
  })
  const stream = session.request({ ':path': '/' })
  await expect.poll(() => file).toEqual(['asked for'])
  stream.close()
  await expect.poll(() => file).toEqual(['asked for', 'closed'])
})

/** A frame of HTTP/2, on the first stream unless it is one of the connection. */
const frame = (type: number, flags: number, payload: Iterable<number>, stream = 1): Buffer => {
  const bytes = [...payload]
  return Buffer.from([0, 0, bytes.length, type, flags, 0, 0, 0, stream, ...bytes])
}

it.each([
  ['CANCEL', 8],
  ['NO_ERROR', 0],
])('a body behind HTTP/2 whose client resets the stream with %s is not complete', async (_name, code) => {
  const asked: string[] = []
  const read: string[] = []
  const { port } = up(async (request) => {
    asked.push(request.url)
    const body = request.url.endsWith('/stream') ? (request.body ?? []) : [await request.text().catch(String)]
    try {
      for await (const piece of body) read.push(typeof piece === 'string' ? piece : 'a piece')
      read.push('the end')
    } catch (error) {
      read.push(String(error))
    }
    return new Response()
  })
  const brokenOff = 'Error: the client closed the connection before the end of the body'
  for (const [path, seen] of [
    ['/whole', [brokenOff, 'the end']],
    ['/stream', ['a piece', brokenOff]],
  ] as const) {
    const socket = dial(port, '127.0.0.1').resume()
    open.push(() => void socket.destroy())
    // POST http, the path, and the authority `x`.
    const head = [0x83, 0x86, 0x04, path.length, ...Buffer.from(path), 0x01, 1, 0x78]
    const sent = ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', frame(4, 0, [], 0), frame(1, 4, head)]
    for (const bytes of [...sent, frame(0, 0, Buffer.from('{"a":'))]) socket.write(bytes)
    await expect.poll(() => [...asked, ...read]).toHaveLength(path === '/stream' ? 2 : 1)
    socket.write(frame(3, 0, [0, 0, 0, code]))
    await expect.poll(() => read.length).toBe(2)
    expect(read.splice(0)).toEqual(seen)
    asked.length = 0
  }
})

it('a service behind HTTP/2 keeps, lists and refuses', async () => {
  const { service, rootToken } = await devSecrets()
  const { session } = up(service.fetch)
  const token = { 'x-secrets-token': rootToken }
  expect(await ask(session, 'POST', '/v1/secret/data/a', '{"data":{"n":1}}', token)).toMatchObject({
    status: 200,
  })
  expect((await ask(session, 'LIST', '/v1/secret/metadata', undefined, token)).text).toContain('"keys":["a"]')
  expect((await ask(session, 'GET', '/v1/secret/data/a')).status).toBe(403)
  await service.close()
})
