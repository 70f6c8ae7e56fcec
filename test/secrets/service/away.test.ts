import { expect, it } from 'vitest'
import { isStoreError, memoryStore, type Store, StoreError } from '../../../src/store/index.ts'
import { type Answer, asking, client } from './client.ts'

it('a store that its owner closed is unavailable, and nothing is called sealed', async () => {
  const store = memoryStore()
  const { ask, service, errors } = await client({ store })
  await ask('POST', '/v1/secret/data/x', { data: {} })
  await store.close()
  for (const [method, path, body] of [
    ['POST', '/v1/secret/data/x', { data: {} }],
    ['POST', '/v1/sys/policies/acl/a', { policy: 'path "x" {}' }],
  ] as const) {
    const { status, body: said } = await ask(method, path, body)
    expect([status, said.errors[0]]).toEqual([503, expect.stringMatching(/^closed: /)])
  }
  await expect(service.kv().write('x', {})).rejects.toSatisfy((error) => isStoreError(error, 'closed'))
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.every((error) => isStoreError(error, 'closed'))).toBe(true)
})

it('a store that is closed under a sealed service is unavailable too, once anything looks at it', async () => {
  const store = memoryStore()
  const { ask, service } = await client({ store })
  await service.seal.seal()
  expect((await ask('GET', '/v1/secret/data/x')).body.errors).toEqual(['Secrets is sealed'])
  await store.close()
  for (const path of ['sys/seal-status', 'sys/health', 'sys/init', 'secret/data/x']) {
    const { status, body } = await ask('GET', `/v1/${path}`)
    expect([path, status, body.errors[0]]).toEqual([path, 503, expect.stringMatching(/^closed: /)])
  }
  await expect(service.kv().read('x')).rejects.toSatisfy((error) => isStoreError(error, 'closed'))
})

it('the page of a service whose store was closed still answers, and pages of other origins get 503', async () => {
  const store = memoryStore()
  const { ask, service } = await client({ store })
  await ask('PUT', '/v1/sys/config/cors', { enabled: true, allowed_origins: ['https://a.example'] })
  await store.close()
  for (const [path, status] of [
    ['/ui/', 200],
    ['/v1/secret/data/x', 503],
  ] as const) {
    const asked = new Request(`http://localhost${path}`, { headers: { origin: 'https://a.example' } })
    expect((await service.fetch(asked)).status).toBe(status)
  }
})

it('a service that was closed cannot be unsealed, and does nothing by itself any more', async () => {
  const { ask, clock, service, unsealKeys, errors } = await client()
  await ask('POST', '/v1/auth/token/create', { ttl: 60 })
  await service.close()
  for (const key of unsealKeys)
    await expect(service.seal.unseal(key)).rejects.toSatisfy((error) => isStoreError(error, 'closed'))
  await clock.advance(3_600_000)
  expect(errors).toEqual([])
})

