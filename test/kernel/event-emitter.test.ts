import { describe, expect, it } from 'vitest'
import { eventEmitter } from '../../src/kernel/event-emitter.ts'
import { hourly } from '../../src/kernel/hourly.ts'
import { testClock } from '../../src/testing/index.ts'

const broken = (): never => {
  throw new Error('broken')
}

/** A promise of another library. */
const thenable = (get: () => unknown): object => Object.defineProperty({}, 'then', { get })

const fails: readonly (readonly [how: string, fail: () => unknown])[] = [
  ['throws', broken],
  ['rejects', () => Promise.reject(new Error('broken'))],
  [
    'is a foreign thenable that rejects',
    () => thenable(() => (_: unknown, reject: (error: unknown) => void) => reject(new Error('broken'))),
  ],
  ['is a foreign thenable that throws', () => thenable(() => broken)],
  ['has a then that cannot be read', () => thenable(broken)],
]

describe('a listener', () => {
  it('hears of every event', () => {
    const heard: string[] = []
    const announce = eventEmitter((event: string) => heard.push(event))
    announce('made')
    announce('moved')
    expect(heard).toEqual(['made', 'moved'])
    expect(() => eventEmitter(undefined)()).not.toThrow()
  })

  it.each(fails)('that %s is reported', async (_how, fail) => {
    const reported: unknown[] = []
    eventEmitter(
      fail,
      eventEmitter((error: unknown) => void reported.push(error)),
    )()
    await new Promise(setImmediate)
    expect(reported).toEqual([new Error('broken')])
  })

  it.each(fails)('of reports that %s stops neither the service nor its timers', async (_how, fail) => {
    const unhandled: unknown[] = []
    const onUnhandled = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', onUnhandled)
    let reports = 0
    const report = eventEmitter((_error: unknown) => {
      reports += 1
      return fail()
    })
    eventEmitter(fail, report)()
    eventEmitter(() => new Promise(() => {}), report)()
    const clock = testClock()
    const end = hourly(clock.timers, async () => fail(), report)
    for (const hour of [1, 2, 3]) {
      await clock.advance(3_600_000)
      expect(reports).toBe(1 + hour)
    }
    end()
    await new Promise(setImmediate)
    process.off('unhandledRejection', onUnhandled)
    expect(unhandled).toEqual([])
  })
})
