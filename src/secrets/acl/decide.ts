import { checkArguments } from '../../kernel/check-arguments.ts'
import { runToEnd } from '../../kernel/run-to-end.ts'
import { capabilityBits, everything, namesOf, type Operation } from './capabilities.ts'
import type { Acl, CompiledRule } from './compile.ts'
import { hasParameterRules, judgingParameters, type Parameters } from './parameters.ts'

/**
 * An operation on a path, to be decided.
 */
export interface AclRequest {
  /** Without leading slash, namespace included: `team/a/secret/data/db`. */
  readonly path: string
  /** A write is `create` if nothing exists yet and the endpoint can tell, otherwise `update`. */
  readonly operation: Operation
  /** The canonical form, if `path` is another spelling: a rule for either applies to both. */
  readonly alias?: string | undefined
  /** The members of the body (or query) that parameter rules look at. */
  readonly parameters?: Parameters | undefined
  /** Seconds of wrapping asked for; 0 or absent when none. */
  readonly wrapTtlSeconds?: number | undefined
  /** Whether the path is one of those that also need `sudo`, as {@link needsSudo} tells; `false` by default. */
  readonly needsSudo?: boolean | undefined
}

/** The reason for a decision. */
export type DecisionReason =
  | 'root'
  | 'help'
  | 'granted'
  | 'no_rule'
  | 'denied'
  | 'missing_capability'
  | 'missing_sudo'
  | 'parameter'
  | 'wrapping'

/**
 * A decision and its reason.
 */
export interface Decision {
  readonly allowed: boolean
  /** Whether the deciding rule also grants `sudo`. */
  readonly sudo: boolean
  readonly reason: DecisionReason
  /** The deciding rule; absent for root, help, and if no rule matches. */
  readonly rule?: CompiledRule
  /** The parameter or wrapping rule that the request violates; contains no values. */
  readonly problem?: string
}

const rootDecision: Decision = { allowed: true, sudo: true, reason: 'root' }
const helpDecision: Decision = { allowed: true, sudo: false, reason: 'help' }
const noRule: Decision = { allowed: false, sudo: false, reason: 'no_rule' }

/**
 * Decides whether policies allow a request. Exactly one rule decides: the one for the exact path, or else the most
 * specific pattern; rules of different patterns never add up.
 *
 * @remarks
 * A list of `dir` is one of `dir/`, and also takes a rule for `dir`. Parameter rules are about the request's own
 * top-level members: a version 2 secret's pairs are inside `data` and cannot be told apart by them.
 *
 * @throws TypeError for an unknown operation, and for a path that begins with `/`, or with `v1/` if no rule does
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { compileAcl, decide, parsePolicy } from 'plinth/acl'
 *
 * const policy = unwrap(parsePolicy('dev', 'path "secret/data/team/*" { capabilities = ["read", "list"] }'))
 * const acl = compileAcl([{ policy }])
 * decide(acl, { path: 'secret/data/team/db', operation: 'read' }).allowed // true
 * decide(acl, { path: 'secret/data/team/db', operation: 'update' }).reason // 'missing_capability'
 * decide(acl, { path: 'secret/data/other', operation: 'read' }).reason // 'no_rule'
 * ```
 */
export function decide(acl: Acl, request: AclRequest): Decision {
  checkArguments('acl request', acl, request)
  const problem = requestProblem(acl, request)
  if (problem !== undefined) throw new TypeError(problem)
  return decideAsked(acl, request)
}

const operations = ['create', 'read', 'update', 'patch', 'delete', 'list', 'scan', 'help']

