import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countDownloads, type DownloadCounter, summarizeDownloads } from '../../src/registry/index.ts'

const day = 86_400_000
const start = Date.UTC(2026, 5, 15, 23, 59)
const at = (now: number) => ({ now, newId: () => '' })

function counted(instants: readonly number[]): DownloadCounter | undefined {
  return instants.reduce<DownloadCounter | undefined>((counter, now) => {
    const outcome = countDownloads(counter, { moduleId: 'm', count: 1 }, at(now))
    return outcome.ok ? outcome.state : counter
  }, undefined)
}

describe('a download summary', () => {
  it('is all zeros before the first download', () => {
    expect(summarizeDownloads(undefined, start)).toEqual({ week: 0, month: 0, year: 0, total: 0 })
  })

  it.each([
    [0, { week: 1, month: 1, year: 1, total: 1 }],
    [6, { week: 1, month: 1, year: 1, total: 1 }],
    [7, { week: 0, month: 1, year: 1, total: 1 }],
    [29, { week: 0, month: 1, year: 1, total: 1 }],
    [30, { week: 0, month: 0, year: 1, total: 1 }],
    [364, { week: 0, month: 0, year: 1, total: 1 }],
    [365, { week: 0, month: 0, year: 0, total: 1 }],
  ])('after %i days of one download is %j', (days, summary) => {
    expect(summarizeDownloads(counted([start]), start + days * day)).toEqual(summary)
  })

  it('keeps at most a year of days, and the total for ever', () => {
    const counter = counted(Array.from({ length: 800 }, (_, index) => start + index * day))
    expect(counter?.total).toBe(800)
    expect(Object.keys(counter?.days ?? {})).toHaveLength(365)
  })

  it('equals recounting every download', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(500), { maxLength: 60 }), fc.nat(500), (days, later) => {
        const instants = days.sort((a, b) => a - b).map((offset) => start + offset * day)
        const now = Math.max(start, ...instants) + later * day
        const within = (window: number) =>
          instants.filter((instant) => Math.floor(instant / day) > Math.floor(now / day) - window).length
        expect(summarizeDownloads(counted(instants), now)).toEqual({
          week: within(7),
          month: within(30),
          year: within(365),
          total: instants.length,
        })
      }),
    )
  })
})
