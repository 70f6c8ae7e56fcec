import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineService, errorsArray, mount, reply, route } from '../../../src/http/index.ts'
import { toNodeListener } from '../../../src/http/node/index.ts'

/** What a user does: the same handler under two frameworks, none of which the package depends on. */
const service = defineService<null>({
  name: 'echo',
  routes: [
    route<null>()({
      id: 'echo',
      method: 'POST',
      path: '/v1/echo/:name',
      summary: 'Echo',
      body: z.object({ n: z.number() }),
      handle: ({ params, body }) => reply({ name: params.name, n: body.n }),
    }),
  ],
  statusOf: {},
  dialect: errorsArray,
  context: () => null,
  newId: () => 'id',
})

const post = async (url: string) => {
  const answer = await fetch(`${url}/v1/echo/ada`, {
    method: 'POST',
    body: '{"n":7}',
    headers: { 'content-type': 'application/json' },
  })
  return answer.json()
}

describe('a service inside a framework', () => {
  it('runs below a prefix of Express that it does not know', async () => {
    const app = express()
    app.use('/echoes', toNodeListener(mount({ '/echoes': service.fetch })))
    const server = createServer(app).listen(0)
    const { port } = server.address() as AddressInfo
    expect(await post(`http://127.0.0.1:${port}/echoes`)).toEqual({ name: 'ada', n: 7 })
    server.close()
  })

  it('leaves the headers that a middleware set before, and adds to what it varies by and to its cookies', async () => {
    const app = express()
    app.use((_, response, next) => {
      response.setHeader('Access-Control-Allow-Origin', 'https://app.test')
      response.setHeader('Content-Type', 'text/html')
      response.setHeader('Vary', 'Origin')
      response.append('Set-Cookie', 'session=1')
      next()
    })
    app.use('/v1', toNodeListener(service.fetch))
    const headers = new Headers({ 'x-own': 'here', vary: 'Accept-Encoding' })
    for (const name of ['a', 'b']) headers.append('set-cookie', `${name}=1`)
    app.use(
      '/own',
      toNodeListener(() => new Response('', { headers })),
    )
    app.use(
      '/broken',
      toNodeListener(() => Promise.reject(new Error('broken'))),
    )
    const server = createServer(app).listen(0)
    const { port } = server.address() as AddressInfo
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`)
      const [origin, type, vary] = ['access-control-allow-origin', 'content-type', 'vary'].map((name) =>
        answer.headers.get(name),
      )
      return { status: answer.status, origin, type, vary, cookies: answer.headers.getSetCookie() }
    }
    const origin = 'https://app.test'
    const cookies = ['session=1']
    const type = 'application/json'
    expect(await ask('/v1/nothing')).toEqual({ status: 404, origin, type, vary: 'Origin', cookies })
    expect(await ask('/own')).toEqual({
      status: 200,
      origin,
      type: 'text/plain;charset=UTF-8',
      vary: 'Origin, Accept-Encoding',
      cookies: ['session=1', 'a=1', 'b=1'],
    })
    expect(await ask('/broken')).toMatchObject({ status: 500, origin, vary: 'Origin', cookies })
    server.close()
  })

  it('says nothing where a middleware that waits no longer has answered', async () => {
    const errors: unknown[] = []
    const cancelled = new Promise<void>((resolve) => {
      const app = express()
      app.use((_, response, next) => {
        setTimeout(() => response.status(503).end('too late'), 20)
        next()
      })
      const late = () => new Response(new ReadableStream({ cancel: () => resolve() }))
      const handler = () => new Promise<Response>((answer) => setTimeout(() => answer(late()), 60))
      app.use(toNodeListener(handler, { onError: (error) => errors.push(error) }))
      const server = createServer(app).listen(0, async () => {
        const { port } = server.address() as AddressInfo
        const answer = await fetch(`http://127.0.0.1:${port}/`)
        expect([answer.status, await answer.text()]).toEqual([503, 'too late'])
        server.close()
      })
    })
    await cancelled
    expect(errors).toEqual([])
  })

  it('hears of a client that went away while a middleware was busy', async () => {
    const server = createServer()
    const heard = new Promise<boolean>((resolve) => {
      const listener = toNodeListener(async (request) => {
        await request.text().catch(() => '')
        resolve(request.signal.aborted)
        return new Response()
      })
      server.on('request', (message, response) => {
        response.on('close', () => setImmediate(listener, message, response))
        client.destroy()
      })
    })
    const { port } = server.listen(0).address() as AddressInfo
    const client = connect(port, '127.0.0.1')
    client.write('POST / HTTP/1.1\r\nhost: s.test\r\ncontent-length: 7\r\n\r\n')
    expect(await heard).toBe(true)
    server.close()
  })

  it('runs under Hono', async () => {
    const app = new Hono()
    app.all('/v1/*', (context) => service.fetch(context.req.raw))
    const answer = await app.request('/v1/echo/ada', { method: 'POST', body: '{"n":7}' })
    expect(await answer.json()).toEqual({ name: 'ada', n: 7 })
  })

  it('runs below a prefix of Hono that it does not know', async () => {
    const app = new Hono()
    const echoes = mount({ '/echoes': service.fetch })
    app.all('/echoes/*', (context) => echoes(context.req.raw))
    const answer = await app.request('/echoes/v1/echo/ada', { method: 'POST', body: '{"n":7}' })
    expect(await answer.json()).toEqual({ name: 'ada', n: 7 })
  })
})
