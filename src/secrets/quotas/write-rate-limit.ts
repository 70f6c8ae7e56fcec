import { type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { nameProblem } from '../name-length.ts'
import type { QuotaEvent, RateLimit } from './model.ts'

/** What a quota is for, as its path says. */
export interface QuotaTarget {
  readonly namespaceId: string
  readonly isRootNamespace: boolean
  readonly mount: { readonly id: string; readonly path: string; readonly hasRoles: boolean } | undefined
  readonly suffix: string
}

/** The terms of a new rate limit. */
export interface NewRateLimit {
  readonly rate: number
  /** A second by default. */
  readonly intervalSeconds?: number | undefined
  readonly blockIntervalSeconds?: number | undefined
  readonly role?: string | undefined
  /** Always true in the root namespace, false by default in others. */
  readonly inheritable?: boolean | undefined
}

const invalid = (message: string): Refused<'quota_invalid'> => refuse('quota_invalid', message)

/** Creates or replaces a rate limit, one of all. */
export function writeRateLimit(
  quotas: readonly RateLimit[],
  {
    name,
    target,
    rate,
    intervalSeconds,
    blockIntervalSeconds = 0,
    role = '',
    inheritable,
  }: NewRateLimit & { readonly name: string; readonly target: QuotaTarget },
  env: Env,
): Outcome<readonly RateLimit[], RateLimit, QuotaEvent, 'quota_invalid'> {
  const wrong = nameProblem('quota name', name)
  if (wrong !== undefined) return invalid(wrong)
  if (!(rate > 0 && Number.isFinite(rate))) return invalid("'rate' is invalid: expected a number above 0")
  if ((intervalSeconds ?? 0) < 0) return invalid("'interval' is invalid: expected a duration")
  if (blockIntervalSeconds < 0) return invalid("'block' is invalid: expected a duration")
  const problem = roleProblem(target, role) ?? inheritanceProblem(target, inheritable)
  if (problem !== undefined) return invalid(problem)
  const made: RateLimit = {
    name,
    id: env.newId('quota'),
    namespaceId: target.namespaceId,
    mountId: target.mount?.id ?? null,
    suffix: target.suffix,
    role,
    rate,
    intervalSeconds: intervalSeconds || 1,
    blockIntervalSeconds,
    inheritable: inheritable ?? target.isRootNamespace,
  }
  const others = quotas.filter((other) => other.name !== name)
  const same = others.find((other) => isForTheSame(other, made))
  if (same !== undefined)
    return invalid(`quota rule with similar properties exists under the name ${JSON.stringify(same.name)}`)
  return { ok: true, state: [...others, made], value: made, events: [{ type: 'quota.written', name }] }
}

function roleProblem({ mount, suffix }: QuotaTarget, role: string): string | undefined {
  if (role === '') return undefined
  if (suffix !== '')
    return 'Quotas cannot contain both a path suffix and a role: with a role, path must be that of an auth method with roles'
  return mount?.hasRoles
    ? undefined
    : `Mount path ${JSON.stringify(mount?.path ?? '')} does not support use with role-based quotas`
}

function inheritanceProblem(target: QuotaTarget, inheritable: boolean | undefined): string | undefined {
  if (inheritable && target.mount !== undefined)
    return 'only namespace quotas can be configured as inheritable'
  return inheritable === false && target.isRootNamespace ? 'all global quotas must be inheritable' : undefined
}

const isForTheSame = (a: RateLimit, b: RateLimit): boolean =>
  a.namespaceId === b.namespaceId &&
  a.mountId === b.mountId &&
  a.suffix === b.suffix &&
  a.role.toLowerCase() === b.role.toLowerCase()
