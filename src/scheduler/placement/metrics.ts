/**
 * How a node was rated for an allocation: by name of the rule, from -1 to 1.
 *
 * @public
 */
export interface NodeScore {
  readonly NodeID: string
  readonly Scores: Readonly<Record<string, number>>
  /** The mean of the scores. */
  readonly NormScore: number
}

/**
 * Why allocations of a task group found no place.
 *
 * @public
 */
export interface PlacementMetrics {
  /** The evaluated nodes: ready, eligible, in the job's pool and datacenters. */
  readonly NodesEvaluated: number
  /** Those of them that can never take the group. */
  readonly NodesFiltered: number
  /** Those of them that could, with more room. */
  readonly NodesExhausted: number
  /** The number of evaluated nodes, by datacenter. */
  readonly NodesAvailable: Readonly<Record<string, number>>
  /** By class, the nodes that were filtered; nodes without a class are not in it. */
  readonly ClassFiltered: Readonly<Record<string, number>>
  /** By constraint, or what else is missing, the nodes that were filtered. */
  readonly ConstraintFiltered: Readonly<Record<string, number>>
  /** By class, the nodes that are exhausted. */
  readonly ClassExhausted: Readonly<Record<string, number>>
  /** The number of exhausted nodes, by the missing resource (`cpu`, `memory`, `disk`, …). */
  readonly DimensionExhausted: Readonly<Record<string, number>>
  /** How the nodes were rated that took allocations of the group just before, newest first; at most five. */
  readonly ScoreMetaData: readonly NodeScore[]
  /** How many more allocations failed for the same reasons. */
  readonly CoalescedFailures: number
}

/** Counts the results for nodes. */
export class NodeTally {
  readonly #available = new Map<string, number>()
  readonly #classFiltered = new Map<string, number>()
  readonly #constraintFiltered = new Map<string, number>()
  readonly #classExhausted = new Map<string, number>()
  readonly #dimensionExhausted = new Map<string, number>()
  #evaluated = 0
  #filtered = 0
  #exhausted = 0

  evaluated({ Datacenter }: { readonly Datacenter: string }): void {
    this.#evaluated += 1
    increase(this.#available, Datacenter)
  }

  filtered({ NodeClass }: { readonly NodeClass: string }, reason: string): void {
    this.#filtered += 1
    if (NodeClass !== '') increase(this.#classFiltered, NodeClass)
    increase(this.#constraintFiltered, reason)
  }

  exhausted({ NodeClass }: { readonly NodeClass: string }, dimension: string): void {
    this.#exhausted += 1
    if (NodeClass !== '') increase(this.#classExhausted, NodeClass)
    increase(this.#dimensionExhausted, dimension)
  }

  metrics(scores: readonly NodeScore[]): PlacementMetrics {
    return {
      NodesEvaluated: this.#evaluated,
      NodesFiltered: this.#filtered,
      NodesExhausted: this.#exhausted,
      NodesAvailable: Object.fromEntries(this.#available),
      ClassFiltered: Object.fromEntries(this.#classFiltered),
      ConstraintFiltered: Object.fromEntries(this.#constraintFiltered),
      ClassExhausted: Object.fromEntries(this.#classExhausted),
      DimensionExhausted: Object.fromEntries(this.#dimensionExhausted),
      ScoreMetaData: scores,
      CoalescedFailures: 0,
    }
  }
}

const increase = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
