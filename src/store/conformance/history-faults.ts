import type { Commit, Entry, Rev, Verdict } from '../port/port.ts'

/**
 * One operation as its client saw it, from the call to the answer, in microseconds of a clock that all clients share.
 */
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

/**
 * Lists the faults in a history of all operations on a realm: none if it is strictly serializable.
 *
 * @remarks
 * Replays acknowledged commits in the order of their revisions, which must have no gaps; the expectations of each must
 * hold, each refusal must name the right keys, and each read must show the state at its revision. An operation that
 * starts after the answer of another must not have an earlier revision.
 *
 * @param history - operations of all clients, in any order, of a realm that was empty before
 *
 * @example
 * ```ts
 * import { historyFaults } from 'plinth/store'
 *
 * const commit = { id: '1', put: [{ key: 'a', value: 1 }] }
 * const verdict = { ok: true, rev: 1 } as const
 * historyFaults([
 *   { kind: 'commit', start: 0, end: 1, commit, verdict },
 *   { kind: 'read', start: 2, end: 3, rev: 0, keys: ['a'], found: [null] },
 * ]) // ['a read answered with revision 0 after 1 had been acknowledged']
 * ```
 */
export function historyFaults(history: readonly Operation[]): readonly string[] {
  const faults: string[] = []
  const commits = history.flatMap((each) => (each.kind === 'commit' ? [each] : []))
  const applied = commits.filter(({ verdict }) => verdict.ok).sort((a, b) => a.verdict.rev - b.verdict.rev)
  /** All states: the value of each key after each revision. */
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

/** An operation that starts after an acknowledgement must see it; a commit gets a later revision. */
export function timeFaults(history: readonly Operation[]): readonly string[] {
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
