// A module registry in an Elysia app; on Bun, `app.listen(3000)` serves it.
import { Elysia } from 'elysia'
import { serve } from 'plinth/node'
import { createRegistry } from 'plinth/registry'

export const registry = createRegistry()
const app = new Elysia()
  .all('/v1/*', ({ request }) => registry.fetch(request), { parse: 'none' })
  .get('/', () => 'my app')

export const server = await serve({ fetch: (request) => app.fetch(request), port: 0 })
