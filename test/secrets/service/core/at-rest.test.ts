import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../../src/kernel/index.ts'
import { nextMacrotask } from '../../../../src/kernel/next-macrotask.ts'
import { createSecrets, devSecrets } from '../../../../src/secrets/index.ts'
import { memoryStore, type Store } from '../../../../src/store/index.ts'
import { asking, client } from '../client.ts'

/** Everything a store holds, as text. */
const contents = (store: ReturnType<typeof memoryStore>): string =>
  JSON.stringify(store.snapshot().scan({ prefix: '' }))

describe('stored data', () => {
  it('holds no secret, no note, no token and no policy in clear', async () => {
    const store = memoryStore()
    const { ask, service, rootToken } = await client({ store, rootToken: 'root-token-text' })
    await ask('POST', '/v1/secret/data/app', { data: { password: 'hunter2' } })
    await ask('POST', '/v1/secret/metadata/app', { custom_metadata: { owner: 'ada-lovelace' } })
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
    await ask('POST', '/v1/plain/x', { password: 'hunter3' })
    await ask('POST', '/v1/sys/policies/acl/secretive', {
      policy: 'path "hidden/*" { capabilities = ["read"] }',
    })
    const made = await service.tokens.create({ policies: ['secretive'], meta: { team: 'enigma' } })
    const text = contents(store)
    for (const word of ['hunter2', 'hunter3', 'ada-lovelace', rootToken, 'hidden', 'enigma'])
      expect(text).not.toContain(word)
    expect(made.ok && text.includes(made.value.token)).toBe(false)
  })

  it('comes back after a restart, with the same keys and tokens', async () => {
    const store = memoryStore()
    const first = await devSecrets({ store })
    await first.service.kv().write('app', { a: 1 })
    const child = await first.service.tokens.create({ policies: ['root'] })
    await first.service.close()
    const again = await devSecrets({ store, rootToken: first.rootToken, unsealKeys: first.unsealKeys })
    expect((await again.service.kv().read('app')).ok).toBe(true)
    for (const token of [first.rootToken, child.ok ? child.value.token : ''])
      expect((await asking(again.service, token)('GET', '/v1/secret/data/app')).status).toBe(200)
    await expect(devSecrets({ store, rootToken: 'x', unsealKeys: ['00'.repeat(32)] })).rejects.toThrow(
      /do not fit/,
    )
    await expect(devSecrets({ store })).rejects.toThrow(/already initialised/)
    await expect(devSecrets({ store, rootToken: 'not-it', unsealKeys: first.unsealKeys })).rejects.toThrow(
      /root token is not one of this store/,
    )
  })

  it('is not mixed up with what another service keeps', async () => {
    const one = await devSecrets()
    const two = await devSecrets()
    await one.service.kv().write('app', { a: 1 })
    expect(await two.service.kv().read('app')).toMatchObject({ value: { kind: 'absent' } })
    expect((await asking(two.service, one.rootToken)('GET', '/v1/sys/mounts')).status).toBe(403)
  })
})

