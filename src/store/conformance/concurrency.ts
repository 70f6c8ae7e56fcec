import { compareKeys, isMark } from '../port/keys.ts'
import type { Commit, Store } from '../port/port.ts'
import { type Case, entry, holds, newId, same, submitOne } from './harness.ts'
import { model } from './model.ts'

/** Uniform numbers below `n`, the same for the same seed. */
export const dice = (seed: number) => {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return (n: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % n
  }
}

/** One random commit over few keys, so that commits conflict. */
export function randomCommit(
  roll: (n: number) => number,
  revOf: (key: string) => number,
  id: string,
): Commit {
  const key = () => ['a', 'a\u00011', 'a\u00012', 'b\u00011', 'b', 'é', '😀', '\uffff'][roll(8)] ?? 'a'
  const mark = () => ['~\u0001a', '~\u0001a\u0001x', '~\u0001b'][roll(3)] ?? '~\u0001a'
  const used = new Set<string>()
  const fresh = (keys: string[]) => keys.filter((each) => !used.has(each) && used.add(each))
  const times = (n: number, make: () => string) => Array.from({ length: roll(n) }, make)
  const expect = [...times(3, key), ...times(2, mark)].map((each) => ({
    key: each,
    rev: roll(4) === 0 ? roll(20) : revOf(each),
  }))
  const puts = fresh(times(3, key)).map((each) => ({ key: each, value: { n: roll(100) } }))
  const del = fresh(times(3, key))
  if (roll(4) === 0) del.push(...fresh(expect.map((each) => each.key).filter(isMark)))
  const touch = fresh([...times(3, mark), ...(puts.length + del.length === 0 ? ['~\u0001c'] : [])])
  return { id, expect, put: puts, del, touch, again: roll(8) === 0 }
}

async function compareWithModel(store: Store, seed: number): Promise<void> {
  const roll = dice(seed)
  const plain = model()
  const past: Commit[] = []
  for (let turn = 0; turn < 25; turn += 1) {
    const batch: Commit[] = []
    // With few commits most keys stay untouched; many commits conflict on each.
    const size = roll(5) === 0 ? 12 : 1 + roll(3)
    for (let at = 0; at < size; at += 1) {
      const repeat = past[roll(past.length * 4 + 1)]
      const commit = repeat ?? randomCommit(roll, (key) => plain.get(key)?.modified ?? 0, newId())
      batch.push(commit)
    }
    const wanted = plain.commit(batch)
    const verdicts = await store.commit(batch)
    same(verdicts.map(sorted), wanted.map(sorted), `verdicts of turn ${turn}, seed ${seed}`)
    // Only accepted ids, and refusals under `again`, have a permanent answer.
    for (const [at, commit] of batch.entries())
      if (wanted[at]?.ok === true || commit.again === true) past.push(commit)
    const after = roll(plain.head + 1)
    const prefixes = [[''], ['a'], ['~', 'b'], []][roll(4)] ?? []
    const changes = await store.changes({ after, prefixes })
    const byKey = {
      ...changes,
      put: changes.put.toSorted((a, b) => compareKeys(a.key, b.key)),
      gone: changes.gone.toSorted(compareKeys),
    }
    same(byKey, plain.changes(after, prefixes), `changes of turn ${turn}, seed ${seed}`)
    const range = {
      prefix: ['', 'a', 'b\u0001', '~'][roll(4)] ?? '',
      from: roll(2) === 0 ? 'a\u00011' : undefined,
      limit: roll(6),
      reverse: roll(2) === 0,
    }
    same(
      await store.read((view) => view.scan(range)),
      plain.scan(range),
      `scan of turn ${turn}, seed ${seed}`,
    )
  }
  same(
    await store.read((view) => view.scan({ prefix: '' })),
    plain.scan({ prefix: '' }),
    `state, seed ${seed}`,
  )
}

const sorted = (verdict: {
  readonly ok: boolean
  readonly rev: number
  readonly stale?: readonly string[]
}) => (verdict.stale === undefined ? verdict : { ...verdict, stale: [...new Set(verdict.stale)].sort() })

export const concurrencyCases: readonly Case[] = [
  [
    'random sequences of commits, scans and changes behave as the plain model does',
    async (_store, _peer, { open, sequences = 20 }) => {
      for (let seed = 1; seed <= sequences; seed += 1) {
        const store = await open()
        await compareWithModel(store, seed)
        await store.close()
      }
    },
  ],
  [
    'two commits that each expect the key the other writes: exactly one wins',
    async (store, peer, { rounds = 40 }) => {
      for (let round = 0; round < rounds; round += 1) {
        const [a, b] = [`a${round}`, `b${round}`]
        const [left, right] = await Promise.all([
          submitOne(store, { expect: [{ key: b, rev: 0 }], put: [{ key: a, value: 1 }] }),
          submitOne(peer, { expect: [{ key: a, rev: 0 }], put: [{ key: b, value: 1 }] }),
        ])
        holds(left.ok !== right.ok, `round ${round}: ${left.ok ? 'both' : 'neither'} applied`)
      }
    },
  ],
  [
    'writers at once take revisions without gaps or repeats, and no update is lost',
    async (store, peer, { rounds = 40 }) => {
      const revs: number[] = []
      const increment = async (handle: Store): Promise<void> => {
        for (;;) {
          const now = await entry(handle, 'count')
          const count = typeof now?.value === 'number' ? now.value : 0
          const expect = [{ key: 'count', rev: now?.modified ?? 0 }]
          const verdict = await submitOne(handle, { expect, put: [{ key: 'count', value: count + 1 }] })
          if (!verdict.ok) continue
          revs.push(verdict.rev)
          return
        }
      }
      await Promise.all(Array.from({ length: rounds }, (_, at) => increment(at % 2 === 0 ? store : peer)))
      same((await entry(store, 'count'))?.value, rounds, 'count')
      same(
        revs.sort((a, b) => a - b),
        Array.from({ length: rounds }, (_, at) => at + 1),
        'revisions',
      )
    },
  ],
]
