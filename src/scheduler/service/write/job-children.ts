import type { Collection, Table, Tx } from '../../../store/index.ts'
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
      tx.put(records, row)
      written.set(row.ID, row)
      found.clear()
    },
    delete: (id: string) => {
      tx.delete(records, id)
      written.set(id, undefined)
      found.clear()
    },
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
