import { runToEnd } from '../../kernel/run-to-end.ts'
import { namesOf } from './capabilities.ts'
import type { Acl, CompiledRule, RuleSource } from './compile.ts'
import { type AclRequest, type Decision, type DecisionReason, decideAsked } from './decide.ts'
import { patternOf } from './patterns.ts'
import { segmentIndex } from './segment-index.ts'

/**
 * One rule that matches a request, and its part in the decision.
 */
export interface RuleExplanation {
  readonly pattern: string
  readonly capabilities: readonly string[]
  readonly sources: readonly RuleSource[]
  /** Whether this is the rule that decided; the others were less specific. */
  readonly decisive: boolean
}

/**
 * A decision in words, with every rule that matches, the deciding one first.
 */
export interface Explanation {
  readonly allowed: boolean
  readonly reason: DecisionReason
  readonly text: string
  readonly rules: readonly RuleExplanation[]
}

/**
 * Says which rule decided about a request, and why. For people and tests: it checks every rule, which {@link decide}
 * does not.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { compileAcl, explainDecision, parsePolicy } from 'plinth/acl'
 *
 * const policy = unwrap(parsePolicy('app', 'path "secret/*" { capabilities = ["read"] }'))
 * const acl = compileAcl([{ policy }])
 * explainDecision(acl, { path: 'secret/db', operation: 'update' }).text
 * // 'refused: "secret/*" (policy app, line 1) allows read, not update'
 * ```
 */
export function explainDecision(acl: Acl, request: AclRequest): Explanation {
  const decision = decideAsked(acl, request)
  const matching = acl.rules.all.filter((rule) => rule === decision.rule || matches(rule.pattern, request))
  matching.sort((a, b) => Number(b === decision.rule) - Number(a === decision.rule) || b.rank - a.rank)
  return {
    allowed: decision.allowed,
    reason: decision.reason,
    text: `${decision.allowed ? 'allowed' : 'refused'}: ${wording(decision, request)}`,
    rules: matching.map((rule) => ({
      pattern: rule.pattern,
      capabilities: namesOf(rule.bits),
      sources: rule.sources.map(({ policy, line }) => ({ policy, line })),
      decisive: rule === decision.rule,
    })),
  }
}

function matches(pattern: string, { path, operation }: AclRequest): boolean {
  const bare = path.replace(/\/$/, '')
  const paths = operation === 'list' ? [`${bare}/`, bare] : [path]
  const { kind, stem } = patternOf(pattern)
  if (kind === 'exact') return paths.includes(pattern)
  if (kind === 'prefix') return paths.some((text) => text.startsWith(stem))
  let found = false
  const one = runToEnd(segmentIndex(new Map([[pattern, true]])))
  for (const text of paths) one.visit(text, () => (found = true))
  return found
}

/** A decision in words, without the verdict. */
export function wording({ reason, rule, problem }: Decision, { path, operation }: AclRequest): string {
  const named = rule ? `"${rule.pattern}" (${origin(rule)})` : ''
  const capabilities = rule ? namesOf(rule.bits).join(', ') : ''
  const words: Readonly<Record<DecisionReason, string>> = {
    root: 'the root policy allows everything',
    help: 'help is open to every token',
    granted: `${named} allows ${capabilities}`,
    no_rule: `no rule matches "${path}"`,
    denied: `${named} denies`,
    missing_capability: `${named} allows ${capabilities === 'deny' ? 'nothing' : capabilities}, not ${operation}`,
    missing_sudo: `"${path}" also needs sudo, and ${named} allows ${capabilities}`,
    parameter: `${named}: ${problem ?? ''}`,
    wrapping: `${named}: ${problem ?? ''}`,
  }
  return words[reason]
}

const origin = ({ sources }: CompiledRule): string =>
  sources.map(({ policy, line }) => `policy ${policy}, line ${line}`).join('; ')
