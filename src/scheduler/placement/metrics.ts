import type { NodeScore, PlacementMetrics } from './metrics-model.ts'

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

  /** @param pool - the name of the job's pool, and how many nodes it has */
  metrics(
    scores: readonly NodeScore[],
    pool: { readonly name: string; readonly size: number },
  ): PlacementMetrics {
    return {
      NodesEvaluated: this.#evaluated,
      NodesFiltered: this.#filtered,
      NodesExhausted: this.#exhausted,
      NodesInPool: pool.size,
      NodePool: pool.name,
      NodesAvailable: Object.fromEntries(this.#available),
      ClassFiltered: Object.fromEntries(this.#classFiltered),
      ConstraintFiltered: Object.fromEntries(this.#constraintFiltered),
      ClassExhausted: Object.fromEntries(this.#classExhausted),
      DimensionExhausted: Object.fromEntries(this.#dimensionExhausted),
      ScoreMetaData: [...scores],
      CoalescedFailures: 0,
    }
  }
}

const increase = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
