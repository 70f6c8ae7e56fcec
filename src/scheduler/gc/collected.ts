/**
 * How many things were over and were collected.
 *
 * @public
 */
export interface Collected {
  /** Dead jobs, with all of their versions. */
  readonly jobs: number
  readonly evaluations: number
  readonly allocations: number
  readonly deployments: number
  /** Nodes that were down. */
  readonly nodes: number
  /** Access tokens that had expired. */
  readonly tokens: number
}

/**
 * Things that were over were collected.
 *
 * @public
 */
export interface GarbageCollected extends Collected {
  readonly type: 'garbage.collected'
}
