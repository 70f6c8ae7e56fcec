import type { Instant } from '../../kernel/index.ts'
import { fromRfc3339 } from '../values/instants.ts'
import type { EvaluationRecord } from './model.ts'

/**
 * Whether an evaluation is over.
 *
 * @example
 * ```ts
 * import { isTerminalEvaluation } from 'plinth/scheduler'
 *
 * isTerminalEvaluation({ Status: 'complete' }) // true
 * isTerminalEvaluation({ Status: 'blocked' }) // false
 * ```
 */
export const isTerminalEvaluation = ({ Status }: Pick<EvaluationRecord, 'Status'>): boolean =>
  Status === 'complete' || Status === 'failed' || Status === 'canceled'

/** Whether an evaluation must wait for a later instant. */
export const isWaiting = (
  { Status, WaitUntil }: Pick<EvaluationRecord, 'Status' | 'WaitUntil'>,
  now: Instant,
): boolean => Status === 'pending' && (waitsUntil({ WaitUntil }) ?? now) > now

/** The instant an evaluation waits for. */
export const waitsUntil = ({ WaitUntil }: Pick<EvaluationRecord, 'WaitUntil'>): Instant | undefined =>
  WaitUntil === null ? undefined : fromRfc3339(WaitUntil)

/** The phase of an evaluation: over, in progress, or blocked because a part waits for resources. */
export type EvaluationPhase = 'over' | 'open' | 'queued'

export const phaseOf = (
  evaluation: Pick<EvaluationRecord, 'Status' | 'QueuedAllocations'>,
): EvaluationPhase =>
  isTerminalEvaluation(evaluation) ? 'over' : evaluation.QueuedAllocations === null ? 'open' : 'queued'

/** The number of kept evaluations per job, and the phases of those that may be deleted. */
export interface KeptEvaluations {
  readonly most: number
  readonly phases: readonly EvaluationPhase[]
}
