import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { type LocalStore, memoryBlobs, memoryStore, StoreError } from '../../src/store/index.ts'

/** A store that from some moment on keeps what it is given, but loses each answer. */
function forgetful() {
  const store = memoryStore()
  let forgets = false
  const wrapped: LocalStore = {
    ...store,
    commit: async (batch) => {
      const verdicts = await store.commit(batch)
      if (forgets) throw new StoreError('unknown', 'the database at db.internal went away while committing')
      return verdicts
    },
  }
  return {
    store: wrapped,
    forget: () => {
      forgets = true
    },
  }
}

const services = {
  secrets: async () => {
    const { store, forget } = forgetful()
    const { service, rootToken } = await devSecrets({ store })
    forget()
    const headers = { 'x-secrets-token': rootToken }
    const body = JSON.stringify({ data: { a: 1 } })
    return service.fetch(new Request('http://s.test/v1/secret/data/x', { method: 'POST', headers, body }))
  },
  scheduler: async () => {
    const { store, forget } = forgetful()
    const { fetch } = createScheduler({ store })
    forget()
    const body = JSON.stringify({ Name: 'gpu' })
    return fetch(new Request('http://s.test/v1/node/pools', { method: 'PUT', body }))
  },
  catalog: async () => {
    const { store, forget } = forgetful()
    const catalog = createCatalog({ store, blobs: memoryBlobs(nodeHashing) })
    unwrap(await catalog.putUser({ username: 'alice' }))
    const { token } = unwrap(await catalog.createToken('alice'))
    forget()
    const headers = { authorization: `Bearer ${token}` }
    const body = JSON.stringify({ box: { name: 'tiny' } })
    return catalog.fetch(new Request('http://s.test/api/v2/boxes', { method: 'POST', headers, body }))
  },
}

describe('a change whose outcome the store lost', () => {
  it.each(['secrets', 'scheduler', 'catalog'] as const)(
    'is 503 in the %s, which says that it may have taken effect and does not ask for a retry',
    async (name) => {
      const answer = await services[name]()
      const text = await answer.text()
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, null])
      expect(text).toContain('it may have taken effect, check before you retry (reference ')
      expect(text).not.toContain('db.internal')
    },
  )
})
