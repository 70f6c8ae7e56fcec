import { describe, expect, it } from 'vitest'
import {
  type Call,
  defineService,
  mount,
  plainText,
  raw,
  redirect,
  reply,
  route,
  withBodyLimit,
} from '../../src/http/index.ts'

const says = (name: string) => () => new Response(name)
const ask = async (fetch: (request: Request) => Promise<Response>, url: string, init?: RequestInit) => {
  const answer = await fetch(new Request(url, init))
  return `${answer.status} ${await answer.text()}`
}

const define = route<null>()
const there = ({
  exchange: { path, search, basePath, peer },
}: Pick<Call<null, unknown, unknown>, 'exchange'>) =>
  reply({ path: path + search, base: basePath, peer: peer?.address })

const service = defineService<null>({
  name: 'where',
  routes: [
    define({ id: 'root', method: 'GET', path: '/', summary: 'The top', handle: there }),
    define({
      id: 'away',
      method: 'GET',
      path: '/v1/away',
      summary: 'Elsewhere',
      handle: () => redirect(307, '/v1/x'),
    }),
    define({
      id: 'abroad',
      method: 'GET',
      path: '/v1/abroad',
      summary: 'Another host',
      handle: () => redirect(307, '//elsewhere.test/v1'),
    }),
    define({
      id: 'where',
      method: ['GET', 'LIST', 'POST'],
      path: '/v1/*path',
      summary: 'Where am I',
      handle: there,
    }),
    define({
      id: 'echo',
      method: 'PUT',
      path: '/v1/echo',
      summary: 'Say it again',
      streams: true,
      handle: ({ exchange }) => raw(exchange.body?.stream() ?? '', 'text/plain'),
    }),
  ],
  statusOf: {},
  dialect: plainText,
  context: () => null,
  newId: () => 'id',
})

describe('handlers mounted by path', () => {
  const fetch = mount({
    '/boxes': says('boxes'),
    '/boxes/archive/': says('archive'),
    '/my%20mo%64ules': says('modules'),
    '/gr\u00f6\u00dfe': says('size'),
  })

  it.each([
    ['/boxes', 'boxes'],
    ['/boxes/', 'boxes'],
    ['/boxes?q=/other', 'boxes'],
    ['/boxes/v1//x', 'boxes'],
    ['/boxes/archives', 'boxes'],
    ['/boxes/archive', 'archive'],
    ['/boxes/archive/a/b', 'archive'],
    ['/x/../boxes/v1', 'boxes'],
    ['/%62oxes/v1', 'boxes'],
    ['/b%6Fxes%2Fv1/../boxes', 'boxes'],
    ['/my%20modules/x', 'modules'],
    ['/gr%c3%b6%C3%9fe', 'size'],
  ])('%s is for %s', async (path, name) => {
    expect(await ask(fetch, `http://x.test${path}`)).toBe(`200 ${name}`)
  })

  it.each([
    '/',
    '/boxes2',
    '/Boxes',
    '//boxes',
    '/v1/boxes',
    '/boxes/../v1',
    '/boxes%2Farchive',
    '/%',
    '/?/boxes',
  ])('%s reaches no service', async (path) => {
    const { pathname } = new URL(`http://x.test${path}`)
    expect(await ask(fetch, `http://x.test${path}`)).toBe(`404 nothing is mounted at ${pathname}`)
  })

  it('answers unmounted paths in plain text, and HEAD without a body', async () => {
    const answer = await fetch(new Request('http://x.test/other', { method: 'HEAD' }))
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.body).toBeNull()
  })

  it('leaves the rest to the service mounted at the root', async () => {
    const all = mount({ '/': says('rest'), '/boxes': says('boxes') })
    expect(await ask(all, 'http://x.test/boxes/v1')).toBe('200 boxes')
    expect(await ask(all, 'http://x.test/boxes2')).toBe('200 rest')
    expect(await ask(all, 'http://x.test')).toBe('200 rest')
  })
})

describe('handlers mounted by host', () => {
  const fetch = mount({
    'boxes.example.com': says('boxes'),
    'Example.com/modules/': says('modules'),
    '[::1]': says('loopback'),
    '/modules': says('any'),
  })

  it.each([
    ['http://boxes.example.com/v1', '200 boxes'],
    ['https://BOXES.example.com:8443/v1', '200 boxes'],
    ['http://boxes.example.com./v1', '200 boxes'],
    ['http://example.com/modules/v1', '200 modules'],
    ['http://boxes.example.com.evil.test/', '404 nothing is mounted at /'],
    ['http://other.test/modules/v1', '200 any'],
    ['http://boxes.example.com/modules/v1', '200 boxes'],
    ['http://[::1]:80/x', '200 loopback'],
    ['http://example.com/other', '404 nothing is mounted at /other'],
  ])('%s: %s', async (url, answer) => {
    expect(await ask(fetch, url)).toBe(answer)
  })
})