describe('sealing', () => {
  it('closes everything immediately, typed methods too, and opens again with the same data', async () => {
    const { ask, service, unsealKeys } = await client()
    await ask('POST', '/v1/secret/data/app', { data: { a: 1 } })
    await ask('GET', '/v1/secret/data/app')
    expect((await ask('PUT', '/v1/sys/seal')).status).toBe(204)
    expect(await ask('GET', '/v1/secret/data/app')).toMatchObject({
      status: 503,
      body: { errors: ['Secrets is sealed'] },
    })
    for (const result of [
      await service.kv().read('app'),
      await service.kv().write('app', {}),
      await service.kv1('plain').list(),
      await service.mounts.list(),
      await service.policies.read('default'),
      await service.tokens.create({ policies: ['default'] }),
    ])
      expect(result).toMatchObject({ ok: false, refusal: { code: 'sealed', message: 'Secrets is sealed' } })
    for (const key of unsealKeys) await service.seal.unseal(key)
    expect((await ask('GET', '/v1/secret/data/app')).body.data.data).toEqual({ a: 1 })
  })

  it('loses no write that was answered, and fails no request in an unforeseen way', async () => {
    const { ask, service, unsealKeys, errors } = await client()
    const writes = Array.from({ length: 30 }, (_, n) => ask('POST', `/v1/secret/data/k${n}`, { data: { n } }))
    const sealed = service.seal.seal()
    const answers = await Promise.all(writes)
    await sealed
    for (const key of unsealKeys) await service.seal.unseal(key)
    for (const [n, { status }] of answers.entries()) {
      expect([200, 503]).toContain(status)
      const read = await ask('GET', `/v1/secret/data/k${n}`)
      if (status === 200) expect(read.body.data.data).toEqual({ n })
    }
    expect(errors).toEqual([])
  })

  it('refuses what it was sealed over, on a store that takes its time, over HTTP and in typed methods', async () => {
    const { head, read, commit, changes, import: fill, close } = memoryStore()
    const turn = () => new Promise(setImmediate)
    const far: Store = {
      head,
      read: async (work) => turn().then(() => read(work)),
      commit: async (batch) => turn().then(() => commit(batch)),
      changes: async (since) => turn().then(() => changes(since)),
      import: fill,
      close,
    }
    const { ask, service, unsealKeys, errors } = await client({ store: far })
    const answers = []
    const typed = []
    for (let n = 0; n < 40; n += 1) {
      answers.push(
        ask('POST', `/v1/secret/data/k${n % 3}`, { data: { n } }),
        ask('LIST', '/v1/secret/metadata'),
        ask('POST', '/v1/auth/token/create', { num_uses: 1 }),
      )
      typed.push(service.kv().write(`t${n}`, { n }), service.tokens.create({ policies: ['a'] }))
      if (n === 20) typed.push(service.seal.seal().then(() => ({ ok: true as const, value: undefined })))
      await turn()
    }
    const statuses = new Set((await Promise.all(answers)).map(({ status }) => status))
    expect([...statuses].filter((status) => ![200, 404].includes(status))).toEqual([503])
    const codes = (await Promise.all(typed)).flatMap((answer) => (answer.ok ? [] : [answer.refusal.code]))
    expect(new Set(codes)).toEqual(new Set(['sealed']))
    expect(errors).toEqual([])
    for (const key of unsealKeys) await service.seal.unseal(key)
    expect((await ask('GET', '/v1/secret/data/t0')).status).toBe(200)
  })

  it('is initialised and unsealed in the words of every other answer', async () => {
    const service = createSecrets()
    const { unsealKeys, rootToken } = unwrap(await service.seal.initialize({ shares: 3, threshold: 2 }))
    const opened: boolean[] = []
    for (const key of unsealKeys) opened.push(unwrap(await service.seal.unseal(key)).opened)
    expect(opened).toEqual([false, true, true])
    expect(unwrap(await service.tokens.lookup({ token: rootToken }))?.policies).toEqual(['root'])
    const again = await service.seal.initialize({ shares: 1, threshold: 1 })
    expect(() => unwrap(again)).toThrow('Secrets is already initialized')
    await service.close()
  })

  it('is initialised by one of several concurrent callers', async () => {
    const store = memoryStore()
    const made = await Promise.all(
      Array.from({ length: 4 }, () => createSecrets({ store }).seal.initialize({ shares: 1, threshold: 1 })),
    )
    expect(made.filter(({ ok }) => ok)).toHaveLength(1)
    for (const outcome of made) if (!outcome.ok) expect(outcome.refusal.code).toBe('already_initialized')
  })
})

