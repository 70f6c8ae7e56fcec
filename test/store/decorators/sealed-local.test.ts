import { describe, expect, it, test } from 'vitest'
import { nodeCrypto } from '../../../src/crypto/index.ts'
import { newKeyring } from '../../../src/secrets/seal/keyring.ts'
import { sealedLocal } from '../../../src/store/decorators/sealed-local.ts'
import {
  keyOf,
  memoryStore,
  replica,
  type StoreError,
  sealed,
  storeConformance,
} from '../../../src/store/index.ts'

const ring = () => newKeyring(nodeCrypto(), 0)
const secret = 'the launch code is 0000'
const a = keyOf('kv', 'a')
const b = keyOf('kv', 'b')

describe('a sealed store of this process', () => {
  storeConformance(async () => sealedLocal(memoryStore(), ring(), ['']), { test, sequences: 20 })
})
describe('a sealed store of this process that remembers nothing', () => {
  storeConformance(async () => sealedLocal(memoryStore(), ring(), []), { test, sequences: 20 })
})

describe('the barrier over a store of this process', () => {
  it('shows snapshots in the clear, and keeps nothing in the clear below', async () => {
    const base = memoryStore()
    const store = sealedLocal(base, ring(), [''])
    await store.commit([{ id: '1', put: [{ key: a, value: { secret } }] }])
    const early = store.snapshot()
    await store.commit([{ id: '2', put: [{ key: a, value: { secret: 'changed' } }] }])
    expect(early.get(a)?.value).toEqual({ secret })
    expect(store.snapshot().get(a)?.value).toEqual({ secret: 'changed' })
    expect(JSON.stringify(base.snapshot().scan({ prefix: '' }))).not.toMatch(/launch|changed/)
  })

  it('refuses a gigabyte of values, which it could not seal', async () => {
    const store = sealedLocal(memoryStore(), ring(), [''])
    const value = 'x'.repeat(16 * 1024 * 1024)
    const put = Array.from({ length: 60 }, (_, at) => ({ key: keyOf('kv', at), value }))
    await expect(store.commit([{ id: '1', put }])).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('the values of a commit have at most'),
    })
  })

  it('answers a commit that was under way when it was closed', async () => {
    const store = sealedLocal(memoryStore(), ring(), [''])
    const answer = store.commit([{ id: '1', put: [{ key: a, value: { secret } }] }])
    await store.close()
    expect(await answer).toEqual([{ ok: true, rev: 1 }])
  })

  it('seals what is put together as one text, which opens for each of its keys and for no other', async () => {
    const base = memoryStore()
    const keys = ring()
    const put = [
      { key: a, value: { secret } },
      { key: b, value: { also: secret } },
    ]
    await sealedLocal(base, keys, []).commit([{ id: '1', put }])
    const [first, second] = [a, b].map((key) => base.snapshot().get(key)?.value) as [unknown, unknown][]
    expect(first?.[1]).toBe(second?.[1])
    for (const store of [sealedLocal(base, keys, []), sealed(base, keys)])
      expect((await store.read((view) => view.get([a, b]))).map((entry) => entry?.value)).toEqual(
        put.map(({ value }) => value),
      )
    const kept = base.snapshot().get(a)?.value ?? null
    await base.commit([{ id: '2', put: [{ key: keyOf('kv', 'moved'), value: kept }] }])
    const moved = sealed(base, keys).read((view) => view.get([keyOf('kv', 'moved')]))
    await expect(moved).rejects.toMatchObject({ code: 'corrupt' } satisfies Partial<StoreError>)
    const elsewhere = sealed(base, keys, { realm: 'other' }).read((view) => view.get([a]))
    await expect(elsewhere).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('seals long values apart, and gives runs of values in key order', async () => {
    const base = memoryStore()
    const store = sealedLocal(base, ring(), [''])
    const long = 'x'.repeat(20_000)
    await store.commit([{ id: '1', put: [a, b].map((key) => ({ key, value: long })) }])
    expect(typeof base.snapshot().get(a)?.value).toBe('string')
    for (let at = 0; at < 300; at += 1)
      await store.commit([{ id: `n${at}`, put: [{ key: keyOf('n', at), value: at }] }])
    const runs = [...store.snapshot().chunks('n\u0001')]
    expect(runs.map((run) => run.length)).toEqual([256, 44])
    expect(runs.flat()).toEqual(Array.from({ length: 300 }, (_, at) => at))
    expect([...store.snapshot().chunks('n\u0001', keyOf('n', 298))].flat()).toEqual([298, 299])
  })

  it('serves a replica without following anything', async () => {
    const store = sealedLocal(memoryStore(), ring(), ['kv'])
    const view = await replica(store, ['kv'])
    await store.commit([{ id: '1', put: [{ key: a, value: { secret } }] }])
    expect(view.stale().get(a)?.value).toEqual({ secret })
    await view.close()
  })
})
