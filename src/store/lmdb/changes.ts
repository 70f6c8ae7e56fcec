import { isBelow } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Changes, Entry, Since } from '../port/port.ts'
import * as layout from './layout.ts'
import type { Session } from './session.ts'

/** What changed since a revision, in one of the engine's snapshots. */
export function collect({ tables, number }: Session, since: Since, within: layout.Within): Changes {
  const { entries, unchecked } = tables
  const { after, prefixes, limit = Number.POSITIVE_INFINITY } = since
  const head = number(layout.headKey, within)
  const floor = number(layout.floorKey, within)
  if (after < floor || after > head)
    throw new StoreError(
      'compacted',
      `revision ${after} is not in the remembered ${floor} to ${head}: read anew`,
    )
  const changed = new Set<string>()
  let rev = after
  for (const commit of layout.commitsAfter(tables, after, head, within)) {
    if (changed.size >= limit && rev > after) break
    for (const key of commit.keys) if (isBelow(key, prefixes)) changed.add(key)
    rev = commit.rev
  }
  const put: Entry[] = []
  const gone: string[] = []
  for (const key of changed) {
    const bytes = entries.get(layout.keyBytes(key), within)
    if (bytes === undefined) gone.push(key)
    else put.push(layout.entryOf(key, bytes, unchecked))
  }
  return { rev, put, gone, more: rev < head }
}
