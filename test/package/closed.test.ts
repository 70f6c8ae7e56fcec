import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets } from '../../src/secrets/index.ts'

const kinds = {
  catalog: () => {
    const service = createCatalog()
    return { service, path: '/api/v2/search', call: () => service.search() }
  },
  registry: () => {
    const service = createRegistry()
    return { service, path: '/v1/modules', call: () => service.list({ offset: 0, limit: 1 }) }
  },
  scheduler: () => {
    const service = createScheduler()
    return { service, path: '/v1/jobs', call: () => service.listJobs() }
  },
  secrets: () => {
    const service = createSecrets()
    return { service, path: '/v1/sys/seal-status', call: () => service.kv().read('x') }
  },
}

describe('a service that was closed', () => {
  it.each(Object.entries(kinds))(
    '(%s) answers 503, and its methods reject, used before or not',
    async (_name, make) => {
      for (const used of [true, false]) {
        const { service, path, call } = make()
        const ask = () => service.fetch(new Request(`http://localhost${path}`))
        if (used) expect((await ask()).status).toBe(200)
        await service.close()
        expect((await ask()).status).toBe(503)
        await expect(call()).rejects.toMatchObject({ code: 'closed' })
        await service.close()
      }
    },
  )
})
