import type { Table, Tx } from '../../../store/index.ts'
import type { Deployment, DeploymentRecord } from '../../deployments/model.ts'
import { deploymentRecords } from '../../records/collections.ts'
import { beginning } from '../read/list.ts'
import type { OfJob } from './job-children.ts'

/** How many finished deployments of a job a decision sees: the newest ones. */
const remembered = 16

/** The deployments of jobs, with the writes of one commit. Most of a job's are finished and never read again. */
export function jobDeployments(tx: Tx, table: Table<Deployment>) {
  const written = new Map<string, DeploymentRecord | undefined>()

  const storedOf = ({ name: { Namespace, ID } }: OfJob): readonly Deployment[] => {
    // The commit fails if any of the job's records changes before it: the result depends on them.
    if (tx.guard(deploymentRecords.name, 'job', Namespace, ID) === 0) return []
    const rows = table.at(tx.now).by('phase')
    const over = {
      prefix: beginning([Namespace, ID, 'over']),
      reverse: true,
      limit: remembered + written.size,
    }
    return [...rows.scan({ prefix: beginning([Namespace, ID, 'active']) }), ...rows.scan(over)]
  }

  return {
    put: (row: DeploymentRecord) => {
      tx.put(deploymentRecords, row)
      written.set(row.ID, row)
    },
    delete: (id: string) => {
      tx.delete(deploymentRecords, id)
      written.set(id, undefined)
    },
    /** The unfinished ones, and the newest of the others; oldest first. */
    of: (account: OfJob): readonly DeploymentRecord[] => {
      const { Namespace, ID } = account.name
      const rows: { readonly row: DeploymentRecord; readonly created: number }[] = []
      for (const row of storedOf(account))
        if (!written.has(row.ID)) rows.push({ row, created: row.CreateIndex })
      for (const row of written.values()) {
        if (row?.Namespace !== Namespace || row.JobID !== ID) continue
        // New ones come last.
        const created = tx.now.get(deploymentRecords.keyOf(row.ID))?.created ?? Number.MAX_VALUE
        rows.push({ row, created })
      }
      return rows.sort((a, b) => a.created - b.created).map(({ row }) => row)
    },
  }
}
