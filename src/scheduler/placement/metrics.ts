/**
 * The score of a node for an allocation: by rule, from -1 to 1.
 */
export interface NodeScore {
  readonly NodeID: string
  readonly Scores: Readonly<Record<string, number>>
  /** The mean of the scores. */
  readonly NormScore: number
}

/**
 * Why allocations of a task group could not be placed.
 */
export interface PlacementMetrics {
  /** The evaluated nodes: ready, eligible, in the job's pool and datacenters. */
  readonly NodesEvaluated: number
  /** Of these, the number that can never take the group. */
  readonly NodesFiltered: number
  /** Of these, the number that could, with more capacity. */
  readonly NodesExhausted: number
  /** The number of evaluated nodes, by datacenter. */
  readonly NodesAvailable: Readonly<Record<string, number>>
  /** The filtered nodes by class; nodes without a class are not included. */
  readonly ClassFiltered: Readonly<Record<string, number>>
  /** The filtered nodes by constraint, or other missing requirement. */
  readonly ConstraintFiltered: Readonly<Record<string, number>>
  /** The exhausted nodes by class. */
  readonly ClassExhausted: Readonly<Record<string, number>>
  /** The number of exhausted nodes, by the missing resource (`cpu`, `memory`, `disk`, …). */
  readonly DimensionExhausted: Readonly<Record<string, number>>
  /** The scores of the nodes chosen for the group's previous allocations, newest first; at most five. */
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
