import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type FetchHandler, type Listening, serve } from '../../../src/http/node/index.ts'
import { createRegistry } from '../../../src/registry/index.ts'

const open: Listening[] = []
const up = async (fetch: FetchHandler) => {
  const listening = await serve({ fetch })
  open.push(listening)
  return listening
}
afterEach(async () => {
  for (const listening of open.splice(0)) await listening.close({ drainMs: 100 })
})

/** Sends raw pieces over one connection and collects what comes back until it has `count` answers. */
const raw = (port: number, pieces: readonly (string | Buffer)[], count: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const finish = () => {
      socket.destroy()
      resolve(text)
    }
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if ((text.match(/<end>|HTTP\/1\.1 4/g) ?? []).length >= count) finish()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    const sendNext = (at: number) => {
      const piece = pieces[at]
      if (piece === undefined) return
      socket.write(piece, () => setImmediate(() => sendNext(at + 1)))
    }
    socket.on('connect', () => sendNext(0))
  })

const echo: FetchHandler = async (request) =>
  new Response(`${request.method} ${new URL(request.url).pathname} [${await request.text()}]<end>`)
const answers = (text: string) => text.match(/[A-Z]+ \/\S* \[[^\]]*\]/g)

describe('the LIST method over HTTP/1.1', () => {
  it('says of methods that no Request can carry that they are not supported', async () => {
    const { port } = await up(echo)
    const text = await raw(port, ['TRACE /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'], 1)
    expect(text).toContain('HTTP/1.1 501 Not Implemented')
    expect(text).toContain('TRACE is not supported')
  })

  it('arrives as LIST, alone and among other requests on one connection', async () => {
    const { port } = await up(echo)
    const get = (path: string, method = 'GET') => `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    const text = await raw(port, [get('/a', 'LIST') + get('/b') + get('/c', 'LIST'), get('/d', 'LIST')], 4)
    expect(answers(text)).toEqual(['LIST /a []', 'GET /b []', 'LIST /c []', 'LIST /d []'])
  })

  it('arrives when its letters come one at a time', async () => {
    const { port } = await up(echo)
    const text = await raw(port, [...'\r\nLIST /slow?x=LIST HTTP/1.1\r\nHost: x\r\n\r\n'], 1)
    expect(answers(text)).toEqual(['LIST /slow []'])
  })

  it('is never found inside a body, of known length or chunked', async () => {
    const { port } = await up(echo)
    const sized = 'POST /sized HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\nLIST /x HTTP/1'
    const chunked =
      'POST /chunked HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nLIST \r\n2\r\n/y\r\n0\r\n\r\n'
    const text = await raw(port, [`${sized}${chunked}LIST /z HTTP/1.1\r\nHost: x\r\n\r\n`], 3)
    expect(answers(text)).toEqual(['POST /sized [LIST /x HTTP/1]', 'POST /chunked [LIST /y]', 'LIST /z []'])
  })

  it('accepts every method that the parser does not know, unchanged', async () => {
    const { port } = await up(echo)
    const request = (method: string) => `${method} /a HTTP/1.1\r\nHost: x\r\n\r\n`
    const text = await raw(port, [['LISTS', 'FOO', 'LIST', 'GET', 'X-Y'].map(request).join('')], 5)
    expect(answers(text)).toEqual(['LISTS /a []', 'FOO /a []', 'LIST /a []', 'GET /a []', 'Y /a []'])
  })

  it('is told apart from the requests around one whose expectation cannot be met', async () => {
    const { port } = await up(echo)
    const get = (path: string, method = 'GET', more = '') =>
      `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
    const text = await raw(
      port,
      [
        get('/a', 'GET', 'Expect: wonders\r\n'),
        get('/b', 'LIST'),
        get('/c', 'LIST', 'Expect: more\r\n'),
        get('/d'),
      ],
      4,
    )
    expect(text.match(/417/g)).toHaveLength(2)
    expect(answers(text)).toEqual(['LIST /b []', 'GET /d []'])
  })

  it('arrives after a request that offers another protocol, as some clients do first', async () => {
    const { port } = await up(echo)
    const offer = 'GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
    const socket = connect(port, '127.0.0.1')
    let text = ''
    for (const request of [offer, 'LIST /b HTTP/1.1\r\nHost: x\r\n\r\n']) {
      socket.write(request)
      text += await new Promise((resolve) =>
        socket.once('data', (chunk) => resolve(chunk.toString('latin1'))),
      )
    }
    socket.destroy()
    expect(answers(text)).toEqual(['GET /a []', 'LIST /b []'])
  })

  it('arrives behind a request that names another protocol without offering it', async () => {
    const { port } = await up(echo)
    const named = 'GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\n'
    const text = await raw(port, [`${named}LIST /b HTTP/1.1\r\nHost: x\r\n\r\n`], 2)
    expect(answers(text)).toEqual(['GET /a []', 'LIST /b []'])
  })
})

