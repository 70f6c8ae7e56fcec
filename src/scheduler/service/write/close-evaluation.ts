import type { Env } from '../../../kernel/index.ts'
import { newEvaluation } from '../../evaluations/create.ts'
import type { EvaluationRecord } from '../../evaluations/model.ts'
import { type EvaluationMove, moveEvaluation } from '../../evaluations/move.ts'
import { isWaiting } from '../../evaluations/rules.ts'
import type { JobSpec } from '../../jobs/model.ts'
import type { SchedulerEvent } from '../events.ts'
import type { Ledger } from './ledger.ts'
import type { Unplaced } from './placement-run.ts'

/** Moves an evaluation to another status, if its lifecycle allows it. */
export function moveOn(
  ledger: Ledger,
  evaluation: EvaluationRecord,
  move: EvaluationMove,
  env: Env,
): readonly SchedulerEvent[] {
  const outcome = moveEvaluation(evaluation, move, env)
  if (!outcome.ok) return []
  ledger.putEvaluation(outcome.state)
  return outcome.events
}

/** How many of the others one commit cancels: a commit has 64 keys. */
const batch = 4

/** What an evaluation worked on. */
export interface EvaluatedJob {
  readonly job: JobSpec
  readonly jobModifyIndex: number
  /** `undefined` without a deployment. */
  readonly deploymentId: string | undefined
}

/**
 * Ends a finished evaluation: it completes, or creates a blocked one for allocations without a place. Older blocked
 * evaluations of the job are cancelled.
 *
 * @param unplaced - by task group, how many found no room, and why
 */
export function closeEvaluation(
  ledger: Ledger,
  evaluation: EvaluationRecord,
  about: EvaluatedJob,
  unplaced: ReadonlyMap<string, Unplaced>,
  env: Env,
): readonly SchedulerEvent[] {
  const { job } = about
  const others = ledger.openEvaluations(job).filter((each) => each.ID !== evaluation.ID)
  const lacking = unplaced.size > 0
  if (lacking && evaluation.Status === 'blocked') return []
  const events = [...endOf(ledger, evaluation, about, unplaced, env)]
  const waiting = others.filter(({ Status }) => Status === 'blocked').slice(0, batch)
  const superseded = others.filter((each) => each.Status === 'pending' && !isWaiting(each, env.now))
  for (const { ID } of [...waiting, ...superseded.slice(0, batch)]) {
    const other = ledger.evaluation(ID)
    if (other === undefined) continue
    const description =
      other.Status === 'blocked'
        ? `evaluation "${evaluation.ID}" successful`
        : 'canceled after more recent eval was processed'
    events.push(...moveOn(ledger, other, { verb: 'cancel', description }, env))
  }
  return events
}

function endOf(
  ledger: Ledger,
  evaluation: EvaluationRecord,
  { job, jobModifyIndex, deploymentId }: EvaluatedJob,
  unplaced: ReadonlyMap<string, Unplaced>,
  env: Env,
): readonly SchedulerEvent[] {
  if (unplaced.size === 0)
    return evaluation.Status === 'pending'
      ? moveOn(ledger, evaluation, { verb: 'complete', deploymentId }, env)
      : moveOn(
          ledger,
          evaluation,
          { verb: 'cancel', description: `evaluation "${evaluation.ID}" successful`, deploymentId },
          env,
        )
  const blocked = blockedEvaluation({ job, jobModifyIndex, previous: evaluation.ID }, unplaced, env)
  ledger.putEvaluation(blocked)
  const { ID: waiting, QueuedAllocations, FailedTGAllocs } = blocked
  const queued = QueuedAllocations ?? {}
  const move = { verb: 'complete', queued, blockedEvaluation: waiting, deploymentId } as const
  const outcome = moveEvaluation(evaluation, move, env)
  if (!outcome.ok) return []
  ledger.putEvaluation(Object.assign({}, outcome.state, { FailedTGAllocs }))
  return outcome.events
}

/** The evaluation that waits for room for allocations without a place. */
export function blockedEvaluation(
  {
    job,
    jobModifyIndex,
    previous,
  }: { readonly job: JobSpec; readonly jobModifyIndex: number; readonly previous: string },
  unplaced: ReadonlyMap<string, Unplaced>,
  env: Env,
): EvaluationRecord {
  const pending = newEvaluation({ trigger: 'queued-allocs', job, jobModifyIndex }, env)
  return Object.assign(pending, {
    Status: 'blocked' as const,
    StatusDescription: 'created to place remaining allocations',
    PreviousEval: previous,
    QueuedAllocations: Object.fromEntries([...unplaced].map(([group, { count }]) => [group, count])),
    FailedTGAllocs: failedOf(unplaced),
  })
}

/** The reasons why allocations found no place, by task group, as evaluations store them. */
const failedOf = (unplaced: ReadonlyMap<string, Unplaced>): EvaluationRecord['FailedTGAllocs'] =>
  // Plain data of one shape; the record takes any JSON.
  JSON.parse(
    JSON.stringify(Object.fromEntries([...unplaced].map(([group, { metrics }]) => [group, metrics]))),
  )
