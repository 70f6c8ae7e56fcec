import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import {
  coalesced,
  collection,
  faulty,
  type Keyring,
  keyOf,
  type LocalStore,
  markOf,
  memoryStore,
  replica,
  type Store,
  StoreError,
  sealed,
  storeConformance,
} from '../../../src/store/index.ts'

const remote = ({ head, read, commit, changes, import: load, close }: LocalStore): Store => ({
  head,
  read,
  commit,
  changes,
  import: load,
  close,
})

const ring = (key = randomBytes(32)): Keyring => ({
  seal: (plain, bound) => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound)
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  },
  open: (bytes, bound) => {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(bound)
    decipher.setAuthTag(bytes.subarray(-16))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
    } catch {
      return undefined
    }
  },
})

describe('a sealed store', () => {
  storeConformance(async () => sealed(memoryStore(), ring()), { test, sequences: 20 })
})
describe('a coalesced store', () => {
  storeConformance(async () => coalesced(memoryStore()), { test, sequences: 20 })
})
describe('a coalesced store below a barrier', () => {
  storeConformance(async () => sealed(coalesced(remote(memoryStore())), ring(), { realm: 'r' }), {
    test,
    sequences: 20,
  })
})
describe('a store with delays, repeats and idle wake-ups, all of which the port allows', () => {
  let seed = 0
  const faults = {
    conflict: 0,
    unknownApplied: 0,
    unknownLost: 0,
    compacted: 0,
    repeat: 0,
    delay: 0.5,
    idleWake: 0,
  }
  storeConformance(
    async () => {
      seed += 1
      return faulty(memoryStore(), { seed, faults })
    },
    { test, sequences: 20 },
  )
})

describe('the barrier', () => {
  const put = (id: string, key: string, value: string | object) => ({
    id,
    put: [{ key, value: value as string }],
  })
  const secret = 'the launch code is 0000'

  it('lets no value reach the store in clear, but keys, marks and core/', async () => {
    const base = memoryStore()
    const store = sealed(base, ring())
    await store.commit([
      put('1', keyOf('kv', 'a'), { secret }),
      put('2', 'core/keyring', 'in clear'),
      { id: '3', touch: [markOf('kv')] },
    ])
    const kept = base.snapshot().scan({ prefix: '' })
    expect(JSON.stringify(kept)).not.toContain('launch')
    expect(base.snapshot().get('core/keyring')?.value).toBe('in clear')
    expect((await store.read((view) => view.get([keyOf('kv', 'a')])))[0]?.value).toEqual({ secret })
    expect('snapshot' in store).toBe(false)
  })

  it('refuses a value that was moved to another key or realm, changed, or sealed by another ring', async () => {
    const base = memoryStore()
    const keys = ring()
    await sealed(base, keys, { realm: 'a' }).commit([put('1', 'kv\u0001a', secret)])
    const bytes = String(base.snapshot().get('kv\u0001a')?.value)
    await base.commit([
      put('2', 'kv\u0001moved', bytes),
      put('3', 'kv\u0001cut', bytes.slice(4)),
      put('4', 'kv\u0001text', 'no base64!'),
    ])
    const read = (store: Store, key: string) =>
      store.read((view) => view.get([key])).catch((error: StoreError) => `${error.code} ${error.message}`)
    const store = sealed(base, keys, { realm: 'a' })
    for (const key of ['kv\u0001moved', 'kv\u0001cut', 'kv\u0001text'])
      expect(await read(store, key)).toMatch(/^corrupt the value of "kv\//)
    expect(await read(sealed(base, keys, { realm: 'b' }), 'kv\u0001a')).toMatch(/^corrupt/)
    const other = await read(sealed(base, ring(), { realm: 'a' }), 'kv\u0001a')
    expect(other).toMatch(/^corrupt/)
    expect(other).not.toContain(secret)
  })

  it('shows nothing once its key ring is closed, not even what was just written and read', async () => {
    const keys = ring()
    let isClosed = false
    const closing: Keyring = {
      seal: keys.seal,
      open: (...asked) => (isClosed ? undefined : keys.open(...asked)),
    }
    const store = sealed(memoryStore(), closing)
    await store.commit([put('1', 'kv\u0001a', secret), put('2', 'kv\u0001b', secret)])
    const asked: readonly (() => Promise<unknown>)[] = [
      () => store.read((view) => view.get(['kv\u0001a', 'kv\u0001b'])),
      () => store.read((view) => view.get(['kv\u0001b'])),
      () => store.read((view) => view.scan({ prefix: '' })),
      () => store.changes({ after: 0, prefixes: [''] }),
    ]
    for (const ask of asked) expect(JSON.stringify(await ask())).toContain(secret)
    isClosed = true
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'corrupt' })
    isClosed = false
    for (const ask of asked) expect(JSON.stringify(await ask())).toContain(secret)
  })

  it('serves a replica that follows it and forgets on sealing', async () => {
    const base = memoryStore()
    const store = sealed(base, ring())
    const items = collection<{ id: string }>({ name: 'item', key: (item) => [item.id] })
    const view = await replica(store, [items])
    await store.commit([put('1', items.keyOf('x'), { id: 'x' })])
    expect(items.get(await view.reached(1), 'x')?.value).toEqual({ id: 'x' })
    view.drop()
    expect(() => view.stale()).toThrow('dropped')
    await view.close()
  })

  it('refuses what would not fit once sealed', async () => {
    const tooMuch = sealed(memoryStore(), ring()).commit([put('1', 'a', 'x'.repeat(30 * 1024 * 1024))])
    await expect(tooMuch).rejects.toMatchObject({ code: 'invalid' })
  })
})

