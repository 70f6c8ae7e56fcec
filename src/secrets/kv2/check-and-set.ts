import { casMismatch } from '../../kernel/check-and-set.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { KvConfig } from './model.ts'
import { defaultConfig } from './rules.ts'

/** Why a write's check-and-set was refused. */
export type CasRefusal = 'cas_required' | 'cas_mismatch'

/**
 * Why a write is refused: the version that its writer expects is not the newest; 0 means "none yet".
 *
 * @returns `undefined` if the write is allowed
 *
 * @example
 * ```ts
 * import { casProblem, defaultConfig } from 'plinth/kv'
 *
 * casProblem({ current: 3, casRequired: false }, 3) // undefined
 * casProblem({ current: 3, casRequired: false }, 2)?.refusal.code // 'cas_mismatch'
 * casProblem(undefined, undefined, { ...defaultConfig, casRequired: true })?.refusal.code // 'cas_required'
 * ```
 */
export function casProblem(
  secret: { readonly current: number; readonly casRequired: boolean } | undefined,
  cas: number | undefined,
  config: KvConfig = defaultConfig,
): Refused<CasRefusal> | undefined {
  if (cas === undefined)
    return config.casRequired || secret?.casRequired
      ? refuse('cas_required', 'check-and-set parameter required for this call')
      : undefined
  return casMismatch(secret?.current ?? 0, cas)
}
