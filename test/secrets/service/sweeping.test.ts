import { expect, it } from 'vitest'
import { createSecrets } from '../../../src/secrets/index.ts'
import { debris } from '../../../src/secrets/service/core/records.ts'
import { versionData } from '../../../src/secrets/service/kv/records.ts'
import { tokenExpiries } from '../../../src/secrets/service/tokens/records.ts'
import { memoryStore, type Store, StoreError } from '../../../src/store/index.ts'
import { client } from './client.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** A store that can be away, and how many records of a kind it holds. */
function leavable() {
  const kept = memoryStore()
  let away = false
  const store: Store = {
    ...kept,
    commit: async (batch) => {
      if (away) throw new StoreError('unreachable', 'away')
      return kept.commit(batch)
    },
  }
  return {
    store,
    count: ({ prefix }: { readonly prefix: string }) => kept.snapshot().scan({ prefix }).length,
    goesAway: (yes: boolean) => {
      away = yes
    },
  }
}

it('what deleted secrets and expired tokens left is taken away once a store that was away is back', async () => {
  const { store, count, goesAway } = leavable()
  const { ask, clock, errors } = await client({ store })
  await ask('POST', '/v1/sys/mounts/kv', { type: 'kv', options: { version: '2' } })
  await ask('POST', '/v1/kv/data/x', { data: { a: 1 } })
  await ask('POST', '/v1/auth/token/create', { ttl: '10m' })
  await clock.advance(minute)
  await ask('DELETE', '/v1/sys/mounts/kv')
  goesAway(true)
  await clock.advance(20 * minute)
  expect([debris, versionData, tokenExpiries].map(count)).toEqual([1, 1, 1])
  // One a minute, not one for every commit that failed.
  expect(errors.length).toBeLessThanOrEqual(21)
  goesAway(false)
  await clock.advance(2 * minute)
  expect([debris, versionData, tokenExpiries].map(count)).toEqual([0, 0, 0])
})

it('what another server made, and did not live to take away, is taken away by those that are left', async () => {
  const { store, count } = leavable()
  const { ask, clock, service, unsealKeys } = await client({ store })
  // One that has swept once, and has nothing to wait for.
  await clock.advance(minute)
  const left = createSecrets({ store, env: clock.env, timers: clock.timers })
  for (const key of unsealKeys) await left.seal.unseal(key)
  await clock.advance(minute)
  await ask('POST', '/v1/auth/token/create', { ttl: '10m' })
  await service.close()
  await clock.advance(minute)
  expect(count(tokenExpiries)).toBe(1)
  await clock.advance(day)
  expect(count(tokenExpiries)).toBe(0)
  await left.close()
})
