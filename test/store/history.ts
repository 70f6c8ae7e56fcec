import type { Commit, Json, Operation, Rev, Store } from '../../src/store/index.ts'
import { seededRandom } from '../../src/testing/index.ts'

const instant = (): number => Number(process.hrtime.bigint() / 1000n)
const names = ['a', 'b', 'c', 'd', 'e', 'f']
const marks = ['~\u0001x', '~\u0001y']

/** Runs clients that read, and write what they read, over few keys, all at once. */
export async function clients(
  store: Store,
  options: {
    readonly name: string
    readonly seed: number
    readonly count: number
    readonly clients?: number
  },
): Promise<Operation[]> {
  const done: Operation[] = []
  const client = async (number: number): Promise<void> => {
    const random = seededRandom(options.seed * 1000 + number)
    const roll = (n: number) => Math.floor(random() * n)
    const some = (from: readonly string[]) => from.filter(() => roll(3) === 0)
    for (let at = 0; at < options.count; at += 1) {
      const start = instant()
      if (roll(6) === 0) {
        const { rev, found } = await store.read(async (view) => ({
          rev: view.rev,
          found: await view.scan({ prefix: '' }),
        }))
        done.push({ kind: 'scan', start, end: instant(), rev, found })
        continue
      }
      const keys = [...some(names), ...some(marks)]
      const { rev, found } = await store.read(async (view) => ({
        rev: view.rev,
        found: await view.get(keys),
      }))
      done.push({
        kind: 'read',
        start,
        end: instant(),
        rev,
        keys,
        found: found.map((entry) => entry ?? null),
      })
      const expect = keys
        .map((key, each) => ({ key, rev: found[each]?.modified ?? 0 }))
        .filter(() => roll(2) === 0)
      const put = some(names).map((key): { key: string; value: Json } => ({
        key,
        value: [options.name, number, at],
      }))
      const del = some(names).filter((key) => put.every((each) => each.key !== key))
      const touch = put.length + del.length === 0 ? [marks[0] ?? ''] : some(marks)
      const commit: Commit = { id: `${options.name}-${number}-${at}`, expect, put, del, touch }
      const began = instant()
      const [verdict] = await store.commit([commit])
      if (verdict) done.push({ kind: 'commit', start: began, end: instant(), commit, verdict })
    }
  }
  await Promise.all(Array.from({ length: options.clients ?? 4 }, (_, number) => client(number)))
  return done
}

/** Commits pairs of keys for ever, many at once, and tells each acknowledgement. */
export async function writers(
  store: Store,
  name: string,
  acknowledged: (line: readonly [string, Rev]) => void,
): Promise<never> {
  const writer = async (number: number): Promise<never> => {
    for (let at = 0; ; at += 1) {
      const id = `${name}-${number}-${at}`
      const [verdict] = await store.commit([{ id, ...pair(id) }])
      if (verdict?.ok !== true) throw new Error(`${id} was refused`)
      acknowledged([id, verdict.rev])
    }
  }
  await Promise.all(Array.from({ length: 12 }, (_, number) => writer(number)))
  throw new Error('writers never end')
}

const pair = (id: string) => ({
  put: [
    { key: `left\u0001${id}`, value: { id, padding: 'x'.repeat(100) } },
    { key: `right\u0001${id}`, value: id },
  ],
  touch: ['~\u0001pairs'],
})

/** What is wrong with a store after a crash, given what was acknowledged before it. */
export async function crashFaults(store: Store, acknowledged: ReadonlyMap<string, Rev>): Promise<string[]> {
  const faults: string[] = []
  const { head, left, right } = await store.read(async (view) => ({
    head: view.rev,
    left: await view.scan({ prefix: 'left\u0001' }),
    right: await view.scan({ prefix: 'right\u0001' }),
  }))
  const revs = new Map(left.map((entry) => [entry.key.slice('left\u0001'.length), entry.modified]))
  const others = new Map(right.map((entry) => [entry.key.slice('right\u0001'.length), entry.modified]))
  for (const [id, rev] of acknowledged)
    if (revs.get(id) !== rev)
      faults.push(`${id} was acknowledged at ${rev} and is at ${revs.get(id) ?? 'nothing'}`)
  for (const [id, rev] of revs)
    if (others.get(id) !== rev) faults.push(`${id} is torn: ${rev} and ${others.get(id) ?? 'nothing'}`)
  if (others.size !== revs.size) faults.push(`${revs.size} left halves and ${others.size} right ones`)
  // Every commit writes one pair, so that revisions without gaps are as many as pairs.
  if (new Set(revs.values()).size !== head) faults.push(`${revs.size} pairs at revision ${head}`)
  return faults
}
