import type { Decision } from '../../acl/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { AuditRecord } from '../core/audit-record.ts'

/** The audit data that is collected during a request. */
export interface AuditNotes {
  token?: Token
  decision?: Decision
}

export const callerOf = ({ token }: AuditNotes): AuditRecord['caller'] =>
  token
    ? {
        accessor: token.accessor,
        displayName: token.displayName,
        policies: token.policies,
        tokenDigest: token.digest,
      }
    : null

export const decisionOf = ({ decision }: AuditNotes): AuditRecord['decision'] =>
  decision
    ? {
        allowed: decision.allowed,
        reason: decision.reason,
        rule: decision.rule?.pattern ?? null,
        policies: decision.rule?.sources.map(({ policy }) => policy) ?? [],
      }
    : null

/**
 * Paths that end in a secret: a number challenge is open to callers that know its nonce, and old clients send the text of
 * a token in an unsupported path.
 */
const secretEnd = /^(auth\/(?:.+\/verify|token\/(?:lookup|renew|revoke(?:-orphan)?))\/).+$/s

/** A path without secrets, for the log. */
export const auditedPath = (path: string): string =>
  path.startsWith('auth/') ? path.replace(secretEnd, '$1…') : path
