import { isBelow } from './check.ts'
import { StoreError } from './errors.ts'
import type { Changes, Entry, Rev, Since } from './port.ts'

/** What of a snapshot its changes are found in. */
export interface Remembered {
  readonly head: Rev
  readonly floor: Rev
  get(key: string): Entry | undefined | Promise<Entry>
  /** The commits after a revision, oldest first. */
  commitsAfter(after: Rev): Iterable<{ readonly rev: Rev; readonly keys: readonly string[] }>
}

/** The changes since a revision, in one snapshot. */
export async function collectChanges(
  { head, floor, get, commitsAfter }: Remembered,
  { after, prefixes, limit = Number.POSITIVE_INFINITY }: Since,
): Promise<Changes> {
  if (after < floor || after > head)
    throw new StoreError(
      'compacted',
      `revision ${after} is not in the remembered ${floor} to ${head}: read the state again`,
    )
  const changed = new Set<string>()
  let rev = after
  for (const commit of commitsAfter(after)) {
    if (changed.size >= limit && rev > after) break
    for (const key of commit.keys) if (isBelow(key, prefixes)) changed.add(key)
    rev = commit.rev
  }
  const put: Entry[] = []
  const gone: string[] = []
  for (const key of changed) {
    const found = get(key)
    const entry = found instanceof Promise ? await found : found
    if (entry === undefined) gone.push(key)
    else put.push(entry)
  }
  return { rev, put, gone, more: rev < head }
}
