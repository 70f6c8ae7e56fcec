import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets } from '../../src/secrets/index.ts'
import { memoryBlobs, memoryStore } from '../../src/store/index.ts'

const services = {
  secrets: createSecrets(),
  scheduler: createScheduler({ store: memoryStore() }),
  gateway: createGateway(),
  catalog: createCatalog({ store: memoryStore(), blobs: memoryBlobs(nodeHashing) }),
  registry: createRegistry({ store: memoryStore() }),
}

describe('the OpenAPI document of each service', () => {
  it.each(Object.entries(services))(
    '%s: is valid OpenAPI 3.1 and covers every route',
    async (_name, service) => {
      const document = service.openapi()
      const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
      expect(errors ?? []).toEqual([])
      expect(valid).toBe(true)
      const operations = Object.values(document.paths).flatMap((item) => Object.keys(item))
      expect(operations.length).toBeGreaterThanOrEqual(new Set(service.routes.map(({ path }) => path)).size)
      await service.close()
    },
  )
})
