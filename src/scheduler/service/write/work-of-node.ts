import type { Snapshot } from '../../../store/index.ts'
import type { Allocation } from '../../allocations/model.ts'
import { hasEnded } from '../../allocations/rules.ts'
import type { NodeChangeRecord } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import type { JobName, Ledger } from './ledger.ts'
import { evaluate } from './specification.ts'

/** The allocations on a node that have not ended, told to stop or not. */
export const stillOn = ({ tables }: Cluster, now: Snapshot, nodeId: string): readonly Allocation[] =>
  tables.allocations
    .at(now)
    .by('node')
    .scan({ prefix: beginning([nodeId]) })
    .filter((each) => !hasEnded(each))

/** Creates an evaluation of a job because of a node, unless the job was stopped. */
export function lookAtJob(
  cluster: Cluster,
  ledger: Ledger,
  name: JobName,
  { nodeId, trigger }: { readonly nodeId: string; readonly trigger: NodeChangeRecord['Trigger'] },
): readonly string[] {
  const job = ledger.job(name)
  if (job === undefined || job.value.Stop) return []
  const cause = { nodeId, jobModifyIndex: job.modified }
  const made = evaluate(ledger, job.value, trigger, cluster.env(), cause)
  return made === undefined ? [] : [made.ID]
}
