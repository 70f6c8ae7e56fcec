import { describe, expect, it, vi } from 'vitest'
import { createScheduler, type Scheduler } from '../../src/scheduler/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { seededIds, testClock } from '../../src/testing/index.ts'

describe('a manual clock', () => {
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

  it('makes one move after the other, also without awaiting each', async () => {
    const clock = testClock({ now: 0 })
    const fired: number[] = []
    clock.timers.after(150, () => fired.push(clock.now()))
    await Promise.all([clock.advance(100), clock.advance(100), clock.set(1000), clock.advance(1)])
    expect([clock.now(), fired]).toEqual([1001, [150]])
  })

  it('may be moved by what falls due', async () => {
    const clock = testClock({ now: 0 })
    clock.timers.after(10, () => void clock.advance(5))
    await clock.advance(100)
    await clock.advance(0)
    expect(clock.now()).toBe(105)
  })

  it('continues after a timer that threw', async () => {
    const clock = testClock({ now: 0 })
    const fired: number[] = []
    clock.timers.after(10, () => {
      throw new Error('a bug')
    })
    clock.timers.after(20, () => fired.push(clock.now()))
    await expect(clock.advance(100)).rejects.toThrow('a bug')
    await clock.advance(100)
    expect(fired).toEqual([20])
  })

  it('is one for several services, whose timers fall due in one order, and stands beside faked ones', async () => {
    vi.useFakeTimers()
    const clock = testClock()
    const [one, other] = [createScheduler({ ...clock }), createScheduler({ ...clock })]
    const ended: string[] = []
    const poll = async (scheduler: Scheduler, seconds: number) => {
      await scheduler.fetch(new Request(`http://scheduler/v1/jobs?index=99&wait=${seconds}s`))
      ended.push(`${seconds} s`)
    }
    const polls = [poll(one, 60), poll(other, 30)]
    await clock.advance(70_000)
    await Promise.all(polls)
    expect(ended).toEqual(['30 s', '60 s'])
    await Promise.all([one.close(), other.close()])
    vi.useRealTimers()
  })

  it.each([
    ['starts at', (value: never) => testClock({ now: value })],
    ['is set to', (value: never) => testClock().set(value)],
    ['is advanced by', (value: never) => testClock().advance(value)],
  ])('%s nothing that is no number of milliseconds', async (_, move) => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '60s', new Date()])
      await expect(async () => move(value as never)).rejects.toThrow(RangeError)
  })

  it('has no option that does not exist', () => {
    expect(() => testClock({ sead: 7 } as object)).toThrow('testClock has no option sead: did you mean seed?')
  })

  it('is not advanced backwards, which is set', async () => {
    const clock = testClock({ now: 1000 })
    await expect(clock.advance(-1)).rejects.toThrow('ms is -1: pass a number of milliseconds, 0 or more')
    await clock.set(500)
    expect(clock.now()).toBe(500)
  })

  it('gives the same identifiers for the same seed, in the shape of UUIDs', () => {
    const [one, two] = [seededIds(7), seededIds(7)]
    const first = one('job')
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect([two('job'), one('job')]).toEqual([first, two('job')])
    expect(seededIds(8)('job')).not.toBe(first)
  })
})
