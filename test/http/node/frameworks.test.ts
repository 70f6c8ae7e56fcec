import dns from 'node:dns'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:http2'
import { type AddressInfo, connect as dial } from 'node:net'
import { json } from 'node:stream/consumers'
import { Elysia } from 'elysia'
import express from 'express'
import express4 from 'express-4'
import fastify from 'fastify'
import fastify4 from 'fastify-4'
import { H3 } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { defineService, errorsArray, reply, route } from '../../../src/http/index.ts'
import { fastifyPlinth, prepareServer, toNodeListener } from '../../../src/http/node/index.ts'

const at = route<null>()
const service = defineService<null>({
  name: 'shelf',
  routes: [
    at({
      id: 'put',
      method: 'POST',
      path: '/v1/shelf/:name',
      summary: 'Put something on the shelf',
      body: z.object({ count: z.number() }),
      handle: ({ params, body }) =>
        reply({ name: params.name, ...body }, { headers: { location: `/v1/shelf/${params.name}` } }),
    }),
    at({
      id: 'list',
      method: 'LIST',
      path: '/v1/shelf',
      summary: 'List the shelf',
      handle: () => reply({ keys: ['bolt'] }),
    }),
  ],
  statusOf: {},
  dialect: errorsArray,
  context: () => null,
  newId: () => 'id',
})
const listener = toNodeListener(service.fetch)