it('the last request of a token is answered, and audited once, though the store cannot drop its record', async () => {
  const inner = memoryStore()
  let away = false
  const commit: Store['commit'] = async (batch) => {
    if (away) throw new StoreError('unreachable', 'away')
    // The use is counted, and then the token is gone.
    away = asked
    return inner.commit(batch)
  }
  let asked = false
  const statuses: number[] = []
  const { ask, service, errors } = await client({
    store: { ...inner, commit },
    onRequest: ({ status }) => statuses.push(status),
  })
  await ask('POST', '/v1/auth/token/create', { id: 'once', num_uses: 1, policies: ['default'] })
  statuses.length = 0
  asked = true
  const once = asking(service, 'once')
  expect((await once('GET', '/v1/auth/token/lookup-self')).status).toBe(200)
  expect(statuses).toEqual([200])
  expect(errors).toHaveLength(1)
  away = asked = false
  expect((await once('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
})

it('a sealed service says so when it is asked for the verbs of a path', async () => {
  const { ask, service } = await client()
  const options = asking(service, undefined)
  await ask('PUT', '/v1/sys/seal')
  for (const path of ['/v1/secret/data/x', '/v1/sys/mounts', '/v1/nothing/here'])
    expect((await options('OPTIONS', path)).status).toBe(503)
  expect((await options('OPTIONS', '/v1/sys/unseal')).headers.get('allow')).toContain('POST')
})

/** A store that lets something happen right before the next read, or the next commit. */
function interruptible() {
  const inner = memoryStore()
  let meanwhile: (() => Promise<unknown>) | undefined
  const first = async () => {
    const happens = meanwhile
    meanwhile = undefined
    await happens?.()
  }
  const read: Store['read'] = async (fn) => {
    await first()
    return inner.read(fn)
  }
  const commit: Store['commit'] = async (batch) => {
    await first()
    return inner.commit(batch)
  }
  const during = (work: () => Promise<Answer>, happens: () => Promise<unknown>) => {
    meanwhile = happens
    return work()
  }
  return { store: { ...inner, read, commit }, during }
}

it.each([
  ['read', 'GET', undefined],
  ['written', 'POST', { a: 2 }],
  ['deleted', 'DELETE', undefined],
] as const)(
  'a secret that is %s while its mount is rewritten for versions is not taken for missing, or lost',
  async (_, method, body) => {
    const { store, during } = interruptible()
    const { ask, service } = await client({ store })
    await ask('POST', '/v1/sys/mounts/old', { type: 'kv' })
    await ask('POST', '/v1/old/x', { a: 1 })
    const answer = await during(
      () => ask(method, '/v1/old/x', body),
      () => ask('POST', '/v1/sys/mounts/old/tune', { options: { version: '2' } }),
    )
    expect([answer.status, answer.body.errors[0]]).toEqual([404, expect.stringMatching(/upgraded meanwhile/)])
    const found = await service.kv('old').read('x')
    expect(found.ok && found.value.kind === 'live' && found.value.data).toEqual({ a: 1 })
  },
)

it('what a seal interrupts was sealed, also where the service is open again by then', async () => {
  const { head, read, commit, changes, import: fill, close } = memoryStore()
  let wait: Promise<void> | undefined
  const remote: Store = {
    head,
    read,
    commit: async (batch) => {
      const verdicts = await commit(batch)
      await wait
      return verdicts
    },
    changes,
    import: fill,
    close,
  }
  const { ask, service, unsealKeys, errors } = await client({ store: remote })
  await ask('POST', '/v1/secret/data/x', { data: {} })
  await ask('DELETE', '/v1/sys/mounts/secret')
  let go = () => {}
  wait = new Promise((resolve) => {
    go = resolve
  })
  const written = ask('POST', '/v1/auth/token/create', {})
  const swept = service.sweep()
  await new Promise((resolve) => setTimeout(resolve, 20))
  wait = undefined
  await service.seal.seal()
  for (const key of unsealKeys) await service.seal.unseal(key)
  go()
  expect([200, 503]).toContain((await written).status)
  await swept
  expect(errors).toEqual([])
  await service.close()
})

it('unauthenticated callers do not learn that a mount is being rewritten', async () => {
  const { ask, service } = await client()
  await ask('POST', '/v1/sys/mounts/old', { type: 'kv' })
  // Rewritten a few at a time, so that requests come in between.
  for (let n = 0; n < 100; n += 1) await ask('POST', `/v1/old/x${n || ''}`, { a: 1 })
  const anonymous = asking(service, undefined)
  const upgrading = ask('POST', '/v1/sys/mounts/old/tune', { options: { version: '2' } })
  const answers: (readonly [number, number])[] = []
  for (let n = 0; n < 20; n += 1)
    answers.push([(await anonymous('GET', '/v1/old/x')).status, (await ask('GET', '/v1/old/x')).status])
  await upgrading
  expect(answers.some(([, status]) => status === 400)).toBe(true)
  expect(answers.every(([status]) => status === 403)).toBe(true)
})