describe('letters beyond ASCII in an address that its client did not escape', () => {
  const filtered: FetchHandler = async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    return new Response(
      `${decodeURI(pathname)} ${searchParams.get('filter')} [${await request.text()}]<end>`,
      { headers: { 'content-type': 'text/plain; charset=utf-8' } },
    )
  }
  const said = (text: string) =>
    Buffer.from(text, 'latin1')
      .toString()
      .match(/\/\S* .*\]/g)

  it('are those letters, in the path and in the query, among other requests on one connection', async () => {
    const { port } = await up(filtered)
    const post = 'POST /café?filter=Zürich HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\nLIST /é HTTP/1'
    const list = 'LIST /日本?filter=%C3%A9 HTTP/1.1\r\nHost: x\r\n\r\n'
    const text = await raw(port, [post + list + list], 3)
    expect(said(text)).toEqual(['/café Zürich [LIST /é HTTP/1]', '/日本 é []', '/日本 é []'])
  })

  it('are, too, when their bytes come one at a time', async () => {
    const { port } = await up(filtered)
    const bytes = Buffer.from('GET /é?filter=😀 HTTP/1.1\r\nHost: x\r\n\r\n')
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    expect(said(await raw(port, pieces, 1))).toEqual(['/é 😀 []'])
  })

  it('are refused in a method, as before', async () => {
    const { port } = await up(filtered)
    expect(await raw(port, ['GÉT /a HTTP/1.1\r\nHost: x\r\n\r\n'], 1)).toContain('400 Bad Request')
  })
})

