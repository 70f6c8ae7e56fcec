/**
 * The numbers of collected objects.
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
 * Finished objects were collected.
 */
export interface GarbageCollected extends Collected {
  readonly type: 'garbage.collected'
}
