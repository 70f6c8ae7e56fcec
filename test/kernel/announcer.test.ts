import { describe, expect, it } from 'vitest'
import { announcer } from '../../src/kernel/announcer.ts'

describe('a listener', () => {
  it('hears of every event', () => {
    const heard: string[] = []
    const announce = announcer((event: string) => heard.push(event))
    announce('made')
    announce('moved')
    expect(heard).toEqual(['made', 'moved'])
  })

  it('that throws, or whose promise rejects, harms nobody: it is reported', async () => {
    const reported: unknown[] = []
    const report = (error: unknown) => void reported.push(error)
    announcer(() => {
      throw new Error('at once')
    }, report)('made')
    announcer(async () => {
      throw new Error('later')
    }, report)('made')
    await new Promise(setImmediate)
    expect(reported).toEqual([new Error('at once'), new Error('later')])
    expect(() => announcer(undefined)('made')).not.toThrow()
  })
})
