import type { Table, Tx } from '../../../store/index.ts'
import type { Deployment, DeploymentRecord } from '../../deployments/model.ts'
import { deploymentRecords } from '../../records/collections.ts'
import { beginning } from '../read/list.ts'
import type { OfJob } from './job-children.ts'

/** How many of a job's deployments that are over a decision sees: the newest. */
const remembered = 16

/** The deployments of jobs, with what one commit writes of them. Most of a job's are over, and never looked at again. */
export function jobDeployments(tx: Tx, table: Table<Deployment>) {
  const written = new Map<string, DeploymentRecord | undefined>()

  const storedOf = ({ name: { Namespace, ID } }: OfJob): readonly Deployment[] => {
    // Nothing of the job may come, go or change until this commit: what is derived here rests on it.
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
    /** Those that are not over, and the newest of the others; oldest first. */
    of: (account: OfJob): readonly DeploymentRecord[] => {
      const { Namespace, ID } = account.name
      const rows: { readonly row: DeploymentRecord; readonly created: number }[] = []
      for (const row of storedOf(account))
        if (!written.has(row.ID)) rows.push({ row, created: row.CreateIndex })
      for (const row of written.values()) {
        if (row?.Namespace !== Namespace || row.JobID !== ID) continue
        // What is new comes last.
        const created = tx.now.get(deploymentRecords.keyOf(row.ID))?.created ?? Number.MAX_VALUE
        rows.push({ row, created })
      }
      return rows.sort((a, b) => a.created - b.created).map(({ row }) => row)
    },
  }
}
