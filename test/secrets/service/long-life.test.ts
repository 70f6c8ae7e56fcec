import { expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/crypto/index.ts'
import { createSecrets, devSecrets } from '../../../src/secrets/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { scriptedProvider, testClock } from '../../../src/testing/index.ts'
import { chances } from '../../chances.ts'
import { dying } from '../../store/crashing.ts'
import { asking } from './client.ts'
import { secretsFaults } from './whole.ts'

// A long life of a service, in processes that die in the middle of what they do, one after another.

const crypto = nodeCrypto({ scryptLogN: 4 })
const idpProvider = scriptedProvider({ users: { ada: { password: 'hunter2' } } })
const minute = 60_000

async function live(seed: number, processes: number) {
  const { random, upTo, pick } = chances(seed)
  const clock = testClock({ seed })
  const store = memoryStore()
  const options = { crypto, idpProvider, env: clock.env, timers: clock.timers }
  const first = createSecrets({ ...options, store })
  const made = await first.seal.initialize({ shares: 1, threshold: 1, rootToken: 'root' })
  if (!made.ok) throw new Error(made.refusal.message)
  const { unsealKeys } = made.value
  const mounts = ['kv', 'plain', 'team/kv', 'team/plain']
  const keys = ['a', 'b', 'b/c']
  let made1 = 0

  const act = async (service: typeof first): Promise<unknown> => {
    const ask = asking(service, 'root')
    const [mount, key] = [pick(mounts), pick(keys)]
    const isPlain = mount.endsWith('plain')
    const long = { text: 'x'.repeat(random() < 0.1 ? 3_000_000 : 10) }
    return pick([
      () => ask('POST', '/v1/sys/namespaces/team'),
      () => (random() < 0.3 ? ask('DELETE', '/v1/sys/namespaces/team') : undefined),
      () => {
        const [name, space] = [mount.split('/').at(-1), mount.includes('/') ? 'team/' : '']
        const version = isPlain ? '1' : '2'
        return random() < 0.7
          ? ask('POST', `/v1/${space}sys/mounts/${name}`, { type: 'kv', options: { version } })
          : ask('DELETE', `/v1/${space}sys/mounts/${name}`)
      },
      () => ask('POST', '/v1/sys/mounts/plain/tune', { options: { version: random() < 0.3 ? '2' : '1' } }),
      () => ask('POST', `/v1/${mount}/data/${key}`, { data: long }),
      () => ask('POST', `/v1/${mount}/${key}`, long),
      () => ask('DELETE', isPlain ? `/v1/${mount}/${key}` : `/v1/${mount}/metadata/${key}`),
      () => ask('POST', `/v1/${mount}/destroy/${key}`, { versions: [1, 2, 3] }),
      () => ask('POST', `/v1/${mount}/metadata/${key}`, { max_versions: 1 + upTo(3) }),
      () => ask('POST', `/v1/${mount}/config`, { max_versions: 1 + upTo(5) }),
      () => {
        made1 += 1
        return ask('POST', `/v1/${pick(['', 'team/'])}auth/token/create`, {
          id: `token-${made1}`,
          ttl: pick(['1m', '1h']),
          policies: ['root'],
        })
      },
      () => asking(service, `token-${1 + upTo(made1)}`)('POST', '/v1/auth/token/create', { ttl: '30m' }),
      () => asking(service, `token-${1 + upTo(made1)}`)('POST', '/v1/cubbyhole/mine', { a: 1 }),
      () => ask('POST', '/v1/auth/token/revoke', { token: `token-${1 + upTo(made1)}` }),
      () => ask('POST', '/v1/sys/wrapping/wrap', { a: 1 }, { 'X-Secrets-Wrap-TTL': '5m' }),
      () => ask('POST', '/v1/team/auth/token/roles/r', { period: '60' }),
      () => ask('POST', '/v1/team/sys/policies/acl/p', { policy: 'path "x" { capabilities = ["read"] }' }),
      () => ask(pick(['POST', 'DELETE']), `/v1/${pick(['', 'team/'])}sys/auth/idp`, { type: 'idp' }),
      () => ask('POST', `/v1/${pick(['', 'team/'])}auth/idp/config`, { org_name: 'acme', token_ttl: 600 }),
      () => ask('POST', `/v1/${pick(['', 'team/'])}auth/idp/users/ada`, { token_policies: 'p' }),
      () => asking(service, undefined)('POST', '/v1/auth/idp/login/ada', { password: 'hunter2' }),
      () => ask('PUT', '/v1/sys/rotate'),
    ])()
  }
  await first.close()
  for (let count = 0; count < processes; count += 1) {
    const process = dying(1 + upTo(25))
    const service = createSecrets({ ...options, store: process.store(store) })
    for (const key of unsealKeys) await service.seal.unseal(key).catch(() => undefined)
    for (let acts = 0; acts < 20 && !process.isDead(); acts += 1) {
      await act(service)
      await clock.advance(pick([0, 1000, 10 * minute]))
    }
    await service.close()
  }
  const last = createSecrets({ ...options, store })
  for (const key of unsealKeys) await last.seal.unseal(key)
  await last.sweep()
  await last.close()
  return secretsFaults(store, unsealKeys)
}

it('a namespace is gone with all it held, wherever the process dies that deletes it', async () => {
  for (let steps = 0, isDone = false; !isDone; steps += 1) {
    const store = memoryStore()
    const { service, rootToken, unsealKeys } = await devSecrets({ crypto, store })
    const ask = asking(service, rootToken)
    await ask('POST', '/v1/sys/namespaces/team')
    await ask('POST', '/v1/team/sys/mounts/kv', { type: 'kv', options: { version: '2' } })
    await ask('POST', '/v1/team/kv/data/x', { data: { a: 1 } })
    await ask('POST', '/v1/team/auth/token/roles/r', { period: '60' })
    await ask('POST', '/v1/team/auth/token/create', { policies: ['default'] })
    await service.close()

    const process = dying(steps)
    const dies = createSecrets({ crypto, store: process.store(store) })
    for (const key of unsealKeys) await dies.seal.unseal(key)
    await dies.namespaces.delete('team').catch(() => undefined)
    isDone = !process.isDead()
    await dies.close()

    const next = createSecrets({ crypto, store })
    for (const key of unsealKeys) await next.seal.unseal(key)
    if (steps === 0) await next.namespaces.delete('team')
    await next.sweep()
    expect([steps, (await asking(next, rootToken)('GET', '/v1/team/kv/data/x')).status]).toEqual([steps, 404])
    await next.close()
    expect([steps, await secretsFaults(store, unsealKeys)]).toEqual([steps, []])
  }
})

it.each([1, 2, 3])('after any crash, no unreachable record is left (seed %i)', async (seed) => {
  expect(await live(seed, 30)).toEqual([])
})
