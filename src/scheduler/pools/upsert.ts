import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { PoolSpec } from './model.ts'
import { isBuiltIn, listProblems, poolProblems } from './rules.ts'

/**
 * A pool was written.
 */
export interface PoolUpserted {
  readonly type: 'pool.upserted'
  readonly pool: string
  /** Whether it did not exist before. */
  readonly created: boolean
}

/**
 * Creates or replaces a node pool completely: omitted fields are reset.
 *
 * @remarks
 * Writing an unchanged pool is a write like any other and raises its index.
 *
 * @param pool - the current pool of that name, if it exists
 *
 * @returns the pool's name, or `invalid_pool` (every problem of its fields), `built_in_pool`
 *
 * @example
 * ```ts
 * import { systemEnv, unwrapStep } from 'plinth'
 * import { upsertPool } from 'plinth/scheduler'
 *
 * const gpu = { Name: 'gpu', Description: 'Cards', Meta: null, SchedulerConfiguration: null }
 * const outcome = upsertPool(undefined, gpu, systemEnv())
 * unwrapStep(outcome).state?.Description // 'Cards'
 * ```
 */
export function upsertPool(
  pool: PoolSpec | undefined,
  input: PoolSpec,
  _env?: Env,
): Outcome<PoolSpec | undefined, string, PoolUpserted, 'invalid_pool' | 'built_in_pool'> {
  checkArguments('input', input)
  const problems = poolProblems(input)
  if (problems.length > 0)
    return refuse('invalid_pool', `invalid node pool "${input.Name}": ${listProblems(problems)}`)
  if (isBuiltIn(input.Name))
    return refuse('built_in_pool', `modifying node pool "${input.Name}" is not allowed`)
  const event: PoolUpserted = { type: 'pool.upserted', pool: input.Name, created: pool === undefined }
  return { ok: true, state: Object.assign({}, input), value: input.Name, events: [event] }
}
