import { type Collection, rowKey, type Table, type Tx } from '../../../store/index.ts'
import { beginning } from '../read/list.ts'

interface JobChild {
  readonly ID: string
  readonly Namespace: string
  readonly JobID: string
}

/** What one commit knows of one job; the same for as long as it lasts. */
export interface OfJob {
  readonly name: { readonly Namespace: string; readonly ID: string }
}

/** What became of one record in a commit. */
type Change<Row> = readonly [before: Row | undefined, after: Row | undefined]

/** The records of one kind that belong to jobs, with what this commit writes of them. */
export function jobChildren<Row extends JobChild>(
  tx: Tx,
  records: Collection<Row>,
  table: Table<Row & { readonly CreateIndex: number }>,
) {
  const written = new Map<string, Row | undefined>()
  const read = new Map<OfJob, readonly Row[]>()
  /** What was found since something was written last: it is asked for several times, and may be thousands. */
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
    // Nothing of the job may come, go or change until this commit: what is derived here rests on all of it.
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
    /** Those that are stored, without what this commit writes. */
    stored: storedOf,
    /** What this commit wrote of a job's so far, in its order. */
    changesOf: ({ Namespace, ID }: OfJob['name']): readonly Change<Row>[] =>
      changes.get(rowKey(Namespace, ID)) ?? [],
    of: (account: OfJob): readonly Row[] => {
      const stored = storedOf(account)
      if (written.size === 0) return stored
      const known = found.get(account)
      if (known !== undefined) return known
      const { Namespace, ID } = account.name
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
      found.set(account, rows)
      return rows
    },
  }
}
