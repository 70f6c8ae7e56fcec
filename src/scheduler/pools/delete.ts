import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { PoolSpec } from './model.ts'
import { isBuiltIn, listProblems } from './rules.ts'

/**
 * The remaining users of a pool.
 */
export interface PoolUse {
  /** Whether a node is registered in the pool. */
  readonly nodes: boolean
  /** Whether a job that is not dead names the pool; dead jobs do not count. */
  readonly liveJobs: boolean
  /** The region these were found in. */
  readonly region: string
}

/**
 * A pool was removed.
 */
export interface PoolDeleted {
  readonly type: 'pool.deleted'
  readonly pool: string
}

/**
 * Removes an unused node pool.
 *
 * @param pool - the current pool, if it exists
 *
 * @returns the pool's name, or `pool_name_empty`, `pool_in_use` (nodes, jobs that are not dead, or both),
 * `built_in_pool_kept`, `pool_unknown`, checked in that order
 *
 * @example
 * ```ts
 * import { systemEnv } from 'plinth'
 * import { deletePool } from 'plinth/scheduler'
 *
 * const use = { nodes: false, liveJobs: false, region: 'global' }
 * const outcome = deletePool(undefined, { name: 'gpu', use }, systemEnv())
 * outcome.ok || outcome.refusal.message // 'node pool gpu not found'
 * ```
 */
export function deletePool(
  pool: PoolSpec | undefined,
  input: { readonly name: string; readonly use: PoolUse },
  _env?: Env,
): Outcome<
  PoolSpec | undefined,
  string,
  PoolDeleted,
  'pool_name_empty' | 'pool_in_use' | 'built_in_pool_kept' | 'pool_unknown'
> {
  checkArguments('input', input)
  const { name, use } = input
  if (name === '') return refuse('pool_name_empty', 'node pool name is empty')
  const users = [
    ...(use.liveJobs ? [`node pool "${name}" has non-terminal jobs in regions: [${use.region}]`] : []),
    ...(use.nodes ? [`node pool "${name}" has nodes in regions: [${use.region}]`] : []),
  ]
  if (users.length > 0) return refuse('pool_in_use', listProblems(users))
  if (isBuiltIn(name)) return refuse('built_in_pool_kept', `deleting node pool "${name}" is not allowed`)
  if (pool === undefined) return refuse('pool_unknown', `node pool ${name} not found`)
  return { ok: true, state: undefined, value: name, events: [{ type: 'pool.deleted', pool: name }] }
}
