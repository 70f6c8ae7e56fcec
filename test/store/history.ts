import type { Commit, Entry, Json, Rev, Store, Verdict } from '../../src/store/index.ts'
import { seededRandom } from '../../src/testing/index.ts'

/** One operation as its client saw it; instants are of the machine's monotonic clock, so processes can be compared. */
export type Operation = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'commit'; readonly commit: Commit; readonly verdict: Verdict }
  | {
      readonly kind: 'read'
      readonly rev: Rev
      readonly keys: readonly string[]
      readonly found: readonly (Entry | null)[]
    }
  | { readonly kind: 'scan'; readonly rev: Rev; readonly found: readonly Entry[] }
)

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

/** What is wrong with a history: nothing, if its acknowledgements explain it in revision order and in real time. */
export function faultsOf(history: readonly Operation[]): string[] {
  const faults: string[] = []
  const commits = history.flatMap((each) => (each.kind === 'commit' ? [each] : []))
  const applied = commits.filter(({ verdict }) => verdict.ok).sort((a, b) => a.verdict.rev - b.verdict.rev)
  /** Every state there was: what each key held after each revision. */
  const states: ReadonlyMap<string, Entry>[] = [new Map()]
  for (const [at, { commit, verdict }] of applied.entries()) {
    const rev = at + 1
    if (verdict.rev !== rev) faults.push(`revision ${verdict.rev} stands where ${rev} should`)
    const state = new Map(states[at])
    for (const { key, rev: wanted } of commit.expect ?? [])
      if ((state.get(key)?.modified ?? 0) !== wanted)
        faults.push(`${commit.id} applied at ${rev} although ${key} was not at ${wanted}`)
    const writes = [...(commit.put ?? []), ...(commit.touch ?? []).map((key) => ({ key, value: null }))]
    for (const { key, value } of writes)
      state.set(key, { key, value, created: state.get(key)?.created ?? rev, modified: rev })
    for (const key of commit.del ?? []) state.delete(key)
    states.push(state)
  }
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const inOrder = ({ key, value, created, modified }: Entry) => [key, value, created, modified]
  for (const each of history) {
    const rev = each.kind === 'commit' ? each.verdict.rev : each.rev
    const state = states[rev]
    if (state === undefined) {
      faults.push(`an answer at revision ${rev}, which no commit made`)
    } else if (each.kind === 'commit' && !each.verdict.ok) {
      const wrong = (each.commit.expect ?? []).filter(
        ({ key, rev: wanted }) => (state.get(key)?.modified ?? 0) !== wanted,
      )
      if (!same(wrong.map(({ key }) => key).sort(), [...each.verdict.stale].sort()))
        faults.push(`${each.commit.id} was refused at ${rev} for the wrong keys`)
    } else if (each.kind === 'read') {
      const wanted = each.keys.map((key) => state.get(key)).map((entry) => entry && inOrder(entry))
      if (
        !same(
          each.found.map((entry) => entry && inOrder(entry)),
          wanted.map((entry) => entry ?? null),
        )
      )
        faults.push(`a read at ${rev} found something else`)
    } else if (each.kind === 'scan') {
      const wanted = [...state.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
      if (!same(each.found.map(inOrder), wanted.map(inOrder)))
        faults.push(`a scan at ${rev} found something else`)
    }
  }
  return [...faults, ...timeFaults(history)]
}

/** Whoever starts after an acknowledgement must see it; a commit that starts after one gets a later revision. */
function timeFaults(history: readonly Operation[]): string[] {
  const faults: string[] = []
  const revOf = (each: Operation) => (each.kind === 'commit' ? each.verdict.rev : each.rev)
  const byEnd = [...history].sort((a, b) => a.end - b.end)
  const byStart = [...history].sort((a, b) => a.start - b.start)
  let seen = 0
  let next = 0
  for (const each of byStart) {
    for (let ended = byEnd[next]; ended !== undefined && ended.end < each.start; ended = byEnd[next]) {
      seen = Math.max(seen, revOf(ended))
      next += 1
    }
    const takesRevision = each.kind === 'commit' && each.verdict.ok
    if (takesRevision ? revOf(each) <= seen : revOf(each) < seen)
      faults.push(`a ${each.kind} answered with revision ${revOf(each)} after ${seen} had been acknowledged`)
  }
  return faults
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
