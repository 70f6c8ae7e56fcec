// A box catalog and a module registry beside the routes of an Express app.
import express from 'express'
import { createCatalog } from 'plinth/catalog'
import { nodeHashing, toNodeListener } from 'plinth/node'
import { createRegistry } from 'plinth/registry'
import { memoryBlobs, memoryStore } from 'plinth/store'

export function createApp() {
  const catalog = createCatalog({ store: memoryStore(), blobs: memoryBlobs(nodeHashing) })
  const registry = createRegistry({ store: memoryStore(), blobs: memoryBlobs(nodeHashing) })
  const app = express()
  app.use(['/v1', '/.well-known'], toNodeListener(registry.fetch))
  app.use('/boxes', toNodeListener(catalog.fetch))
  // Body parsers come after the services, which read bodies themselves.
  app.use(express.json())
  app.post('/echo', (request, response) => response.json(request.body))
  const close = () => Promise.all([catalog.close(), registry.close()])
  return { app, catalog, registry, close }
}
