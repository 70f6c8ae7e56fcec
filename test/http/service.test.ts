import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  defineService,
  errorsArray,
  errorsWithSuccess,
  noContent,
  plainText,
  raw,
  redirect,
  reply,
  route,
} from '../../src/http/index.ts'
import { refuse } from '../../src/kernel/index.ts'
import { StoreError } from '../../src/store/index.ts'

interface Context {
  readonly caller: string
}

const greet = route<Context>()({
  id: 'greet',
  method: 'GET',
  path: '/hello/:name',
  summary: 'Say hello',
  query: z.object({ loud: z.enum(['yes', 'no']).optional() }),
  refusals: ['shy'],
  before: ({ params }) => (params.name === 'hermit' ? refuse('shy', 'the hermit is not greeted') : undefined),
  handle: ({ params, query, context }) =>
    reply({ text: `${query.loud ? 'HELLO' : 'hello'} ${params.name} from ${context.caller}` }),
})

const keep = route<Context>()({
  id: 'keep',
  method: ['PUT', 'POST'],
  path: '/kept/*path',
  summary: 'Keep a number',
  body: z.object({ count: z.number() }),
  handle: ({ params, body, text }) => reply({ path: params.path, count: body.count, length: text.length }),
})

const boom = route<Context>()({
  id: 'boom',
  method: 'GET',
  path: '/boom',
  summary: 'Break',
  handle: () => {
    throw new Error('a secret in a stack trace')
  },
})

const storeErrors = ['unreachable', 'contended', 'unknown', 'disk_full', 'corrupt'] as const
const stored = route<Context>()({
  id: 'stored',
  method: 'GET',
  path: '/stored/:code',
  summary: 'Ask a store that fails',
  params: z.object({ code: z.enum(storeErrors) }),
  handle: ({ params }) => {
    throw new StoreError(params.code, 'of the database at db.internal')
  },
})

const drop = route<Context>()({
  id: 'drop',
  method: 'DELETE',
  path: '/kept/*path',
  summary: 'Drop',
  handle: () => noContent(),
})

const away = route<Context>()({
  id: 'away',
  method: 'GET',
  path: '/',
  summary: 'Go elsewhere',
  handle: () => redirect(307, '/ui/'),
})

const long = route<Context>()({
  id: 'long',
  method: 'GET',
  path: '/long/:kind',
  summary: 'Say a lot',
  handle: ({ params }) => {
    const text = 'so many words '.repeat(100)
    if (params.kind === 'json') return reply({ text })
    if (params.kind === 'text') return raw(text, 'text/plain')
    const bytes = new TextEncoder().encode(text)
    return raw(params.kind === 'bytes' ? bytes : new Blob([bytes]).stream(), undefined)
  },
})

const errors: unknown[] = []
const service = defineService<Context, 'shy'>({
  name: 'greeter',
  routes: [greet, keep, boom, stored, drop, away, long],
  statusOf: { shy: 403 },
  dialect: errorsArray,
  context: (request) => {
    const caller = request.header('x-caller')
    return caller === 'stranger' ? refuse('shy', 'strangers are not known') : { caller: caller ?? 'anyone' }
  },
  maxBodyBytes: 64,
  gzip: true,
  newId: () => 'ref-1',
  onError: (error) => errors.push(error),
})

const ask = (path: string, init?: RequestInit) => service.fetch(new Request(`http://test${path}`, init))

