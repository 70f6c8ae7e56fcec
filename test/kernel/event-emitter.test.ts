import { describe, expect, it } from 'vitest'
import { eventEmitter } from '../../src/kernel/event-emitter.ts'

describe('a listener', () => {
  it('hears of every event', () => {
    const heard: string[] = []
    const announce = eventEmitter((event: string) => heard.push(event))
    announce('made')
    announce('moved')
    expect(heard).toEqual(['made', 'moved'])
  })

  it('that throws, or whose promise rejects, does not affect the others: it is reported', async () => {
    const reported: unknown[] = []
    const report = (error: unknown) => void reported.push(error)
    eventEmitter(() => {
      throw new Error('at once')
    }, report)('made')
    eventEmitter(async () => {
      throw new Error('later')
    }, report)('made')
    await new Promise(setImmediate)
    expect(reported).toEqual([new Error('at once'), new Error('later')])
    expect(() => eventEmitter(undefined)('made')).not.toThrow()
  })
})
