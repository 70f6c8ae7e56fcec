import type { Evaluation } from './model.ts'

/**
 * An evaluation among those another one is related to.
 *
 * @public
 */
export type RelatedEvaluation = Omit<Evaluation, 'FailedTGAllocs' | 'QueuedAllocations' | 'SnapshotIndex'>

/**
 * An evaluation with those it is related to.
 *
 * @public
 */
export interface EvaluationWithRelated extends Evaluation {
  /** Oldest first. */
  readonly RelatedEvals: readonly RelatedEvaluation[]
}

/** How many are followed: each job that is looked at again adds one. */
const most = 100

/** Follows an evaluation's links, and theirs, to all that can be reached. */
export function relatedTo(
  evaluation: Evaluation,
  read: (id: string) => Evaluation | undefined,
): readonly RelatedEvaluation[] {
  const found = new Map<string, Evaluation>([[evaluation.ID, evaluation]])
  for (const { NextEval, PreviousEval, BlockedEval } of found.values())
    for (const id of [NextEval, PreviousEval, BlockedEval]) {
      if (id === '' || found.has(id) || found.size > most) continue
      const next = read(id)
      if (next !== undefined && next.Namespace === evaluation.Namespace) found.set(id, next)
    }
  found.delete(evaluation.ID)
  return [...found.values()]
    .sort((a, b) => a.CreateIndex - b.CreateIndex)
    .map(({ FailedTGAllocs: _, QueuedAllocations: __, SnapshotIndex: ___, ...related }) => related)
}