describe('a service made of a route table', () => {
  it('answers a route with its captures, query and caller', async () => {
    const answer = await ask('/hello/ada%20l?loud=yes', { headers: { 'x-caller': 'me' } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual({ text: 'HELLO ada l from me' })
  })

  it('gives a route that takes several methods to each of them, with the exact text of the body', async () => {
    for (const method of ['PUT', 'POST']) {
      const answer = await ask('/kept/a/b/', { method, body: '{"count": 3}' })
      expect(await answer.json()).toEqual({ path: 'a/b/', count: 3, length: 12 })
    }
  })

  it('answers HEAD like GET without the body, and OPTIONS with the methods of the path', async () => {
    const head = await ask('/hello/ada', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const options = await ask('/kept/x', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'DELETE, POST, PUT, OPTIONS'])
    expect((await ask('/nowhere', { method: 'OPTIONS' })).status).toBe(404)
  })

  it('refuses before it reads the body, and unauthenticated callers before it checks rights', async () => {
    expect((await ask('/hello/hermit')).status).toBe(403)
    const stranger = await ask('/hello/ada', { headers: { 'x-caller': 'stranger' } })
    expect(await stranger.json()).toEqual({ errors: ['strangers are not known'] })
  })

  it.each([
    ['an unknown path', '/nope', {}, 404, 'no such path: /nope'],
    [
      'a method the path does not have',
      '/hello/ada',
      { method: 'DELETE' },
      405,
      'DELETE is not possible here: this path answers GET, HEAD',
    ],
    ['a path that is not UTF-8', '/hello/%ff', {}, 400, 'the path is not valid percent-encoded UTF-8'],
    ['a query its schema refuses', '/hello/ada?loud=maybe', {}, 400, 'invalid query: loud: '],
    [
      'a body its schema refuses',
      '/kept/x',
      { method: 'PUT', body: '{"count":"3"}' },
      400,
      'invalid body: count: ',
    ],
    ['a missing body', '/kept/x', { method: 'PUT' }, 400, 'invalid body: '],
    [
      'a body that is not JSON',
      '/kept/x',
      { method: 'PUT', body: '{"count": 3,}' },
      400,
      'the body is not valid JSON (line 1, column 13)',
    ],
    [
      'a body cut short',
      '/kept/x',
      { method: 'PUT', body: '{"count": ' },
      400,
      'the body is not valid JSON: it ends too early',
    ],
    [
      'a compressed body',
      '/kept/x',
      { method: 'PUT', headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"count": 3}') },
      400,
      'bodies with a Content-Encoding are not supported: send it uncompressed',
    ],
    [
      'a body over the limit',
      '/kept/x',
      { method: 'PUT', body: `{"count": 3, "x": "${'y'.repeat(64)}"}` },
      413,
      'the request body is larger than this service accepts',
    ],
  ])('answers %s with a clear text', async (_what, path, init, status, text) => {
    const answer = await ask(path, init)
    expect(answer.status).toBe(status)
    const { errors: said } = (await answer.json()) as { errors: string[] }
    expect(said.join()).toContain(text)
  })

  it('says what is wrong with what it is given, in place of a request that can be read', async () => {
    for (const given of ['http://test/hello/ada', new URL('http://test/hello/ada'), undefined])
      await expect(service.fetch(given as unknown as Request)).rejects.toThrow(
        "fetch takes a Request, such as new Request('http://localhost/v1/status')",
      )
    const read = new Request('http://test/kept/x', { method: 'PUT', body: '{"count": 3}' })
    await read.json()
    const answer = await service.fetch(read)
    expect([answer.status, await answer.text()]).toEqual([
      500,
      'the body was already read: mount this handler before body parsers',
    ])
  })

  it('reads the body of a Request without a stream of it', async () => {
    const request = new Request('http://test/kept/x', { method: 'PUT', body: '{"count": 3}' })
    const streamless = new Proxy(request, {
      get: (target, name) => {
        const value: unknown = name === 'body' ? undefined : Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    expect(await (await service.fetch(streamless)).json()).toEqual(
      await (await ask('/kept/x', { method: 'PUT', body: '{"count": 3}' })).json(),
    )
  })

  it('names the methods a path has when another is asked for', async () => {
    expect((await ask('/kept/x', { method: 'PATCH' })).headers.get('allow')).toBe('DELETE, POST, PUT')
  })

  it('never quotes a body that it cannot read', async () => {
    const answer = await ask('/kept/x', { method: 'PUT', body: '{"password": hunter2}' })
    expect(await answer.text()).not.toContain('hunter2')
  })

  it('turns an unforeseen error into 500 with an opaque reference, and reports it', async () => {
    const answer = await ask('/boom')
    expect(answer.status).toBe(500)
    expect(await answer.json()).toEqual({ errors: ['internal error (reference ref-1)'] })
    expect(errors).toHaveLength(1)
  })

  it('answers where its listener for errors throws, too', async () => {
    const { fetch } = defineService<Context>({
      name: 'greeter',
      routes: [boom],
      statusOf: {},
      dialect: errorsArray,
      context: () => ({ caller: 'me' }),
      newId: () => 'ref-1',
      onError: () => {
        throw new Error('the log is full')
      },
    })
    expect((await fetch(new Request('http://t.test/boom'))).status).toBe(500)
  })

  it('asks for a retry when the store is unreachable or busy, reveals nothing, and reports the error', async () => {
    for (const code of ['unreachable', 'contended']) {
      const before = errors.length
      const answer = await ask(`/stored/${code}`)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await answer.json()).toEqual({
        errors: ['the store cannot answer right now, try again (reference ref-1)'],
      })
      expect(errors).toHaveLength(before + 1)
    }
    expect((await ask('/stored/corrupt')).status).toBe(500)
  })

  it('says that no space is left, and that nothing was stored', async () => {
    const answer = await ask('/stored/disk_full')
    expect(answer.status).toBe(507)
    expect(await answer.json()).toEqual({
      errors: ['no space is left: nothing was stored (reference ref-1)'],
    })
  })

  const asking = (accepted: string, method = 'GET') => ({ method, headers: { 'accept-encoding': accepted } })
  const coding = ({ headers }: Response) => [headers.get('content-encoding'), headers.get('vary')]

  it('compresses long texts for callers that accept it, and says what they vary by', async () => {
    expect(coding(await ask('/long/json'))).toEqual([null, 'Accept-Encoding'])
    for (const kind of ['json', 'text']) {
      const packed = await ask(`/long/${kind}`, asking('br, gzip;q=0.5'))
      expect(coding(packed)).toEqual(['gzip', 'Accept-Encoding'])
      const body = packed.body?.pipeThrough(new DecompressionStream('gzip'))
      const plain = await (await ask(`/long/${kind}`)).text()
      expect(await new Response(body).text()).toBe(plain)
    }
    expect(coding(await ask('/long/json', asking('gzip', 'HEAD')))).toEqual([null, 'Accept-Encoding'])
  })

  it.each([
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'gzip'],
    ['br ; q=1.0, GZIP ; q=0.8', 'gzip'],
    ['gzip;q=0', null],
    ['gzip; q=0.000, *', null],
    ['*, gzip;q=0', null],
    ['*;q=0, gzip', 'gzip'],
    ['gzipped', null],
    ['br', null],
    ['', null],
  ])('reads Accept-Encoding: %s', async (accepted, wanted) => {
    expect((await ask('/long/json', asking(accepted))).headers.get('content-encoding')).toBe(wanted)
  })

  it.each(['/hello/ada', '/long/bytes', '/long/stream', '/nowhere'])(
    'does not compress what is short, or no text: %s',
    async (path) => {
      expect(coding(await ask(path, asking('gzip')))).toEqual([null, null])
    },
  )

  it('does not mind a caller that goes away in the middle of a compressed answer', async () => {
    const packed = await ask('/long/json', asking('gzip'))
    await packed.body?.cancel()
    await new Promise((resolve) => setTimeout(resolve, 20))
  })

  it('answers 204 without a body and redirects without one', async () => {
    expect((await ask('/kept/x', { method: 'DELETE' })).status).toBe(204)
    const answer = await ask('/')
    expect([answer.status, answer.headers.get('location')]).toEqual([307, '/ui/'])
  })

  it('treats hostile names in captures, queries and bodies as plain data', async () => {
    const answer = await ask('/hello/__proto__?__proto__=1&constructor=2')
    expect(await answer.json()).toEqual({ text: 'hello __proto__ from anyone' })
  })

  it('documents itself as OpenAPI 3.1 and as help text', () => {
    const document = service.openapi()
    expect(Object.keys(document.paths)).toEqual([
      '/hello/{name}',
      '/kept/{path}',
      '/boom',
      '/stored/{code}',
      '/',
      '/long/{kind}',
    ])
    expect(document.paths['/kept/{path}']).toHaveProperty('put.requestBody')
    expect(document.paths['/kept/{path}']).toHaveProperty('delete')
    expect(service.help('/kept')).toBe(
      ['PUT|POST /kept/{path}  Keep a number', 'DELETE /kept/{path}    Drop'].join('\n'),
    )
  })
})

describe('a route table with a mistake', () => {
  const make = (...routes: (typeof greet)[]) =>
    defineService<Context, 'shy'>({
      name: 'x',
      routes,
      statusOf: { shy: 403 },
      dialect: plainText,
      context: () => ({ caller: '' }),
      newId: () => '',
    })
  it('is refused when two routes share an id or meet the same requests', () => {
    expect(() => make(greet, greet)).toThrow('two routes are called greet')
    expect(() => make(greet, { ...greet, id: 'other' })).toThrow(
      'greet and other both answer GET /hello/:name',
    )
  })

  it('is told where the status of a refusal is missing', async () => {
    const errors: unknown[] = []
    const { fetch } = defineService<Context, 'shy'>({
      name: 'x',
      routes: [greet],
      statusOf: { shy: 403 },
      dialect: plainText,
      context: () => refuse('stranger', 'say who you are'),
      newId: () => '',
      onError: (error) => errors.push(error),
    })
    expect((await fetch(new Request('http://t.test/hello/ada'))).status).toBe(500)
    expect(errors.map(String)).toEqual([
      'Error: refusal stranger has no status: name one in statusOf of service x',
    ])
  })

  it('is refused without what it has to call', () => {
    const whole = {
      name: 'x',
      routes: [],
      statusOf: {},
      dialect: plainText,
      context: () => ({}),
      newId: () => '',
    }
    for (const name of ['context', 'dialect', 'newId', 'statusOf'] as const) {
      const { [name]: _, ...rest } = whole
      // @ts-expect-error As programs without types do.
      expect(() => defineService(rest)).toThrow(`defineService: ${name} is missing`)
    }
  })
})

describe('error dialects', () => {
  it('spell one refusal three ways', () => {
    const refusal = { code: 'x', message: 'no' }
    expect(errorsArray(refusal, 400).content).toBe('{"errors":["no"]}')
    expect(errorsWithSuccess(refusal, 400).content).toBe('{"errors":["no"],"success":false}')
    expect(plainText(refusal, 400).content).toBe('no')
  })
  it('say each of several errors, and nothing for an empty message', () => {
    expect(errorsArray({ code: 'x', message: '', detail: { errors: ['a', 'b'] } }, 400).content).toBe(
      '{"errors":["a","b"]}',
    )
    expect(errorsArray({ code: 'x', message: '' }, 404).content).toBe('{"errors":[]}')
    expect(plainText({ code: 'x', message: '' }, 404)).toEqual({ content: '', type: undefined })
  })
})
