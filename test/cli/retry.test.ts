import { describe, expect, it } from 'vitest'
import { type Attempt, retryAfterOf, retrying } from '../../src/cli/retry.ts'

/** Gives these answers one after another; tells how long was waited between them. */
async function tried(answers: readonly Attempt[], attempts = 4) {
  const waits: number[] = []
  const left = [...answers]
  const last = await retrying(async () => left.shift() ?? { status: 200 }, {
    attempts,
    random: () => 1,
    wait: async (ms) => void waits.push(ms),
  })
  return { status: last.status, waits }
}

describe('retrying', () => {
  it('continues while the other side is unreachable or busy, doubling the delay', async () => {
    expect(await tried([{ status: 503 }, { status: 0 }, { status: 500 }])).toEqual({
      status: 200,
      waits: [500, 1000, 2000],
    })
  })

  it('waits as long as requested, 15 minutes at most', async () => {
    const answers = [
      { status: 429, retryAfter: 7 },
      { status: 429, retryAfter: 9999 },
    ]
    expect((await tried(answers)).waits).toEqual([7000, 900_000])
  })

  it('reads how long from seconds, a date, or the end of a rate limit that is used up', () => {
    const env = () => ({ now: Date.parse('2026-01-01T00:00:00Z'), newId: () => '' })
    const reset = String(Date.parse('2026-01-01T00:00:20Z') / 1000)
    expect(retryAfterOf({ 'retry-after': '7' }, env)).toBe(7)
    expect(retryAfterOf({ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, env)).toBe(5)
    expect(retryAfterOf({ 'retry-after': 'soon' }, env)).toBeUndefined()
    expect(retryAfterOf({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }, env)).toBe(20)
    expect(retryAfterOf({ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': reset }, env)).toBeUndefined()
    expect(retryAfterOf({}, env)).toBeUndefined()
  })

  it('goes on for some minutes with a server that is starting, also if it is killed meanwhile', async () => {
    const none = Array.from({ length: 5 }, () => ({ status: 0 }))
    expect(await tried([{ status: 503, isStarting: true }, ...none])).toMatchObject({ status: 200 })
    expect((await tried([{ status: 503 }, ...none])).status).toBe(0)
  })

  it('ends with an answer that stays, or after so many attempts', async () => {
    for (const status of [200, 400, 401, 409, 501])
      expect(await tried([{ status }])).toEqual({ status, waits: [] })
    expect(
      await tried(
        Array.from({ length: 9 }, () => ({ status: 502 })),
        3,
      ),
    ).toEqual({
      status: 502,
      waits: [500, 1000],
    })
  })
})
