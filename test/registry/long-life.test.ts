import { expect, it } from 'vitest'
import { createRegistry } from '../../src/registry/index.ts'
import { contents, counters, modules, moves, remains, versions } from '../../src/registry/records.ts'
import { memoryStore, type Snapshot } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { trail } from '../../src/trail/trail.ts'
import { chances } from '../chances.ts'
import { dying } from '../store/crashing.ts'
import { realmFaults } from '../store/realm-faults.ts'

// A long life of a registry, in processes that die in the middle of what they do, one after another.

/** What is wrong with all that a registry keeps, once it has swept. */
const orphansIn = (now: Snapshot): readonly string[] => {
  const known = modules.list(now).map(({ value }) => value)
  const numbers = known.flatMap(({ id, versions }) => versions.map(({ number }) => `${id} ${number}`)).sort()
  const ids = new Set(known.map(({ id }) => id))
  const faults: string[] = []
  for (const kept of [versions, contents])
    if (
      kept
        .list(now)
        .map(({ value }) => `${value.moduleId} ${value.number}`)
        .sort()
        .join() !== numbers.join()
    )
      faults.push(`${kept.name}: not those of the modules`)
  for (const kept of [counters, moves, remains])
    for (const { value } of kept.list(now))
      if (!ids.has(value.moduleId)) faults.push(`${kept.name} of no module`)
  return faults
}

async function live(seed: number, processes: number): Promise<readonly string[]> {
  const { random, upTo, pick } = chances(seed)
  const clock = testClock({ seed })
  const store = memoryStore()
  const address = () => ({ namespace: 'acme', name: pick(['vpc', 'net', 'db', 'dns']), provider: 'aws' })
  const number = () => `1.${upTo(30)}.0`
  for (let count = 0; count < processes; count += 1) {
    const process = dying(1 + upTo(30))
    const registry = createRegistry({ store: process.store(store), env: clock.env, timers: clock.timers })
    const acts: readonly (() => Promise<unknown>)[] = [
      () => registry.publishModule({ ...address(), description: `${count}` }),
      () => registry.publishVersion(address(), { version: number(), source: 'https://example.com/x.zip' }),
      () => registry.publishVersion(address(), { version: number(), source: 'https://example.com/x.zip' }),
      () => registry.removeVersion(address(), number()),
      () => registry.renameModule(address(), address()),
      () => registry.download(address(), number()),
      () => (random() < 0.2 ? registry.removeModule(address()) : registry.sweep()),
    ]
    for (let done = 0; done < 30 && !process.isDead(); done += 1) {
      await pick(acts)().catch(() => undefined)
      await clock.advance(pick([0, 1000, 600_000]))
    }
    await registry.close().catch(() => undefined)
  }
  const last = createRegistry({ store, env: clock.env, timers: clock.timers })
  await last.sweep()
  await last.close()
  const all = [modules, moves, counters, versions, contents, remains, trail]
  return [
    ...(await realmFaults(store, all as Parameters<typeof realmFaults>[1])),
    ...orphansIn(store.snapshot()),
  ]
}

it.each([1, 2, 3])('after any crash, nothing is left of removed modules (seed %i)', async (seed) => {
  expect(await live(seed, 40)).toEqual([])
})
