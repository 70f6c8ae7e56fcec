import { type Collection, rowKey, type Table, type Tx } from '../../../store/index.ts'
import { beginning } from '../read/list.ts'

interface JobChild {
  readonly ID: string
  readonly Namespace: string
  readonly JobID: string
}

/** The records of one job within a commit; constant until its end. */
export interface OfJob {
  readonly name: { readonly Namespace: string; readonly ID: string }
}

/** The change of one record in a commit. */
type Change<Row> = readonly [before: Row | undefined, after: Row | undefined]

/** The records of one kind that belong to jobs, with the writes of this commit. */
export function jobChildren<Row extends JobChild>(
  tx: Tx,
  records: Collection<Row>,
  table: Table<Row & { readonly CreateIndex: number }>,
) {
  const written = new Map<string, Row | undefined>()
  const read = new Map<OfJob, readonly Row[]>()
  /** Cached until the next write: it is read several times, and can have thousands of records. */
  const found = new Map<OfJob, readonly Row[]>()
  /** By job, what was written in its order. */
  const changes = new Map<string, Change<Row>[]>()
  const change = (id: string, after: Row | undefined) => {
    const before = written.has(id) ? written.get(id) : tx.get(records, id)?.value
    written.set(id, after)
    found.clear()
    const row = after ?? before
    if (row === undefined) return
    const key = rowKey(row.Namespace, row.JobID)
    const known = changes.get(key)
    if (known === undefined) changes.set(key, [[before, after]])
    else known.push([before, after])
  }
  const storedOf = (account: OfJob): readonly Row[] => {
    const known = read.get(account)
    if (known !== undefined) return known
    const { Namespace, ID } = account.name
    // The commit fails if any of the job's records changes before it: the result depends on all of them.
    const isEmpty = tx.guard(records.name, 'job', Namespace, ID) === 0
    const rows: readonly Row[] = isEmpty
      ? []
      : table
          .at(tx.now)
          .by('job')
          .scan({ prefix: beginning([Namespace, ID]) })
    read.set(account, rows)
    return rows
  }
  return {
    put: (row: Row) => {
      change(row.ID, row)
      tx.put(records, row)
    },
    delete: (id: string) => {
      change(id, undefined)
      tx.delete(records, id)
    },
    /** The stored records, without the writes of this commit. */
    stored: storedOf,
    /** The writes of this commit to a job's records so far, in order. */
    changesOf: ({ Namespace, ID }: OfJob['name']): readonly Change<Row>[] =>
      changes.get(rowKey(Namespace, ID)) ?? [],
    of: (account: OfJob): readonly Row[] => {
      const stored = storedOf(account)
      if (written.size === 0) return stored
      const known = found.get(account)
      if (known !== undefined) return known
      const rows = afterWrites(stored, written, account)
      found.set(account, rows)
      return rows
    },
  }
}

/** The stored records of a job as the writes of a commit leave them. */
function afterWrites<Row extends JobChild>(
  stored: readonly Row[],
  written: ReadonlyMap<string, Row | undefined>,
  { name: { Namespace, ID } }: OfJob,
): readonly Row[] {
  const added = new Map(written)
  const rows: Row[] = []
  for (const row of stored) {
    const isWritten = written.has(row.ID)
    const now = isWritten ? written.get(row.ID) : row
    if (isWritten) added.delete(row.ID)
    if (now !== undefined) rows.push(now)
  }
  for (const row of added.values())
    if (row !== undefined && row.Namespace === Namespace && row.JobID === ID) rows.push(row)
  return rows
}