async function listening(app: RequestListener): Promise<string> {
  const server = prepareServer(createServer(app)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const under = (make: typeof express) => async (path: string) =>
  listening(make().use(path, listener).use(express.json()))

const underFastify = (make: typeof fastify) => async (prefix: string) => {
  const app = make()
  app.register(fastifyPlinth, { fetch: service.fetch, prefix })
  app.post('/own', async ({ body }) => body)
  onTestFinished(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

const put = (url: string, init: RequestInit = {}) =>
  fetch(`${url}/v1/shelf/bolt`, {
    method: 'POST',
    body: '{"count":7}',
    headers: { 'content-type': 'application/json' },
    ...init,
  })
const list = async (url: string) => (await fetch(`${url}/v1/shelf`, { method: 'LIST' })).json()

/** Starts an app that mounts the service at a path; the result is where the app listens. */
const apps: Readonly<Record<string, (path: string) => Promise<string>>> = {
  'Express 5': under(express),
  'Express 4': under(express4),
  'Fastify 5': underFastify(fastify),
  'Fastify 4': underFastify(fastify4 as unknown as typeof fastify),
}

describe.each(Object.entries(apps))('a service under %s', (_name, start) => {
  it.each(['/shop', '/shop/inner'])('is mounted at %s, which its links include', async (path) => {
    const base = await start(path)
    const answer = await put(base + path)
    expect(await answer.json()).toEqual({ name: 'bolt', count: 7 })
    expect(answer.headers.get('location')).toBe(`${path}/v1/shelf/bolt`)
    expect(await list(base + path)).toEqual({ keys: ['bolt'] })
    expect((await put(base)).status).toBe(404)
  })

  it('keeps a mount path with which its own paths begin', async () => {
    const base = await start('/v1')
    const answer = await put(base)
    expect(await answer.json()).toEqual({ name: 'bolt', count: 7 })
    expect(answer.headers.get('location')).toBe('/v1/shelf/bolt')
    expect(await list(base)).toEqual({ keys: ['bolt'] })
  })
})

describe.each([
  ['Fastify 5', fastify],
  ['Fastify 4', fastify4 as unknown as typeof fastify],
])('the plugin of %s', (_name, make) => {
  it('answers what no other route does, and leaves bodies and methods of other routes alone', async () => {
    const app = make()
    onTestFinished(() => app.close())
    const seen: string[] = []
    app.addHook('onRequest', async ({ url }) => void seen.push(url))
    app.addHook('onResponse', async (_request, answer) => void seen.push(String(answer.statusCode)))
    await app.register(fastifyPlinth, { fetch: service.fetch, prefix: '/one' })
    app.register(fastifyPlinth, { fetch: service.fetch, prefix: '/two' })
    app.post('/own', async ({ body }) => body)
    app.get('/own', async () => 'own')
    const base = await app.listen({ port: 0, host: '127.0.0.1' })
    for (const path of ['/one', '/two']) expect(await list(base + path)).toEqual({ keys: ['bolt'] })
    expect(seen).toEqual(['/one/v1/shelf', '200', '/two/v1/shelf', '200'])
    expect((await fetch(`${base}/own`, { method: 'LIST' })).status).toBe(404)
    const headers = { 'content-type': 'application/json' }
    const own = await fetch(`${base}/own`, { method: 'POST', headers, body: '{"n":1}' })
    expect(await own.json()).toEqual({ n: 1 })
    expect((await put(`${base}/one`, { headers: { 'content-type': 'text/odd' } })).status).toBe(200)
  })

  it('takes LIST at every address of localhost', async () => {
    const app = make()
    onTestFinished(() => app.close())
    await app.register(fastifyPlinth, { fetch: service.fetch })
    const lookup = dns.lookup
    const hosts = ['127.0.0.1', '127.0.0.2']
    const both = (host: string, options: { all?: boolean }, done: (...found: unknown[]) => void) =>
      options.all
        ? done(
            null,
            hosts.map((address) => ({ address, family: 4 })),
          )
        : lookup(host, options, done)
    const spied = vi.spyOn(dns, 'lookup').mockImplementation(both as never)
    await app.listen({ port: 0 })
    spied.mockRestore()
    const { port } = app.server.address() as AddressInfo
    for (const host of hosts) expect(await list(`http://${host}:${port}`)).toEqual({ keys: ['bolt'] })
  })

  it('takes LIST over HTTP/2', async () => {
    const app = make({ http2: true } as object)
    onTestFinished(() => app.close())
    await app.register(fastifyPlinth, { fetch: service.fetch })
    const client = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
    const asked = client.request({ ':path': '/v1/shelf', ':method': 'LIST' }, { endStream: true })
    expect(await json(asked)).toEqual({ keys: ['bolt'] })
    client.destroy()
  })

  it.each([false, true])('closes although a connection never asked, over HTTP/2: %s', async (http2) => {
    const app = make({ http2 } as object)
    await app.register(fastifyPlinth, { fetch: service.fetch })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const connected = once(app.server, 'connection')
    const client = dial((app.server.address() as AddressInfo).port, '127.0.0.1').resume()
    await connected
    const left = once(client, 'close')
    await app.close()
    await left
  })

  it('refuses a misspelt option', async () => {
    const misspelt = { fetch: service.fetch, bodyTimeout: 1 }
    await expect(make().register(fastifyPlinth, misspelt).ready()).rejects.toThrow('bodyTimeoutMs')
  })
})

describe('a body that an earlier parser has read', () => {
  const parsers = {
    'express.json()': express.json(),
    'express.text()': express.text({ type: '*/*' }),
    'express.raw()': express.raw({ type: '*/*' }),
    'express.json() of Express 4': express4.json(),
  }
  it.each(Object.entries(parsers))('is taken over from %s', async (_name, parser) => {
    const base = await listening(express().use(parser, listener))
    expect(await (await put(base)).json()).toEqual({ name: 'bolt', count: 7 })
    const body = new Blob(['{"count":8}']).stream().pipeThrough(new CompressionStream('gzip'))
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const compressed = await put(base, { body, headers, duplex: 'half' } as RequestInit)
    expect(await compressed.json()).toEqual({ name: 'bolt', count: 8 })
    expect((await put(base, { body: '{"count":"x"}' })).status).toBe(400)
  })

  it('is taken over from Koa, and where it is not the JSON that was sent, the answer says what to do', async () => {
    const app = new Koa()
    app.use((context) => {
      context.respond = false
      listener(context.req, context.res)
    })
    expect(await (await put(await listening(app.callback()))).json()).toEqual({ name: 'bolt', count: 7 })
    const parsed = new Koa()
    parsed.use(async (context) => {
      context.respond = false
      const message = Object.assign(context.req, { body: await json(context.req) })
      listener(message, context.res)
    })
    expect(await (await put(await listening(parsed.callback()))).json()).toEqual({ name: 'bolt', count: 7 })
    const base = await listening(express().use(express.urlencoded(), listener))
    const form = await put(base, { headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    expect([form.status, await form.text()]).toEqual([
      500,
      'the body was already read: mount this handler before body parsers',
    ])
  })

  const readers: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
    Hono: new Hono()
      .use(async ({ req }, next) => {
        await req.json()
        await next()
      })
      .all('*', ({ req }) => service.fetch(req.raw)).fetch,
    h3: new H3().use(async ({ req }) => void (await req.json())).all('/**', ({ req }) => service.fetch(req))
      .fetch,
    Elysia: new Elysia().all('/*', ({ request, body }) => body && service.fetch(request)).fetch,
  }
  it.each(Object.entries(readers))(
    'from the Request of %s is refused with what to do',
    async (_name, app) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await app(
        new Request('http://app.test/v1/shelf/bolt', { method: 'POST', body: '{"count":7}', headers }),
      )
      expect([answer.status, await answer.text()]).toEqual([
        500,
        'the body was already read: mount this handler before body parsers',
      ])
    },
  )

  it('is taken over by handlers of your own, too', async () => {
    const own = toNodeListener(async (request) => Response.json({ echo: await request.json() }))
    const base = await listening(express().use(express.json(), own))
    expect(await (await put(base)).json()).toEqual({ echo: { count: 7 } })
  })
})
