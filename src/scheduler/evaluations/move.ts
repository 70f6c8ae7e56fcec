import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, nextStatus, type Outcome, refuse, step } from '../../kernel/index.ts'
import { nanoseconds } from '../values/instants.ts'
import { evaluationLifecycle } from './lifecycle.ts'
import type { EvaluationRecord } from './model.ts'

/**
 * The next status of an evaluation.
 */
export interface EvaluationMove {
  readonly verb: 'complete' | 'fail' | 'cancel' | 'block' | 'unblock'
  readonly description?: string | undefined
  /** By task group, how many allocations could not be placed. */
  readonly queued?: Readonly<Record<string, number>> | undefined
  /** The evaluation that waits for capacity. */
  readonly blockedEvaluation?: string | undefined
  /** The deployment that the evaluation worked on. */
  readonly deploymentId?: string | undefined
  /** The evaluation that retries a failed one. */
  readonly nextEvaluation?: string | undefined
}

/**
 * An evaluation reached another status.
 */
export interface EvaluationMoved {
  readonly type: 'evaluation.moved'
  readonly evaluation: string
  readonly status: string
}

/**
 * Moves an evaluation along its lifecycle.
 *
 * @returns the status reached, or `evaluation_is_over`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { EvaluationRecord, moveEvaluation } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const pending = EvaluationRecord.parse({ ID: 'e1', Status: 'pending' })
 * const moved = moveEvaluation(pending, { verb: 'complete' }, env)
 * unwrap(moved) // 'complete'
 * ```
 */
export function moveEvaluation(
  evaluation: EvaluationRecord,
  input: EvaluationMove,
  env: Env,
): Outcome<EvaluationRecord, EvaluationRecord['Status'], EvaluationMoved, 'evaluation_is_over'> {
  checkArguments('evaluation input env', evaluation, input, env)
  const to = nextStatus(evaluationLifecycle, evaluation.Status, input.verb)
  if (to === undefined)
    return refuse('evaluation_is_over', `cannot ${input.verb} an evaluation that is ${evaluation.Status}`)
  return step(evaluation, (draft, emit: (event: EvaluationMoved) => void) => {
    draft.Status = to
    draft.StatusDescription = input.description ?? ''
    draft.ModifyTime = nanoseconds(env.now)
    if (input.queued !== undefined) draft.QueuedAllocations = Object.assign({}, input.queued)
    if (input.blockedEvaluation !== undefined) draft.BlockedEval = input.blockedEvaluation
    if (input.deploymentId !== undefined) draft.DeploymentID = input.deploymentId
    if (input.nextEvaluation !== undefined) draft.NextEval = input.nextEvaluation
    emit({ type: 'evaluation.moved', evaluation: evaluation.ID, status: to })
    return to
  })
}