describe('serving over sockets', () => {
  it('streams a large body in and out without holding it', async () => {
    const size = 24 * 1024 * 1024
    const { url } = await up((request) => new Response(request.body))
    let received = 0
    const body = new ReadableStream<Uint8Array>({
      start: () => {},
      pull: (controller) => {
        if (received >= size) return controller.close()
        received += 65_536
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    const answer = await fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit)
    let back = 0
    for await (const chunk of answer.body ?? []) back += chunk.byteLength
    expect(back).toBe(size)
  })

  it('lets a client that is still sending read the refusal', async () => {
    const { url } = await up(() => new Response('too much', { status: 413 }))
    const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(5_000_000) })
    expect([answer.status, await answer.text()]).toEqual([413, 'too much'])
  })

  it('aborts the request when the client goes away', async () => {
    let seen: () => void = () => {}
    const gone = new Promise<void>((resolve) => {
      seen = resolve
    })
    let entered: () => void = () => {}
    const inside = new Promise<void>((resolve) => {
      entered = resolve
    })
    const { url } = await up(
      (request) =>
        new Promise((resolve) => {
          request.signal.addEventListener('abort', () => {
            seen()
            resolve(new Response())
          })
          entered()
        }),
    )
    const client = new AbortController()
    const call = fetch(url, { signal: client.signal }).catch(() => 'cancelled')
    await inside
    client.abort()
    await gone
    expect(await call).toBe('cancelled')
  })

  it('leaves a request alone that was answered, also when its connection ends', async () => {
    let signal: AbortSignal | undefined
    const { url } = await up((request) => {
      signal = request.signal
      return new Response('done')
    })
    const answer = await fetch(url, { headers: { connection: 'close' } })
    expect(await answer.text()).toBe('done')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(signal?.aborted).toBe(false)
  })

  it('passes the address of the client to the handler', async () => {
    const { url } = await up((_request, context) => new Response(context?.peer?.address))
    expect(await (await fetch(url)).text()).toBe('127.0.0.1')
  })

  it('takes no path from where the host belongs', async () => {
    const { port } = await up(echo)
    for (const host of ['x/secret?', 'x#', 'me@x', 'x\\secret'])
      expect(await raw(port, [`GET /public HTTP/1.1\r\nHost: ${host}\r\n\r\n`], 1)).toContain(
        '400 Bad Request',
      )
  })

  it('takes no host from where the path belongs', async () => {
    const { port } = await up(echo)
    const ask = (target: string, host: string) =>
      raw(port, [`GET ${target} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`], 1)
    expect(answers(await ask('/public/secret', 'Host:\r\n'))).toEqual(['GET /public/secret []'])
    expect(answers(await ask('http:///public/secret', 'Host: x\r\n'))).toEqual([
      'GET /http:///public/secret []',
    ])
    expect(answers(await ask('http://other/public', 'Host: x\r\n'))).toEqual(['GET /public []'])
    expect(await ask('/public', 'Host: x\r\nHost: y\r\n')).toContain('400 Bad Request')
  })

  it('takes no path that leads elsewhere than it says', async () => {
    const { port } = await up(echo)
    const ask = (target: string) => raw(port, [`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`], 1)
    for (const path of ['/public/../secret', '/%2e%2E/secret', '/public/.%2e', '/./x', '/public\\..\\secret'])
      for (const target of [path, `http://x${path}`]) expect(await ask(target)).toContain('400 Bad Request')
    for (const path of ['/...', '/.well-known/x', '/a../b', '/a?next=/../b'])
      expect(await ask(path)).toContain(`GET ${path.split('?')[0]} []`)
  })

  it.each<[string, Record<string, string>]>([
    ['of unknown length', {}],
    ['of known length', { 'content-length': '9' }],
  ])('never lets an answer %s that broke off look whole', async (_, headers) => {
    const { url } = await up(() => {
      let pulls = 0
      const body = new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          pulls += 1
          await new Promise((resolve) => setTimeout(resolve, 5))
          if (pulls < 3) controller.enqueue(new TextEncoder().encode('abc'))
          else controller.error(new Error('the disk is gone'))
        },
      })
      return new Response(body, { headers })
    })
    const answer = await fetch(url)
    await expect(answer.text()).rejects.toThrow()
  })

  it('never makes a truncated answer look complete', async () => {
    const { url } = await up(() => new Response('abc', { headers: { 'content-length': '9' } }))
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow()
  })

  it('survives a stream that breaks while a slow client is waited for', async () => {
    const { url } = await up((request) => {
      if (request.url.endsWith('/alive')) return new Response('yes')
      let pulls = 0
      return new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            pulls += 1
            if (pulls < 4) controller.enqueue(new Uint8Array(4_000_000))
            else controller.error(new Error('the disk is gone'))
          },
        }),
      )
    })
    const answer = await fetch(url)
    // Nothing is read: the connection is full, and what was read ahead fails.
    await new Promise((resolve) => setTimeout(resolve, 100))
    await expect(answer.arrayBuffer()).rejects.toThrow()
    expect(await (await fetch(`${url}/alive`)).text()).toBe('yes')
  })

  it('sends a slow stream as it comes', async () => {
    let push: (text: string | null) => void = () => {}
    const { url } = await up(() => {
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => {
          push = (text) =>
            text === null ? controller.close() : controller.enqueue(new TextEncoder().encode(text))
        },
      })
      setImmediate(() => push('first'))
      return new Response(stream)
    })
    const reader = (await fetch(url)).body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toBe('first')
    push(null)
    expect((await reader?.read())?.done).toBe(true)
  })

  it('takes no service for its options, which both have a fetch', async () => {
    const registry = createRegistry()
    await expect(serve(registry)).rejects.toThrow('serve({ fetch: service.fetch })')
    // @ts-expect-error
    await expect(serve(registry.fetch)).rejects.toThrow('serve({ fetch: service.fetch })')
    await registry.close()
  })

  it('explains an invalid port', async () => {
    for (const port of [99_999, -1, 1.5, Number.NaN])
      await expect(serve({ fetch: echo, port })).rejects.toThrow(
        `${port} is not a valid port: use a whole number from 1 to 65535, or 0 for any free port`,
      )
  })

  it('explains a port that is taken', async () => {
    const { port } = await up(echo)
    await expect(serve({ fetch: echo, port })).rejects.toThrow(
      `port ${port} on 127.0.0.1 is already in use; choose another one, or 0 for any free port`,
    )
  })

  it('finishes what is under way when it closes, and accepts nothing new', async () => {
    let finish: () => void = () => {}
    let entered: () => void = () => {}
    const inside = new Promise<void>((resolve) => {
      entered = resolve
    })
    const listening = await up(
      () =>
        new Promise((resolve) => {
          finish = () => resolve(new Response('done'))
          entered()
        }),
    )
    const call = fetch(listening.url).then((answer) => answer.text())
    await inside
    const closed = listening.close()
    await expect(fetch(listening.url)).rejects.toThrow()
    finish()
    expect(await call).toBe('done')
    await closed
  })
})
