// A module registry beside the routes of a Koa app.
import { createServer } from 'node:http'
import Koa from 'koa'
import { prepareServer, toNodeListener } from 'plinth/node'
import { createRegistry } from 'plinth/registry'

export const registry = createRegistry()
const listener = toNodeListener(registry.fetch)
const app = new Koa()
app.use((context, next) => {
  if (!context.path.startsWith('/v1/')) return next()
  context.respond = false // the listener answers
  listener(context.req, context.res)
})
app.use((context) => {
  context.body = 'my app'
})

export const server = prepareServer(createServer(app.callback())).listen(0)