describe('coalescing', () => {
  it('sends down together what arrives together, each judged by itself', async () => {
    const base = memoryStore()
    const batches: number[] = []
    const counting: Store = {
      ...remote(base),
      commit: (batch) => {
        batches.push(batch.length)
        return base.commit(batch)
      },
    }
    const store = coalesced(counting, { maxCommits: 10 })
    const bad = expect(store.commit([{ id: 'bad', put: [{ key: '', value: 1 }] }])).rejects.toMatchObject({
      code: 'invalid',
    })
    const verdicts = await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        store.commit([
          {
            id: `c${n}`,
            expect: [{ key: 'k', rev: n % 5 === 4 ? 99 : 0 }],
            put: [{ key: `k${n}`, value: n }],
          },
        ]),
      ),
    )
    await bad
    expect(batches).toEqual([10, 10, 5])
    expect(verdicts.flat().filter(({ ok }) => ok)).toHaveLength(20)
    expect(
      verdicts
        .flat()
        .filter(({ ok }) => ok)
        .map(({ rev }) => rev),
    ).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  })

  it('fails every caller of a batch when the store fails, and continues with the next', async () => {
    const base = memoryStore()
    let failing = true
    const store = coalesced({
      ...remote(base),
      commit: (batch) => {
        if (!failing) return base.commit(batch)
        failing = false
        return Promise.reject(new Error('cable cut'))
      },
    })
    const put = (id: string) => store.commit([{ id, put: [{ key: id, value: 1 }] }])
    const lost = await Promise.allSettled([put('a'), put('b')])
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await put('c')).toEqual([{ ok: true, rev: 1 }])
  })

  it('fails callers that waited behind a batch without an answer, so that none waits for several time limits', async () => {
    const submitted: string[][] = []
    let giveUp = () => {}
    const store = coalesced({
      ...remote(memoryStore()),
      commit: (batch) => {
        submitted.push(batch.map(({ id }) => id))
        return new Promise((_, reject) => {
          giveUp = () => reject(new StoreError('unknown', 'no answer'))
        })
      },
    })
    const codeOf = (id: string) =>
      store.commit([{ id, touch: ['~\u0001k'] }]).catch((error: StoreError) => error.code)
    const first = codeOf('a')
    await Promise.resolve()
    const behind = [codeOf('b'), codeOf('c')]
    giveUp()
    expect([await first, ...(await Promise.all(behind))]).toEqual(['unknown', 'unreachable', 'unreachable'])
    expect(submitted).toEqual([['a']])
  })
})

describe('a faulty store', () => {
  it('has no fault that does not exist, nor one that happens more often than always', () => {
    const make = (options: object) => () => faulty(memoryStore(), { seed: 1, ...options })
    expect(make({ faults: { confict: 1 } })).toThrow(
      'faulty has no option faults.confict: did you mean faults.conflict?',
    )
    expect(make({ fault: { conflict: 1 } })).toThrow('faulty has no option fault: did you mean faults?')
    for (const often of [5, -1, Number.NaN])
      expect(make({ faults: { conflict: often } })).toThrow(
        `faults.conflict is ${often}: use a probability from 0 to 1`,
      )
    expect(make({ faults: { conflict: undefined } })).not.toThrow()
  })

  it('gives the same faults for the same seed and other ones for another', async () => {
    const trace = async (seed: number) => {
      const faults: string[] = []
      const store = faulty(memoryStore(), { seed, onFault: (fault) => faults.push(fault) })
      for (let n = 0; n < 50; n += 1)
        await store.commit([{ id: `${n}`, put: [{ key: 'a', value: n }] }]).catch(() => undefined)
      return faults.join(' ')
    }
    expect(await trace(3)).toBe(await trace(3))
    expect(await trace(3)).not.toBe(await trace(4))
  })
})
