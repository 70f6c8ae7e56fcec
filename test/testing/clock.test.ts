import { describe, expect, it } from 'vitest'
import { createScheduler } from '../../src/scheduler/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { seededIds, testClock } from '../../src/testing/index.ts'

describe('a clock that one moves by hand', () => {
  it('stands still until it is advanced', async () => {
    const clock = testClock({ now: 1000 })
    expect(clock.env().now).toBe(1000)
    await clock.advance(500)
    expect(clock.env().now).toBe(1500)
  })

  it('fires timers in order, each at its own instant, cancelled ones never', async () => {
    const clock = testClock({ now: 0 })
    const fired: [string, number][] = []
    clock.timers.after(300, () => fired.push(['late', clock.now()]))
    clock.timers.after(100, () => {
      fired.push(['early', clock.now()])
      clock.timers.after(100, () => fired.push(['chained', clock.now()]))
    })
    clock.timers.after(150, () => fired.push(['never', clock.now()]))()
    await clock.advance(1000)
    expect(fired).toEqual([
      ['early', 100],
      ['chained', 200],
      ['late', 300],
    ])
    expect(clock.now()).toBe(1000)
  })

  it('lets what was begun come to where it waits, before it moves', async () => {
    const clock = testClock()
    const scheduler = createScheduler({ ...clock, store: memoryStore() })
    const poll = scheduler.fetch(new Request('http://scheduler/v1/jobs?index=99&wait=60s'))
    await clock.advance(70_000)
    expect((await poll).status).toBe(200)
    await scheduler.close()
  })

  it('lets promise chains of any length end between two timers', async () => {
    const clock = testClock({ now: 0 })
    const seen: number[] = []
    clock.timers.after(100, async () => {
      for (let step = 0; step < 1000; step += 1) await Promise.resolve()
      seen.push(clock.now())
    })
    clock.timers.after(200, () => seen.push(clock.now()))
    await clock.advance(1000)
    expect(seen).toEqual([100, 200])
  })

  it('gives the same identifiers for the same seed, in the shape of UUIDs', () => {
    const [one, two] = [seededIds(7), seededIds(7)]
    const first = one('job')
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect([two('job'), one('job')]).toEqual([first, two('job')])
    expect(seededIds(8)('job')).not.toBe(first)
  })
})
