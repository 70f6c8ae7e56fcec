import { runToEnd } from '../../kernel/run-to-end.ts'
import { bitsOf, capabilityBits } from './capabilities.ts'
import type { PathRule, Policy } from './model.ts'
import { bothRules } from './parameters.ts'
import { comparePatterns, patternOf } from './patterns.ts'
import { type PrefixIndex, prefixIndex } from './prefix-index.ts'
import { type SegmentIndex, segmentIndex } from './segment-index.ts'

/**
 * A granted policy: its paths are relative to its namespace (`''`, or `team/a/`).
 */
export interface Grant {
  readonly policy: Policy
  readonly namespace?: string | undefined
}

/**
 * The source of a compiled rule: the policy and the line of its path block.
 */
export interface RuleSource {
  readonly policy: string
  readonly line: number
}

/** A path block and its own settings. */
export interface RuleBlock extends RuleSource {
  /** Capability bits. */
  readonly bits: number
}

/**
 * Everything that several policies define for one pattern.
 */
export interface CompiledRule {
  readonly pattern: string
  readonly sources: readonly RuleBlock[]
  /** Among matching rules with wildcards, the greatest decides. */
  readonly rank: number
  /** Capability bits. */
  readonly bits: number
  readonly allowedParameters: ReadonlyMap<string, readonly unknown[]>
  readonly deniedParameters: ReadonlyMap<string, readonly unknown[]>
  readonly requiredParameters: readonly string[]
  readonly minWrappingTtlSeconds: number
  readonly maxWrappingTtlSeconds: number
}

/**
 * Several policies compiled for decisions. Compile once per set of policies, decide as often as needed.
 */
export interface Acl {
  /** The namespaces (`''` for the root one) at and below which everything is allowed. */
  readonly rootOf: readonly string[]
  /** The rules, indexed by their patterns. */
  readonly rules: RuleIndex
}

/** Rules by the kind of their patterns. */
interface RuleIndex {
  readonly exact: ReadonlyMap<string, CompiledRule>
  readonly prefixes: PrefixIndex<CompiledRule>
  readonly segments: SegmentIndex<CompiledRule>
  readonly all: readonly CompiledRule[]
}

type Building = { -readonly [Name in keyof CompiledRule]: CompiledRule[Name] }

/**
 * Compiles the policies of a token.
 *
 * @param grants - the policies; one called `root` allows everything
 * @param resolve - returns the text for `{{name}}` in a path; a rule with an unknown name is omitted
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { compileAcl, decide, parsePolicy } from 'plinth/acl'
 *
 * const policy = unwrap(parsePolicy('app', 'path "secret/*" { capabilities = ["read"] }'))
 * const acl = compileAcl([{ policy }])
 * decide(acl, { path: 'secret/db', operation: 'read' }).allowed // true
 * decide(acl, { path: 'secret/db', operation: 'update' }).allowed // false
 * ```
 */
export function compileAcl(grants: readonly Grant[], resolve: Resolve = () => undefined): Acl {
  return runToEnd(compilingAcl(grants, resolve))
}

/** Returns the value of a name in a path. */
type Resolve = (name: string) => string | undefined

/** Compiles like {@link compileAcl}, in steps. */
export function* compilingAcl(
  grants: readonly Grant[],
  resolve: Resolve = () => undefined,
): Generator<undefined, Acl> {
  const rules = new Map<string, Building>()
  for (const { policy, namespace = '' } of grants) {
    for (const rule of policy.rules) {
      const path = resolved(rule.path, resolve)
      if (path === undefined) continue
      const pattern = namespace + path
      const source = { policy: policy.name, line: rule.at.line, bits: bitsOf(rule.capabilities) }
      const before = rules.get(pattern)
      if (before) add(before, rule, source)
      else rules.set(pattern, fresh(pattern, rule, source))
      yield
    }
  }
  const exact = new Map<string, CompiledRule>()
  const prefixes = new Map<string, CompiledRule>()
  const segments = new Map<string, CompiledRule>()
  const ranked = [...rules.values()]
    .map((rule) => ({ rule, pattern: patternOf(rule.pattern) }))
    .sort((a, b) => comparePatterns(a.pattern, b.pattern))
  yield
  for (const [rank, { rule, pattern }] of ranked.entries()) {
    const { kind, stem } = pattern
    rule.rank = rank
    if (kind === 'exact') exact.set(rule.pattern, rule)
    else if (kind === 'prefix') prefixes.set(stem, rule)
    else segments.set(rule.pattern, rule)
    yield
  }
  return {
    rootOf: grants.filter(({ policy }) => policy.name === 'root').map(({ namespace = '' }) => namespace),
    rules: {
      exact,
      prefixes: prefixIndex(prefixes),
      segments: yield* segmentIndex(segments),
      all: ranked.map(({ rule }) => rule),
    },
  }
}

/** Fills in `{{name}}`; a value must not act as a pattern, so one that contains a wildcard is not resolved. */
function resolved(path: string, resolve: Resolve): string | undefined {
  if (!path.includes('{{')) return path
  let complete = true
  const text = path.replace(/\{\{([^{}]*)\}\}/g, (_, name: string) => {
    const value = resolve(name.trim())
    if (value === undefined || value === '' || /[*+/]/.test(value)) complete = false
    return value ?? ''
  })
  return complete ? text : undefined
}

const fresh = (pattern: string, rule: PathRule, source: RuleBlock): Building => ({
  pattern,
  sources: [source],
  rank: 0,
  bits: source.bits,
  allowedParameters: rule.allowedParameters,
  deniedParameters: rule.deniedParameters,
  requiredParameters: rule.requiredParameters,
  minWrappingTtlSeconds: rule.minWrappingTtlSeconds,
  maxWrappingTtlSeconds: rule.maxWrappingTtlSeconds,
})

/**
 * Merges the rule of another policy with the same pattern: capabilities add up, but a single `deny` overrides them all.
 */
function add(into: Building, rule: PathRule, source: RuleBlock): void {
  into.sources = [...into.sources, source]
  const bits = into.bits | source.bits
  into.bits = bits & capabilityBits.deny ? capabilityBits.deny : bits
  into.allowedParameters = bothRules(into.allowedParameters, rule.allowedParameters)
  into.deniedParameters = bothRules(into.deniedParameters, rule.deniedParameters)
  into.requiredParameters = [...new Set([...into.requiredParameters, ...rule.requiredParameters])]
  into.minWrappingTtlSeconds = smaller(into.minWrappingTtlSeconds, rule.minWrappingTtlSeconds)
  into.maxWrappingTtlSeconds = smaller(into.maxWrappingTtlSeconds, rule.maxWrappingTtlSeconds)
}

/** The smaller of two limits, where 0 means no limit. */
const smaller = (a: number, b: number): number => (a > 0 && b > 0 ? Math.min(a, b) : a || b)
