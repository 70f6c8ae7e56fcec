import { describe, expect, it } from 'vitest'
import { type Attempt, retrying } from '../../src/cli/retry.ts'

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
  it('goes on while the other side is away or busy, each time waiting twice as long', async () => {
    expect(await tried([{ status: 503 }, { status: 0 }, { status: 500 }])).toEqual({
      status: 200,
      waits: [500, 1000, 2000],
    })
  })

  it('waits as long as it is told, a minute at most', async () => {
    const answers = [
      { status: 429, retryAfter: 7 },
      { status: 429, retryAfter: 9999 },
    ]
    expect((await tried(answers)).waits).toEqual([7000, 60_000])
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
