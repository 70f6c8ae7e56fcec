import type { Evaluation } from './model.ts'

/**
 * An evaluation that another one is related to.
 */
export type RelatedEvaluation = Omit<Evaluation, 'FailedTGAllocs' | 'QueuedAllocations' | 'SnapshotIndex'>

/**
 * An evaluation with its related ones.
 */
export interface EvaluationWithRelated extends Evaluation {
  /** Oldest first. */
  readonly RelatedEvals: readonly RelatedEvaluation[]
}

/** The maximum number of links followed: each re-evaluation of a job adds one. */
const most = 100

/** Follows an evaluation's links, and theirs, to all reachable ones. */
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
