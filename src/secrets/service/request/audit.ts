import type { RequestRecord } from '../../../http/index.ts'
import type { Decision } from '../../acl/index.ts'
import type { Token } from '../../tokens/index.ts'

/**
 * One HTTP request for an auditor: caller, path, operation and outcome. It contains no secret: of a token only its
 * accessor and a keyed digest, and no bodies.
 *
 * @public
 */
export interface AuditRecord extends RequestRecord<AuditCaller> {
  /** The namespace's path; empty for the root. */
  readonly namespace: string
  /** The path within the namespace; where it ends in a nonce or a token, that is left out. */
  readonly path: string
  /** What the request wanted to do: `create`, `read`, `update`, `delete`, `list`, `patch`, `help`. */
  readonly operation: string
  /** Whose token it was; null without one, or with one that is not known. */
  readonly caller: AuditCaller | null
  /** Which rule decided, and why; null where no policy was asked. */
  readonly decision: {
    readonly allowed: boolean
    readonly reason: Decision['reason']
    readonly rule: string | null
    readonly policies: readonly string[]
  } | null
}

/**
 * Whose token an audited request brought.
 *
 * @public
 */
export interface AuditCaller {
  readonly accessor: string
  readonly displayName: string
  readonly policies: readonly string[]
  /** Equal for equal tokens of this service, and useless elsewhere. */
  readonly tokenDigest: string
}

/** What is noted of a request on its way. */
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
 * Paths that end in a secret: a number challenge is open to callers that know its nonce; and old clients ask, in vain, for
 * tokens by their text.
 */
const secretEnd = /(^auth\/.+\/verify\/|^auth\/token\/(?:lookup|renew|revoke(?:-orphan)?)\/).+$/s

/** A path as it may be written down. */
export const auditedPath = (path: string): string => path.replace(secretEnd, '$1…')
