import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { model } from '../../../src/store/conformance/model.ts'
import { type Commit, compareKeys, isMark, type Json, memoryStore } from '../../../src/store/index.ts'

/*
 * The memory store against the plainest model there is. PLINTH_SEQUENCES=100000 for more of them.
 */
const sequences = Number(process.env['PLINTH_SEQUENCES'] ?? 15_000)

const key = fc.constantFrom(
  'a',
  'a\u0001',
  'a\u0001b',
  'a-b',
  'b',
  'é',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
)
const mark: fc.Arbitrary<string> = fc.constantFrom('~', '~\u0001a', '~\u0001a\u0001b')
const value: fc.Arbitrary<Json> = fc.oneof(fc.integer(), fc.string(), fc.constant({ nested: [1, null] }))
const commit = fc.record({
  id: fc.integer({ min: 1, max: 30 }).map(String),
  /** Wanted as the model has it, or off by some. */
  expect: fc.array(fc.record({ key: fc.oneof(key, mark), off: fc.constantFrom(0, 0, 0, 1) }), {
    maxLength: 3,
  }),
  put: fc.uniqueArray(fc.record({ key, value }), { maxLength: 3, selector: (each) => each.key }),
  /** Of marks only those that are expected and not touched. */
  del: fc.uniqueArray(fc.oneof(key, mark), { maxLength: 2 }),
  touch: fc.uniqueArray(mark, { minLength: 1, maxLength: 2 }),
  again: fc.boolean(),
})
const step = fc.oneof(
  fc.record({ kind: fc.constant('commit' as const), batch: fc.array(commit, { maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('scan' as const),
    prefix: fc.oneof(fc.constantFrom('', 'a', 'a\u0001', '~'), key),
    from: fc.option(key, { nil: undefined }),
    after: fc.option(key, { nil: undefined }),
    limit: fc.option(fc.nat(5), { nil: undefined }),
    reverse: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('changes' as const),
    back: fc.nat(6),
    prefixes: fc.array(fc.constantFrom('', 'a', '~', '😀'), { maxLength: 2 }),
    limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('hold' as const) }),
)

describe('the memory store and the plain model', () => {
  it('agree about every sequence of commits, scans and changes, and held snapshots stay as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
        const store = memoryStore()
        const plain = model()
        const held: { readonly now: ReturnType<typeof store.snapshot>; readonly entries: unknown }[] = []
        for (const each of steps) {
          if (each.kind === 'commit') {
            const batch = each.batch.map(
              ({ put, del, touch, expect: wanted, ...rest }): Commit => ({
                ...rest,
                touch,
                expect: wanted.map(({ key: at, off }) => ({
                  key: at,
                  rev: (plain.get(at)?.modified ?? 0) + off,
                })),
                put,
                del: del.filter((at) =>
                  isMark(at)
                    ? !touch.includes(at) && wanted.some((one) => one.key === at)
                    : put.every((one) => one.key !== at),
                ),
              }),
            )
            const wanted = plain.commit(batch)
            expect(await store.commit(batch)).toEqual(wanted)
            expect(await store.head()).toBe(plain.head)
          } else if (each.kind === 'scan') {
            const { kind: _, ...range } = each
            expect(store.snapshot().scan(range)).toEqual(plain.scan(range))
          } else if (each.kind === 'changes') {
            const after = Math.max(0, plain.head - each.back)
            const { prefixes, limit } = each
            const seen = new Map<string, unknown>()
            let page = await store.changes({ after, prefixes, limit })
            for (;;) {
              for (const entry of page.put) seen.set(entry.key, entry)
              for (const gone of page.gone) seen.set(gone, null)
              if (!page.more) break
              page = await store.changes({ after: page.rev, prefixes, limit })
            }
            const wanted = plain.changes(after, prefixes)
            const all = [
              ...wanted.put.map((entry) => [entry.key, entry] as const),
              ...wanted.gone.map((gone) => [gone, null] as const),
            ]
            const inOrder = (pairs: readonly (readonly [string, unknown])[]) =>
              pairs.toSorted((a, b) => compareKeys(a[0], b[0]))
            expect(inOrder([...seen])).toEqual(inOrder(all))
            expect(page.rev).toBe(plain.head)
          } else {
            held.push({ now: store.snapshot(), entries: plain.scan({ prefix: '' }) })
          }
        }
        for (const { now, entries } of held) expect(now.scan({ prefix: '' })).toEqual(entries)
      }),
      { numRuns: sequences },
    )
  })
})
