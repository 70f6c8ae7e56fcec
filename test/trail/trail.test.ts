import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { memoryStore, replica, transact } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { readTrail, type TrailPage, type TrailQuery } from '../../src/trail/read-trail.ts'
import { sweepTrail, trailRecorder } from '../../src/trail/trail.ts'

/** A store with a change each second, by turns of three actors. */
async function changed(count: number) {
  const clock = testClock({ now: 0 })
  const { record } = trailRecorder()
  const store = memoryStore()
  const view = await replica(store, [], { timers: clock.timers })
  for (let at = 0; at < count; at += 1) {
    const env = clock.env()
    await transact(
      view,
      () => env.newId('commit'),
      (tx) => {
        const by = [null, 'ada', 'bob'][at % 3] ?? null
        record(tx, { type: 'box.updated', by, subject: `acme/box${at}`, detail: { at: String(at) } }, env)
        return { ok: true, value: undefined }
      },
    )
    await clock.advance(1000)
  }
  const subjects = async (query: TrailQuery) =>
    unwrap(await readTrail(store, query)).changes.map(({ subject }) => subject)
  return { clock, store, view, subjects }
}

/** All pages, one after another. */
async function pages(store: Parameters<typeof readTrail>[0], query: TrailQuery) {
  const all: (string | null)[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page: TrailPage = unwrap(await readTrail(store, { ...query, after }))
    expect(page.changes.length).toBeLessThanOrEqual(query.limit ?? 100)
    all.push(...page.changes.map(({ subject }) => subject))
    after = page.next
  }
  return all
}

describe('the audit trail', () => {
  it('is read newest first, and pages of any size show each change once', async () => {
    const { store } = await changed(600)
    const whole = Array.from({ length: 600 }, (_, at) => `acme/box${599 - at}`)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1000 }), fc.boolean(), async (limit, filtered) => {
        const filter = filtered ? 'by == "ada"' : ''
        const expected = filtered ? whole.filter((_, at) => (599 - at) % 3 === 1) : whole
        expect(await pages(store, { limit, filter })).toEqual(expected)
      }),
      { numRuns: 20 },
    )
  })

  it('is filtered by actor, time, type, subject and detail', async () => {
    const { subjects } = await changed(7)
    expect(await subjects({ filter: 'by == "ada"' })).toEqual(['acme/box4', 'acme/box1'])
    expect(await subjects({ filter: 'time >= "1970-01-01T00:00:05Z"' })).toEqual(['acme/box6', 'acme/box5'])
    expect(await subjects({ filter: 'detail.at == "3"' })).toEqual(['acme/box3'])
    expect(await subjects({ filter: 'subject ends with "box2" and type == "box.updated"' })).toEqual([
      'acme/box2',
    ])
    expect(await subjects({ filter: 'type == "box.deleted"' })).toEqual([])
  })

  it.each([
    [{ filter: 'actor == "ada"' }, 'invalid_filter'],
    [{ filter: 'by ==' }, 'invalid_filter'],
    [{ limit: 0 }, 'invalid_page'],
    [{ limit: 1.5 }, 'invalid_page'],
    [{ limit: Number.NaN }, 'invalid_page'],
    [{ limit: 1001 }, 'invalid_page'],
    [{ after: 'nothing' }, 'invalid_page'],
    [{ after: '-1.1.x' }, 'invalid_page'],
  ])('refuses %j', async (query, code) => {
    const { store } = await changed(1)
    expect(await readTrail(store, query)).toMatchObject({ ok: false, refusal: { code } })
  })

  it('forgets what is older than it is kept, however much that is', async () => {
    const { clock, store, view, subjects } = await changed(300)
    const commit = (decide: Parameters<Parameters<typeof sweepTrail>[0]['commit']>[0]) =>
      transact(view, () => clock.env().newId('commit'), decide)
    expect(await sweepTrail({ commit, store, now: 300_000 }, 100_000)).toBe(200)
    expect(await subjects({ limit: 1000 })).toHaveLength(100)
    expect(await sweepTrail({ commit, store, now: 300_000 }, 100_000)).toBe(0)
  })
})
