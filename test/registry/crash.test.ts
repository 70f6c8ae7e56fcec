import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry, type Registry } from '../../src/registry/index.ts'
import { memoryStore, partsOf, type Store } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { dying } from '../store/crashing.ts'

const source = 'https://example.com/x.zip'
const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const named = (name: string) => ({ ...vpc, name })
const numbers = Array.from({ length: 45 }, (_, minor) => `1.${minor}.0`)

/** One process after another: each draws identifiers of its own, the same ones in every round. */
const on = (store: Store, seed: number, clock = testClock({ seed })) =>
  createRegistry({ store, env: clock.env, timers: clock.timers })

/** A module of many versions that had other names before, one of them another module's by now, and its neighbour. */
async function full(): Promise<Store> {
  const store = memoryStore()
  const registry = on(store, 1)
  unwrap(await registry.publishModule(named('first')))
  for (const version of numbers)
    unwrap(await registry.publishVersion(named('first'), { version, source, root: { readme: version } }))
  unwrap(await registry.renameModule(named('first'), named('second')))
  unwrap(await registry.renameModule(named('second'), named('third')))
  unwrap(await registry.publishModule(named('other')))
  unwrap(await registry.publishVersion(named('other'), { version: '1', source }))
  unwrap(await registry.renameModule(named('other'), named('another')))
  unwrap(await registry.download(named('third'), '1.0.0'))
  await registry.close()
  return store
}

/** Every record, by what it says it belongs to, except for the audit trail: a retry adds to it. */
const kept = async (store: Store): Promise<string[]> =>
  (await store.read((now) => now.scan({ prefix: '' })))
    .map(({ key }) => partsOf(key).slice(0, 3).join('/'))
    .filter((key) => !key.startsWith('trail/'))

const acts: readonly (readonly [string, (registry: Registry) => Promise<unknown>])[] = [
  ['removing a module', (registry) => registry.removeModule(named('third'))],
  ['removing a version', (registry) => registry.removeVersion(named('third'), '1.3')],
  ['renaming a module', (registry) => registry.renameModule(named('third'), named('fourth'))],
  ['publishing a version', (registry) => registry.publishVersion(named('third'), { version: '2', source })],
]

describe.each(acts)('%s in a process that dies on the way', (_, act) => {
  it('comes to what it would have come to, or to nothing, wherever it dies', async () => {
    const before = await kept(await full())
    const whole = await full()
    const registry = on(whole, 2)
    await act(registry)
    await registry.close()
    const after = await kept(whole)
    for (let steps = 0; ; steps += 1) {
      const store = await full()
      const process = dying(steps)
      const crashed = on(process.store(store), 2)
      await act(crashed).catch(() => undefined)
      await crashed.close().catch(() => undefined)

      const next = on(store, 3)
      await next.sweep()
      expect(await kept(store)).toEqual(steps === 0 ? before : after)
      // A caller that got no answer retries.
      if (steps === 0) await act(next)
      expect(await kept(store)).toEqual(after)
      await next.close()
      if (!process.isDead()) return expect(steps).toBeGreaterThan(0)
    }
  })
})

describe('a module that is removed', () => {
  it('leaves nothing behind, and its old addresses are free', async () => {
    const store = await full()
    const registry = on(store, 2)
    unwrap(await registry.removeModule(named('third')))
    const left = await kept(store)
    expect(left.filter((key) => /version|contents|downloads/.test(key))).toHaveLength(2)
    expect(left.filter((key) => key.startsWith('moved/'))).toEqual(['moved/acme/other'])
    expect(await registry.sweep()).toBe(0)
    await registry.close()
  })

  it('is cleared away within the hour, also by another process', async () => {
    const store = await full()
    const crashed = on(dying(1).store(store), 2)
    // It is gone, although leftovers are still to be cleared away.
    expect(await crashed.removeModule(named('third'))).toEqual({ ok: true, value: 'acme/third/aws' })
    const clock = testClock({ seed: 3 })
    const next = on(store, 3, clock)
    expect((await kept(store)).filter((key) => key.startsWith('version/'))).toHaveLength(46)
    await clock.advance(3_600_000)
    expect((await kept(store)).filter((key) => key.startsWith('version/'))).toHaveLength(1)
    await next.close()
  })

  it('is not counted any more by a process that has not heard of it', async () => {
    const store = await full()
    const one = on(store, 2)
    const far = dying(Number.POSITIVE_INFINITY).store(store)
    // The download is found, then the module goes, then the download is counted.
    const commit: Store['commit'] = async (batch) => {
      await one.removeModule(named('another'))
      return far.commit(batch)
    }
    const two = on({ ...far, commit }, 3)
    unwrap(await two.download(named('another'), '1.0.0'))
    expect(unwrap(await two.downloads(named('third'))).summary.total).toBe(1)
    expect(await one.readModule(named('another'))).toMatchObject({ ok: false })
    expect((await kept(store)).filter((key) => key.startsWith('downloads/'))).toHaveLength(1)
    await one.close()
    await two.close()
  })
})
