// A module registry beside the routes of a plain server.
import { createServer } from 'node:http'
import { prepareServer, toNodeListener } from 'plinth/node'
import { createRegistry } from 'plinth/registry'

export const registry = createRegistry()
const listener = toNodeListener(registry.fetch)

export const server = prepareServer(
  createServer((request, response) =>
    request.url.startsWith('/v1/') ? listener(request, response) : response.end('my app'),
  ),
).listen(0)
