import type { Env } from '../../../kernel/index.ts'
import { newEvaluation } from '../../evaluations/create.ts'
import type { EvaluationRecord } from '../../evaluations/model.ts'
import { isTerminalEvaluation, waitsUntil } from '../../evaluations/rules.ts'
import { rfc3339 } from '../../values/instants.ts'
import type { Cluster } from '../cluster.ts'
import { moveOn } from './close-evaluation.ts'
import { done, mustRecord } from './record.ts'

/**
 * Fails an evaluation after all retries. A follow-up evaluates its job again after a pause, when the cause may be gone.
 *
 * @param tries - how often it was tried
 */
export async function failEvaluation(cluster: Cluster, id: string, tries: number): Promise<void> {
  await mustRecord(cluster, (ledger, env) => {
    const evaluation = ledger.evaluation(id)
    if (evaluation === undefined || isTerminalEvaluation(evaluation)) return done()
    const unblocked =
      evaluation.Status === 'blocked' ? moveOn(ledger, evaluation, { verb: 'unblock' }, env) : []
    const job = ledger.job({ Namespace: evaluation.Namespace, ID: evaluation.JobID })
    const followUp = job && followUpOf(evaluation, job.modified, env)
    const description = `evaluation reached delivery limit (${tries})`
    const failing = { verb: 'fail', description, nextEvaluation: followUp?.ID } as const
    const failed = moveOn(ledger, ledger.evaluation(id) ?? evaluation, failing, env)
    if (followUp !== undefined) ledger.putEvaluation(followUp)
    return done([...unblocked, ...failed])
  })
}

/** The delay of a first follow-up, in milliseconds; it doubles with each further one. */
const firstWait = 60_000
const longestWait = 3_600_000

function followUpOf(failed: EvaluationRecord, jobModifyIndex: number, env: Env): EvaluationRecord {
  const waited = failed.TriggeredBy === 'failed-follow-up' ? waitOf(failed) : 0
  const wait = Math.min(longestWait, Math.max(firstWait, 2 * waited))
  const job = {
    ID: failed.JobID,
    Namespace: failed.Namespace,
    Type: failed.Type,
    Priority: failed.Priority,
  }
  const cause = {
    trigger: 'failed-follow-up',
    job,
    jobModifyIndex,
    deploymentId: failed.DeploymentID,
  } as const
  return Object.assign(newEvaluation(cause, env), {
    PreviousEval: failed.ID,
    WaitUntil: rfc3339(env.now + wait),
  })
}

/** How long an evaluation had to wait, in milliseconds. */
const waitOf = (evaluation: EvaluationRecord): number =>
  (waitsUntil(evaluation) ?? 0) - evaluation.CreateTime / 1e6
