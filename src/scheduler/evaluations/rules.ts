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
 *
 * @public
 */
export const isTerminalEvaluation = ({ Status }: Pick<EvaluationRecord, 'Status'>): boolean =>
  Status === 'complete' || Status === 'failed' || Status === 'canceled'

/** Whether an evaluation is not to be worked off before some later instant. */
export const isWaiting = (
  { Status, WaitUntil }: Pick<EvaluationRecord, 'Status' | 'WaitUntil'>,
  now: Instant,
): boolean => Status === 'pending' && (waitsUntil({ WaitUntil }) ?? now) > now

/** The instant an evaluation waits for. */
export const waitsUntil = ({ WaitUntil }: Pick<EvaluationRecord, 'WaitUntil'>): Instant | undefined =>
  WaitUntil === null ? undefined : fromRfc3339(WaitUntil)

/** What an evaluation means to its job: nothing any more, that it is looked at, or that some of it waits for room. */
export type EvaluationPhase = 'over' | 'open' | 'queued'

export const phaseOf = (
  evaluation: Pick<EvaluationRecord, 'Status' | 'QueuedAllocations'>,
): EvaluationPhase =>
  isTerminalEvaluation(evaluation) ? 'over' : evaluation.QueuedAllocations === null ? 'open' : 'queued'

/** How many evaluations of a job stay, and of which phases the others go. */
export interface KeptEvaluations {
  readonly most: number
  readonly phases: readonly EvaluationPhase[]
}
