import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Elysia } from 'elysia'
import express from 'express'
import express4 from 'express-4'
import fastify from 'fastify'
import { H3, toNodeHandler } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
import { onTestFinished } from 'vitest'
import {
  type FetchHandler,
  fastifyPlinth,
  type Listening,
  type NodeListener,
  type ServeOptions,
  serve,
  toNodeListener,
} from '../../../src/http/node/index.ts'

/** A server of one's own, with a listener that is told the same as `serve`, and what a framework puts around it. */
const ownServer =
  (around: (listener: NodeListener) => RequestListener = (listener) => listener): Start =>
  async ({ fetch, tls, ...options }) => {
    const listener = around(toNodeListener(fetch, options))
    const server = tls ? createSecureServer(tls, listener) : createServer(listener)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return {
      port,
      url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
      replaceTls: (next) => {
        if (tls) (server as ReturnType<typeof createSecureServer>).setSecureContext(next)
      },
      close: async () => {
        const closed = once(server, 'close')
        server.close()
        server.closeAllConnections()
        await closed
      },
    }
  }

const fastifyApp: Start = async ({ fetch, onError }) => {
  const app = fastify({ forceCloseConnections: true })
  app.register(fastifyPlinth, { fetch, onError })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { port, url, replaceTls: () => {}, close: () => app.close() }
}

class AppModule {}
Module({})(AppModule)

const nestApp: Start = async ({ fetch, ...options }) => {
  const app = await NestFactory.create(AppModule, { logger: false, forceCloseConnections: true })
  app.use(toNodeListener(fetch, options))
  await app.listen(0, '127.0.0.1')
  const { port } = app.getHttpServer().address() as AddressInfo
  return { port, url: await app.getUrl(), replaceTls: () => {}, close: () => app.close() }
}

/** An app that is a fetch handler itself, which `serve` serves. */
const served =
  (
    around: (fetch: FetchHandler) => { readonly fetch: (request: Request) => Response | Promise<Response> },
  ): Start =>
  ({ fetch, ...options }) => {
    const app = around(fetch)
    return serve({ ...options, fetch: (request) => app.fetch(request) })
  }
const h3App = (fetch: FetchHandler) => new H3().all('/**', ({ req }) => fetch(req))

/** Starts to serve a handler. */
export type Start = (options: ServeOptions) => Promise<Listening>

/** Starts handlers for the time of a test, and keeps what they complain of. */
export const upWith =
  (start: Start, usual: Partial<ServeOptions> = {}) =>
  async (fetch: FetchHandler, options: Partial<ServeOptions> = {}) => {
    const errors: unknown[] = []
    const listening = await start({ fetch, onError: (error) => errors.push(error), ...usual, ...options })
    onTestFinished(() => listening.close({ drainMs: 0 }))
    return { ...listening, errors }
  }

/** The two ways to have a handler served: what clients see of either is the same. */
export const servers: readonly [name: string, start: Start][] = [
  ['serve', serve],
  ["a listener behind a server of one's own", ownServer()],
]

/** The same below frameworks, which hold requests and answers of their own. */
export const frameworks: readonly [name: string, start: Start][] = [
  ['Express 5', ownServer((listener) => express().use(listener))],
  ['Express 4', ownServer((listener) => express4().use(listener))],
  [
    'Koa',
    ownServer((listener) =>
      Object.assign(new Koa(), { silent: true })
        .use((context) => {
          context.respond = false
          listener(context.req, context.res)
        })
        .callback(),
    ),
  ],
  ['Fastify', fastifyApp],
  ['Nest', nestApp],
  ['Hono', served((fetch) => new Hono().all('*', ({ req }) => fetch(req.raw)))],
  ['h3', served(h3App)],
  [
    "h3 behind a server of one's own",
    (options) => ownServer(() => toNodeHandler(h3App(options.fetch)))(options),
  ],
  ['Elysia', served((fetch) => new Elysia().all('/*', ({ request }) => fetch(request), { parse: 'none' }))],
]