describe('an upgrade to version 2', () => {
  it('lets others have their turn between its batches', async () => {
    const store = memoryStore()
    const { ask, service } = await client({ store })
    await ask('POST', '/v1/sys/mounts/old', { type: 'kv' })
    for (let n = 0; n < 100; n += 1) await service.kv1('old').write(`k${n}`, { n })
    const left: number[] = []
    const watch = (): void => {
      left.push(store.snapshot().scan({ prefix: 'kv1\u0001' }).length)
      if (left.at(-1) !== 0) setImmediate(watch)
    }
    watch()
    await ask('POST', '/v1/sys/mounts/old/tune', { options: { version: '2' } })
    expect(left.filter((count) => count > 0 && count < 100).length).toBeGreaterThan(3)
  })
  it('that is interrupted resumes when the service is unsealed, and loses nothing', async () => {
    const store = memoryStore()
    const left = () => store.snapshot().scan({ prefix: 'kv1\u0001' }).length
    const { ask, service, unsealKeys } = await client({ store })
    await ask('POST', '/v1/sys/mounts/old', { type: 'kv' })
    for (let n = 0; n < 100; n += 1) await service.kv1('old').write(`k${n}`, { n })
    const tuning = ask('POST', '/v1/sys/mounts/old/tune', { options: { version: '2' } })
    while (left() > 60) await nextMacrotask()
    await service.seal.seal()
    await tuning
    expect(left()).toBeGreaterThan(0)
    for (const key of unsealKeys) await service.seal.unseal(key)
    expect((await ask('LIST', '/v1/old/metadata')).body.data.keys).toHaveLength(100)
    for (let n = 0; n < 100; n += 1)
      expect((await ask('GET', `/v1/old/data/k${n}`)).body.data.data).toEqual({ n })
  })
})

describe('events', () => {
  it('say what happened and where, never what a secret is', async () => {
    const events: unknown[] = []
    const { ask, service } = await client({ onEvent: (event) => events.push(event) })
    await ask('POST', '/v1/secret/data/app', { data: { password: 'hunter2' } })
    await ask('DELETE', '/v1/secret/data/app')
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
    const made = await service.tokens.create({ policies: ['default'] })
    await service.seal.seal()
    expect(events).toMatchObject([
      { type: 'seal.initialized' },
      { type: 'seal.unsealed' },
      { type: 'kv.written', mount: 'secret/', path: 'app', version: 1, namespace: '' },
      { type: 'kv.deleted', versions: [1] },
      { type: 'mount.enabled', path: 'plain/', mountType: 'kv' },
      { type: 'token.created', policies: ['default'] },
      { type: 'seal.sealed' },
    ])
    expect(JSON.stringify(events)).not.toContain('hunter2')
    expect(made.ok && JSON.stringify(events).includes(made.value.token)).toBe(false)
  })
})

describe('sweeping', () => {
  it('takes the data of pruned versions and removed secrets, and what expired tokens left', async () => {
    const store = memoryStore()
    const { service, clock } = await client({ store })
    const size = () => store.snapshot().scan({ prefix: '' }).length
    const before = size()
    await service.kv().configure({ maxVersions: 70 })
    for (let n = 0; n < 70; n += 1) await service.kv().write('app', { n })
    await service.kv().remove('app')
    await service.kv().configure({ maxVersions: 0 })
    const parent = await service.tokens.create({ policies: ['root'], ttlSeconds: 60 })
    const ask = asking(service, parent.ok ? parent.value.token : '')
    for (let n = 0; n < 25; n += 1) await ask('POST', '/v1/auth/token/create', { policies: ['default'] })
    expect(size()).toBeGreaterThan(before + 100)
    await clock.advance(61_000)
    await service.sweep()
    // What is left beyond the beginning: the mount's settings.
    expect(size()).toBe(before + 1)
    expect(await service.tokens.accessors()).toMatchObject({ ok: true, value: { length: 1 } })
  })

  it('happens by itself when the time has come', async () => {
    const store = memoryStore()
    const { service, clock } = await client({ store })
    await service.tokens.create({ policies: ['default'], ttlSeconds: 3600 })
    const tokens = () => store.snapshot().scan({ prefix: 'token\u0001' }).length
    const turns = async () => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    }
    await clock.advance(2000)
    await turns()
    expect(tokens()).toBe(2)
    await clock.advance(3_600_000)
    await turns()
    expect(tokens()).toBe(1)
  })
})
