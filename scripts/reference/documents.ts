import { createCatalog } from '../../src/catalog/index.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets } from '../../src/secrets/index.ts'
import { memoryBlobs, memoryStore } from '../../src/store/index.ts'
import type { Document } from './document.ts'

/** The OpenAPI document of every service, by its name, with every optional part on. */
export async function openApiDocuments(): Promise<Readonly<Record<string, Document>>> {
  const services = {
    secrets: createSecrets(),
    scheduler: createScheduler({ store: memoryStore(), acl: true }),
    gateway: createGateway(),
    catalog: createCatalog({ store: memoryStore(), blobs: memoryBlobs(nodeHashing) }),
    registry: createRegistry({
      store: memoryStore(),
      blobs: memoryBlobs(nodeHashing),
      publishers: () => undefined,
      login: { client: 'cli', authz: '/authorize', token: '/token' },
    }),
  }
  const documents = Object.entries(services).map(
    ([name, service]) => [name, JSON.parse(JSON.stringify(service.openapi()))] as const,
  )
  await Promise.all(Object.values(services).map((service) => service.close()))
  return Object.fromEntries(documents)
}
