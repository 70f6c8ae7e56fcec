import { capabilityBits } from './capabilities.ts'
import type { Acl, CompiledRule } from './compile.ts'
import { type AclRequest, type Decision, type DecisionReason, decideAsked } from './decide.ts'
import { wording } from './explain.ts'

/**
 * A decision as fields: the deciding rule, and the missing capability.
 */
export interface AccessExplanation {
  readonly allowed: boolean
  /** The deciding policy; `null` if no rule matches. */
  readonly policy: string | null
  /** The pattern of the deciding rule; `null` if no rule matches, or the policy is `root`. */
  readonly rule: string | null
  /** The line of the rule in its policy. */
  readonly line: number | null
  /** The capability by which the rule decides: that of the operation, or `deny`; `null` if it has neither. */
  readonly capability: string | null
  /** The missing capability, or `update, sudo` for two; `null` if a capability is not what is missing. */
  readonly needed: string | null
  readonly reason: DecisionReason
  /** The same in a sentence. */
  readonly text: string
}

/**
 * Returns which policy and rule decide about a request, and which capability is required. It costs little more than
 * {@link decide}.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { compileAcl, explainAccess, parsePolicy } from 'plinth/acl'
 *
 * const policy = unwrap(parsePolicy('app', 'path "secret/*" { capabilities = ["read"] }'))
 * const { allowed, rule, needed } = explainAccess(compileAcl([{ policy }]), { path: 'secret/db', operation: 'update' })
 * // allowed: false, rule: 'secret/*', needed: 'update'
 * ```
 */
export function explainAccess(acl: Acl, request: AclRequest): AccessExplanation {
  const decision = decideAsked(acl, request)
  const { allowed, reason, rule } = decision
  const source = rule && decisiveBlock(rule, decision, request)
  return {
    allowed,
    policy: reason === 'root' ? 'root' : (source?.policy ?? null),
    rule: rule?.pattern ?? null,
    line: source?.line ?? null,
    capability: reason === 'denied' ? 'deny' : hasOperation(decision) ? request.operation : null,
    needed: neededFor(decision, request),
    reason,
    text: `${allowed ? 'allowed' : 'refused'}: ${wording(decision, request)}`,
  }
}

/** Whether the operation itself is granted, even if something else is missing. */
const hasOperation = ({ reason }: Decision): boolean =>
  reason !== 'no_rule' && reason !== 'missing_capability' && reason !== 'denied'

/** The block of a merged rule that grants or denies; the first if none does either. */
function decisiveBlock({ sources }: CompiledRule, { reason }: Decision, { operation }: AclRequest) {
  if (operation === 'help') return sources[0]
  const wanted = capabilityBits[reason === 'denied' ? 'deny' : reason === 'missing_sudo' ? 'sudo' : operation]
  return sources.find(({ bits }) => bits & wanted) ?? sources[0]
}

function neededFor({ allowed, reason, sudo }: Decision, { operation, needsSudo }: AclRequest): string | null {
  if (allowed || reason === 'parameter' || reason === 'wrapping') return null
  if (reason === 'missing_sudo') return 'sudo'
  return needsSudo && !sudo ? `${operation}, sudo` : operation
}
