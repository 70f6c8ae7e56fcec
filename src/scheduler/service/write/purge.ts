import { moveEvaluation } from '../../evaluations/move.ts'
import { isTerminalEvaluation } from '../../evaluations/rules.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import { purgeRecords } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import { done, mustRecord } from './record.ts'

/** How many records one commit removes: a commit has 64 keys, and each allocation's node has a mark of its own. */
const batch = 16

/**
 * Removes the records of purged jobs, in batches. Idempotent, safe in several concurrent processes, and resumed after a
 * crash.
 */
export async function sweepPurged(cluster: Cluster): Promise<void> {
  for (const { value: purge, created } of purgeRecords.list(await cluster.view.fresh())) {
    const { Namespace, JobID, JobCreateIndex } = purge
    const name = { Namespace, ID: JobID }
    const range = { prefix: beginning([Namespace, JobID]) }
    for (let more = true; more; ) {
      const now = await cluster.view.fresh()
      const { tables } = cluster
      // Records from before the purge that name no later incarnation of the job.
      const isLeft = (row: { readonly JobCreateIndex: number; readonly CreateIndex: number }) =>
        row.CreateIndex < created && ofIncarnation(row, JobCreateIndex)
      const allocations = tables.allocations.at(now).by('job').scan(range).filter(isLeft)
      const deployments = tables.deployments.at(now).by('job').scan(range).filter(isLeft)
      const evaluations = tables.evaluations
        .at(now)
        .by('job')
        .scan(range)
        .filter((row) => row.CreateIndex < created && !isTerminalEvaluation(row))
      const due = [
        ...allocations.map(({ ID }) => ['allocation', ID] as const),
        ...deployments.map(({ ID }) => ['deployment', ID] as const),
        ...evaluations.map(({ ID }) => ['evaluation', ID] as const),
      ]
      more = due.length > batch
      await mustRecord(cluster, (ledger, env) => {
        const events = due.slice(0, batch).flatMap(([kind, id]) => {
          if (kind !== 'evaluation') {
            ledger.delete(kind, id, name)
            return []
          }
          const evaluation = ledger.evaluation(id)
          const description = `job ${JobID} deleted`
          // A blocked one waits for capacity that is no longer needed.
          const verb = evaluation?.Status === 'pending' ? 'complete' : 'cancel'
          const outcome = evaluation && moveEvaluation(evaluation, { verb, description }, env)
          if (outcome?.ok !== true) return []
          ledger.putEvaluation(outcome.state)
          return outcome.events
        })
        if (!more) ledger.tx.delete(purgeRecords, Namespace, JobID, JobCreateIndex)
        return done(events)
      })
    }
  }
}