describe('a service below a path', () => {
  const fetch = mount({ '/a/b': service.fetch, 'c.test': service.fetch })
  const found = async (url: string, init?: RequestInit) => (await fetch(new Request(url, init))).json()

  it('finds its routes there for every method', async () => {
    expect(await found('http://x.test/a/b/v1/x%2Fy?z=1')).toEqual({ path: '/v1/x%2Fy?z=1', base: '/a/b' })
    expect(await found('http://x.test/a/b')).toEqual({ path: '/', base: '/a/b' })
    expect(await found('http://x.test/a/b?x=1')).toEqual({ path: '/?x=1', base: '/a/b' })
    expect(await found('http://x.test/a/b/v1//x')).toEqual({ path: '/v1//x', base: '/a/b' })
    expect(await found('http://x.test/%61/b/v1/x')).toEqual({ path: '/v1/x', base: '/%61/b' })
    expect(await found('http://x.test/a/b/v1/x', { method: 'LIST' })).toMatchObject({ path: '/v1/x' })
    expect(await found('http://c.test/v1/x')).toEqual({ path: '/v1/x', base: '' })
    expect(await ask(fetch, 'http://x.test/a/b//v1/x')).toBe('404 no such path: //v1/x')
  })

  it('answers HEAD and OPTIONS there', async () => {
    const head = await fetch(new Request('http://x.test/a/b/v1/x', { method: 'HEAD' }))
    expect([head.status, await head.text()]).toEqual([200, ''])
    const options = await fetch(new Request('http://x.test/a/b/v1/x', { method: 'OPTIONS' }))
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, LIST, POST, OPTIONS'])
  })

  it('sends callers to addresses below it, and to other hosts as they are', async () => {
    const sent = async (path: string) =>
      (await fetch(new Request(`http://x.test${path}`))).headers.get('location')
    expect(await sent('/a/b/v1/away')).toBe('/a/b/v1/x')
    expect(await sent('/a/b/v1/abroad')).toBe('//elsewhere.test/v1')
  })

  it('gets the very request: its body as it streams, its peer, its limit and its signal', async () => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('as it '))
        setTimeout(() => {
          controller.enqueue(new TextEncoder().encode('comes'))
          controller.close()
        }, 5)
      },
    })
    const put = new Request('http://x.test/a/b/v1/echo', {
      method: 'PUT',
      body,
      duplex: 'half',
    } as RequestInit)
    expect(await (await fetch(put)).text()).toBe('as it comes')

    const request = new Request('http://x.test/a/b/v1/x')
    expect(await (await fetch(request, { peer: { address: '192.0.2.7' } })).json()).toMatchObject({
      peer: '192.0.2.7',
    })

    const large = new Request('http://x.test/a/b/v1/x', { method: 'POST', body: '{"n":1}' })
    expect((await withBodyLimit(fetch, 3)(large)).status).toBe(413)
    expect(() => withBodyLimit(fetch, Number.NaN)).toThrow('bytes is NaN: pass a number of bytes, 0 or more')

    const seen: Request[] = []
    const spy = mount({ '/a': (passed) => new Response(String(seen.push(passed))) })
    const other = new Request('http://x.test/a')
    await spy(other)
    expect(seen[0]).toBe(other)
  })

  it('is asked twice with one request, at once too', async () => {
    const request = new Request('http://x.test/a/b/v1/x')
    const answers = await Promise.all([fetch(request), fetch(request)])
    answers.push(await fetch(request))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('may stand in a mount of a mount, by its whole path', async () => {
    const outer = mount({ '/a': fetch, '/other': says('other') })
    expect(await ask(outer, 'http://x.test/a/b/v1/x')).toBe('200 {"path":"/v1/x","base":"/a/b"}')
    expect(await ask(outer, 'http://x.test/a/c')).toBe('404 nothing is mounted at /a/c')
  })
})

describe('what cannot be mounted', () => {
  it.each([
    '',
    'boxes?x',
    '/boxes?x',
    '/boxes#x',
    '//boxes',
    '/boxes//x',
    '/a/../b',
    '/.',
    '/a b',
    'me@x.test',
    'x.test:80',
    'x.test:80/boxes',
    'a b/c',
    '\\boxes',
  ])('is refused by name: %j', (place) => {
    expect(() => mount({ [place]: says('x') })).toThrow(
      `${JSON.stringify(place)} is not a valid place: use a path such as /boxes, a host such as boxes.example.com, or both`,
    )
  })

  it('is also two handlers at one place, and a service instead of its fetch', () => {
    expect(() => mount({ '/a': says('x'), '/%61/': says('y') })).toThrow('two handlers are mounted at /a')
    expect(() => mount({ 'A.test': says('x'), 'a.test./': says('y') })).toThrow(
      'two handlers are mounted at a.test/',
    )
    // @ts-expect-error a service is no handler
    expect(() => mount({ '/a': service })).toThrow(
      '/a is object: pass a function, such as the fetch of a service',
    )
  })
})
