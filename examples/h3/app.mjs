// A module registry in an h3 app; in Nitro the route is the file `routes/v1/[...path].ts`.
import { H3 } from 'h3'
import { serve } from 'plinth/node'
import { createRegistry } from 'plinth/registry'

export const registry = createRegistry()
const app = new H3().all('/v1/**', (event) => registry.fetch(event.req)).get('/', () => 'my app')

export const server = await serve({ fetch: (request) => app.fetch(request), port: 0 })
