import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AllocationRecord, drainPace, MigrateStrategy } from '../../../src/scheduler/index.ts'
import { migrateStrategyOf } from '../../../src/scheduler/jobs/defaults.ts'

const now = Date.UTC(2026, 0, 1)
const ago = (ms: number) => (now - ms) * 1e6
const minute = 60_000
const strategy = (over: object = {}) => MigrateStrategy.parse(over)
const allocation = (ID: string, over: object = {}) =>
  AllocationRecord.parse({
    ID,
    ClientStatus: 'running',
    CreateTime: ago(minute),
    ModifyTime: ago(minute),
    ...over,
  })
const judged = (ID: string, Healthy = true) => allocation(ID, { DeploymentStatus: { Healthy } })
const leaving = (over: object, existing: readonly AllocationRecord[], away: readonly AllocationRecord[]) =>
  [...drainPace({ away, existing }, { strategy: strategy(over) }, { now }).now].map(({ ID }) => ID)
const again = (over: object, existing: readonly AllocationRecord[]) =>
  drainPace({ away: existing.slice(0, 1), existing }, { strategy: strategy(over) }, { now }).again

describe('what leaves draining nodes at once', () => {
  const three = ['a', 'b', 'c'].map((id) => judged(id))

  it('is one, where nothing else is said', () => {
    expect(leaving({}, three, three)).toEqual(['a'])
  })
  it('is as many as the group says, and none that is not there', () => {
    expect(leaving({ MaxParallel: 2 }, three, three)).toEqual(['a', 'b'])
    expect(leaving({ MaxParallel: 9 }, three, three.slice(1))).toEqual(['b', 'c'])
  })
  it('is nothing before the deadline where the group says 0', () => {
    expect(leaving({ MaxParallel: 0 }, three, three)).toEqual([])
  })
  it('is nothing while one is not healthy yet', () => {
    const existing = [...three.slice(1), allocation('d', { ClientStatus: 'pending' })]
    expect(leaving({}, existing, three.slice(1))).toEqual([])
    expect(leaving({ MaxParallel: 2 }, existing, three.slice(1))).toEqual(['b'])
  })
  it('is what a job says that was kept when only a part of it was asked for', () => {
    const kept = { MaxParallel: 2 } as MigrateStrategy
    expect(migrateStrategyOf({ Migrate: kept })).toEqual(strategy({ MaxParallel: 2 }))
    expect(migrateStrategyOf({ Migrate: null })).toEqual(strategy())
  })
  it('does not wait for unhealthy allocations: that is final', () => {
    expect(leaving({}, [...three.slice(1), judged('d', false)], three.slice(1))).toEqual(['b'])
  })
  it('waits for what is out of touch, healthy before or not', () => {
    const silent = allocation('d', { ClientStatus: 'unknown', DeploymentStatus: { Healthy: true } })
    expect(leaving({}, [...three.slice(1), silent], three.slice(1))).toEqual([])
    expect(again({}, [...three.slice(1), silent])).toBeUndefined()
  })
})

describe('an allocation without a health report', () => {
  const young = allocation('young')
  const others = [judged('a'), judged('b')]

  it('is waited for no longer once its healthy deadline is over', () => {
    expect(again({}, [...others, young])).toBe(now + 4 * minute)
    const old = allocation('old', { CreateTime: ago(5 * minute) })
    expect(leaving({}, [...others, old], others)).toEqual(['a'])
  })
  it('counts when it has run for a while, where its tasks’ states are all there is to check', () => {
    const states = { HealthCheck: 'task_states', MinHealthyTime: 90e9 }
    expect(leaving(states, [...others, young], others)).toEqual([])
    expect(again(states, [...others, young])).toBe(now + minute / 2)
    expect(again(states, [...others, allocation('pending', { ClientStatus: 'pending' })])).toBe(
      now + 4 * minute,
    )
    expect(leaving({ ...states, MinHealthyTime: 60e9 }, [...others, young], others)).toEqual(['a'])
  })
})

it('of all that are wanted, no fewer than all but MaxParallel stay proven, and nothing waits without reason', () => {
  const row = fc.record({
    isAway: fc.boolean(),
    status: fc.constantFrom('pending', 'running', 'unknown'),
    healthy: fc.constantFrom(null, true, false),
    age: fc.constantFrom(0, minute, 5 * minute),
  })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 8 }), fc.nat(10), fc.nat(4), (rows, count, MaxParallel) => {
      const existing = rows.map(({ status, healthy, age }, nth) =>
        allocation(`a${nth}`, {
          ClientStatus: status,
          CreateTime: ago(age),
          DeploymentStatus: { Healthy: healthy },
        }),
      )
      const away = existing.filter((_, nth) => rows[nth]?.isAway)
      const found = drainPace({ away, existing }, { strategy: strategy({ MaxParallel }), count }, { now })
      const isProven = ({ status, healthy, age }: (typeof rows)[number]) =>
        status !== 'unknown' && (healthy !== null || age >= 5 * minute)
      const proven = rows.filter(isProven).length
      const spare = Math.max(0, proven - count + MaxParallel)
      expect([...found.now]).toEqual(away.slice(0, spare))
      const isDone =
        found.now.size === away.length || rows.every((each) => isProven(each) || each.status === 'unknown')
      expect(found.again === undefined).toBe(isDone)
      if (found.again !== undefined) expect(found.again).toBeGreaterThan(now)
    }),
  )
})
