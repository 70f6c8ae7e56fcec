import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { steadyClock } from '../../src/kernel/system-env.ts'
import { createSecrets } from '../../src/secrets/index.ts'

/** A wall clock that can be set, and a stopwatch that cannot. */
function settable(start: number) {
  let [wall, watch] = [start, 5.25]
  return {
    wall: () => wall,
    watch: () => watch,
    pass: (ms: number) => {
      wall += ms
      watch += ms
    },
    set: (by: number) => {
      wall += by
    },
  }
}

/** The same, and what the steady clock makes of them. */
function clocks(start = 1_000_000) {
  const { wall, watch, pass, set } = settable(start)
  return { now: steadyClock(wall, watch), pass, set }
}

it('a clock that is set back goes on, and follows again once it is set forward', () => {
  const { now, pass, set } = clocks()
  pass(10_000)
  expect(now()).toBe(1_010_000)
  set(-3_600_000)
  pass(5_000)
  expect(now()).toBe(1_015_000)
  pass(60_000)
  expect(now()).toBe(1_075_000)
  set(3_600_000)
  expect(now()).toBe(1_075_000)
  set(86_400_000)
  expect(now()).toBe(1_075_000 + 86_400_000)
})

it('never runs backwards, nor slower than time passes, however often the clock is set', () => {
  const step = fc.record({ pass: fc.nat(100_000), set: fc.integer({ min: -10_000_000, max: 10_000_000 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { now, pass, set } = clocks(10 ** 12)
      let before = now()
      for (const { pass: ms, set: by } of steps) {
        pass(ms)
        set(by)
        const present = now()
        // Less than a second is drift.
        expect(present - before).toBeGreaterThanOrEqual(Math.max(0, ms - 1_000) - 1)
        before = present
      }
    }),
  )
})

/** Clocks that can be set, and the options of a service that reads them. */
const environments = {
  'that a service is given': (start: number) => {
    const { now, ...clock } = clocks(start)
    let ids = 0
    return { ...clock, options: { env: () => ({ now: now(), newId: () => String(ids++) }) } }
  },
  'that a service has by default': (start: number) => {
    const { wall, watch, pass, set } = settable(start)
    vi.spyOn(Date, 'now').mockImplementation(wall)
    vi.spyOn(performance, 'now').mockImplementation(watch)
    return { pass, set, options: {} }
  },
}
afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(Object.entries(environments))('with the steady clock %s', (_name, begin) => {
  it('a token lives no longer than it was given when the clock is set back', async () => {
    const { pass, set, options } = begin(Date.UTC(2026, 0, 1))
    const secrets = createSecrets(options)
    const keys = await secrets.seal.initialize({ shares: 1, threshold: 1 })
    if (!keys.ok) throw new Error(keys.refusal.message)
    for (const key of keys.value.unsealKeys) await secrets.seal.unseal(key)
    const made = await secrets.tokens.create({ policies: ['default'], ttlSeconds: 3_600 })
    if (!made.ok) throw new Error(made.refusal.message)
    const { token } = made.value
    pass(1_800_000)
    set(-86_400_000)
    expect(await secrets.tokens.lookup({ token })).toMatchObject({ value: { ttlSeconds: 1_800 } })
    pass(1_800_001)
    expect(await secrets.tokens.lookup({ token })).toEqual({ ok: true, value: undefined })
    await secrets.close()
  })
})
