import type { Commit } from '../port.ts'
import { arrayOf } from './client.ts'

/**
 * Splits a batch into runs that can be judged against one state: no commit of a run writes or expects a key that an
 * earlier one wrote, and none repeats an id. Marks touched by several stay together, since touches commute.
 */
export function runsOf(batch: readonly Commit[]): Commit[][] {
  const runs: Commit[][] = []
  let run: Commit[] = []
  let written = new Set<string>()
  let touched = new Set<string>()
  let ids = new Set<string>()
  for (const commit of batch) {
    const { id, expect = [], put = [], del = [], touch = [] } = commit
    const dependent =
      ids.has(id) ||
      expect.some(({ key }) => written.has(key) || touched.has(key)) ||
      put.some(({ key }) => written.has(key)) ||
      del.some((key) => written.has(key))
    if (dependent) {
      runs.push(run)
      run = []
      written = new Set()
      touched = new Set()
      ids = new Set()
    }
    run.push(commit)
    ids.add(id)
    for (const { key } of put) written.add(key)
    for (const key of del) written.add(key)
    for (const key of touch) touched.add(key)
  }
  if (run.length > 0) runs.push(run)
  return runs
}

/** A run as the parameters of `commit_run`, after the realm. */
export function parametersOf(run: readonly Commit[], again: boolean): string[] {
  const expects = run.flatMap(({ expect = [] }, at) =>
    expect.map(({ key, rev }) => ({ at: at + 1, key, rev })),
  )
  const writes = run.flatMap(({ put = [], touch = [] }, at) => [
    ...put.map(({ key, value }) => ({ at: at + 1, key, value: JSON.stringify(value) })),
    ...touch.map((key) => ({ at: at + 1, key, value: 'null' })),
  ])
  const deletions = run.flatMap(({ del = [] }, at) => del.map((key) => ({ at: at + 1, key })))
  return [
    arrayOf(run.map(({ id }) => id)),
    arrayOf(run.map((commit) => again || commit.again === true)),
    arrayOf(expects.map(({ at }) => at)),
    arrayOf(expects.map(({ key }) => key)),
    arrayOf(expects.map(({ rev }) => rev)),
    arrayOf(writes.map(({ at }) => at)),
    arrayOf(writes.map(({ key }) => key)),
    arrayOf(writes.map(({ value }) => value)),
    arrayOf(deletions.map(({ at }) => at)),
    arrayOf(deletions.map(({ key }) => key)),
  ]
}