/** Why a request is a mistake of the caller: a decision would only hide it. */
function requestProblem(acl: Acl, { path, operation }: AclRequest): string | undefined {
  if (!operations.includes(operation)) return `${operation} is not an operation; use one of ${operations}`
  if (!path.startsWith('/') && !path.startsWith('v1/')) return undefined
  const bare = path.replace(/^\/*(v1\/)?/, '')
  return acl.rules.all.some(({ pattern }) => pattern.startsWith('v1/'))
    ? undefined
    : `no rule matches ${path}; use ${bare}`
}

/** Decides like {@link decide}, without checking the request for mistakes. */
export function decideAsked(acl: Acl, request: AclRequest): Decision {
  const decision = decideRule(acl, request)
  // Without a generator for nearly every request.
  return decision.rule && hasParameterRules(decision.rule) ? runToEnd(decidingAsked(acl, request)) : decision
}

/** Decides like {@link decideAsked}, if parameters do not matter. */
export function decideRule(acl: Acl, request: AclRequest): Decision {
  const { path: asked, operation } = request
  if (isRoot(acl, asked)) return rootDecision
  if (operation === 'help') return helpDecision
  const listing = operation === 'list' || operation === 'scan'
  // A folder can be listed with or without its slash.
  const path = listing && !asked.endsWith('/') ? `${asked}/` : asked
  const rule = ruleFor(acl, path, listing, request.alias)
  if (rule === undefined) return noRule
  const sudo = (rule.bits & capabilityBits.sudo) !== 0
  if (rule.bits & capabilityBits.deny) return { allowed: false, sudo: false, reason: 'denied', rule }
  if ((rule.bits & capabilityBits[operation]) === 0) {
    return { allowed: false, sudo, reason: 'missing_capability', rule }
  }
  if (request.needsSudo && !sudo) return { allowed: false, sudo, reason: 'missing_sudo', rule }
  const wrapping = wrappingProblem(rule, request.wrapTtlSeconds ?? 0)
  if (wrapping) return { allowed: false, sudo, reason: 'wrapping', rule, problem: wrapping }
  return { allowed: true, sudo, reason: 'granted', rule }
}

/** Lists and deletions have no parameters. */
const hasParameters = ({ operation }: AclRequest): boolean =>
  operation !== 'list' && operation !== 'scan' && operation !== 'delete'

/** Decides like {@link decideAsked}, in steps: the values of parameters may be long. */
export function* decidingAsked(acl: Acl, request: AclRequest): Generator<undefined, Decision> {
  const decision = decideRule(acl, request)
  if (decision.reason !== 'granted' || decision.rule === undefined || !hasParameters(request)) return decision
  const { sudo, rule } = decision
  const problem = yield* judgingParameters(rule, request.parameters ?? {})
  return problem ? { allowed: false, sudo, reason: 'parameter', rule, problem } : decision
}

const isRoot = ({ rootOf }: Acl, path: string): boolean =>
  rootOf.some((namespace) => path.startsWith(namespace))

/** The one rule that decides about a path. */
export function ruleFor(
  acl: Acl,
  path: string,
  listing: boolean,
  alias?: string | undefined,
): CompiledRule | undefined {
  const bare = listing && path.endsWith('/') ? path.slice(0, -1) : undefined
  const other = bare ?? alias
  const { exact: byPath } = acl.rules
  if (other === undefined) return byPath.get(path) ?? bestPattern(acl, [path])
  const exact = byPath.get(path) ?? byPath.get(other)
  return exact ?? bestPattern(acl, bare ? [path] : [path, other]) ?? bestPattern(acl, [other])
}

/**
 * Whether policies grant anything at a folder or below it (`secret/`): callers may know that a mount exists if they may
 * use a part of it.
 */
export function reaches(acl: Acl, folder: string): boolean {
  const allows = (rule: CompiledRule | undefined) =>
    rule !== undefined && rule.bits !== 0 && (rule.bits & capabilityBits.deny) === 0
  return (
    isRoot(acl, folder) ||
    allows(ruleFor(acl, folder, true)) ||
    acl.rules.all.some((rule) => allows(rule) && leadsInto(rule.pattern, folder))
  )
}

/** Whether a pattern matches only paths below a folder: `secret/data/*` and `+/data/*` belong to `secret/`. */
function leadsInto(pattern: string, folder: string): boolean {
  const parts = pattern.split('/')
  const segments = folder.split('/').slice(0, -1)
  return (
    parts.length > segments.length &&
    segments.every((segment, at) => parts[at] === '+' || parts[at] === segment)
  )
}

function bestPattern(acl: Acl, paths: readonly string[]): CompiledRule | undefined {
  let best: CompiledRule | undefined
  const consider = (rule: CompiledRule | undefined) => {
    if (rule && rule.rank > (best?.rank ?? -1)) best = rule
  }
  for (const path of paths) {
    consider(acl.rules.prefixes.longest(path))
    acl.rules.segments.visit(path, consider)
  }
  return best
}

function wrappingProblem(rule: CompiledRule, seconds: number): string | undefined {
  const { minWrappingTtlSeconds: min, maxWrappingTtlSeconds: max } = rule
  if (min === 0 && max === 0) return undefined
  if (seconds === 0) return 'the response must be wrapped'
  if (max > 0 && seconds > max) return `the response may be wrapped for at most ${max} seconds`
  return seconds < min ? `the response must be wrapped for at least ${min} seconds` : undefined
}

/**
 * The capabilities at a path, sorted: `['root']` for the root policy, `['deny']` for none.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { capabilitiesOf, compileAcl, parsePolicy } from 'plinth/acl'
 *
 * const policy = unwrap(parsePolicy('app', 'path "secret/*" { capabilities = ["read", "list"] }'))
 * const acl = compileAcl([{ policy }])
 * capabilitiesOf(acl, 'secret/db') // ['list', 'read']
 * capabilitiesOf(acl, 'sys/mounts') // ['deny']
 * ```
 */
export function capabilitiesOf(acl: Acl, path: string): readonly string[] {
  if (isRoot(acl, path)) return ['root']
  return namesOf((ruleFor(acl, path, true)?.bits ?? 0) & (everything | capabilityBits.deny))
}
