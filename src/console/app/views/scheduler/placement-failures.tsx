/** Why a group could not be placed, as evaluations and plans report it. */
export interface PlacementFailure {
  readonly NodesEvaluated?: number
  readonly NodesFiltered?: number
  readonly NodesExhausted?: number
  readonly CoalescedFailures?: number
  readonly ConstraintFiltered?: Readonly<Record<string, number>> | null
  readonly ClassFiltered?: Readonly<Record<string, number>> | null
  readonly DimensionExhausted?: Readonly<Record<string, number>> | null
}

export type PlacementFailures = Readonly<Record<string, PlacementFailure>>

const reasons = (title: string, counts: PlacementFailure['ConstraintFiltered']) =>
  Object.entries(counts ?? {}).map(([reason, count]) => (
    <li key={`${title} ${reason}`}>
      {title} <code>{reason}</code> excluded {count} {count === 1 ? 'node' : 'nodes'}
    </li>
  ))

/** The reasons why groups cannot be placed. */
export function PlacementFailureList({ failures }: { readonly failures: PlacementFailures }) {
  return (
    <>
      {Object.entries(failures).map(([group, failure]) => (
        <div key={group} class="problem">
          <strong>
            {group}: {(failure.CoalescedFailures ?? 0) + 1} not placed
          </strong>
          <ul>
            {failure.NodesEvaluated === 0 && <li>No node was eligible.</li>}
            {reasons('Constraint', failure.ConstraintFiltered)}
            {reasons('Class', failure.ClassFiltered)}
            {reasons('Too little', failure.DimensionExhausted)}
          </ul>
          <p class="muted">
            {failure.NodesEvaluated ?? 0} nodes evaluated, {failure.NodesFiltered ?? 0} filtered,{' '}
            {failure.NodesExhausted ?? 0} exhausted
          </p>
        </div>
      ))}
    </>
  )
}
