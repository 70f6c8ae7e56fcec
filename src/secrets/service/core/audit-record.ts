import type { RequestRecord } from '../../../http/index.ts'
import type { Decision } from '../../acl/index.ts'

/**
 * One HTTP request for an auditor: caller, path, operation and outcome. It contains no secret: of a token only its
 * accessor and a keyed digest, and no bodies.
 */
export interface AuditRecord extends RequestRecord<AuditCaller> {
  /** The namespace's path; empty for the root. */
  readonly namespace: string
  /** The path within the namespace, without a nonce or token at its end. */
  readonly path: string
  /** The operation: `create`, `read`, `update`, `delete`, `list`, `patch`, `help`. */
  readonly operation: string
  /** The owner of the token; null without a token, or with an unknown one. */
  readonly caller: AuditCaller | null
  /** The deciding rule, and the reason; null if no policy was evaluated. */
  readonly decision: {
    readonly allowed: boolean
    readonly reason: Decision['reason']
    readonly rule: string | null
    readonly policies: readonly string[]
  } | null
}

/**
 * The owner of the token of an audited request.
 */
export interface AuditCaller {
  readonly accessor: string
  readonly displayName: string
  readonly policies: readonly string[]
  /** A keyed digest: equal for equal tokens of this service. */
  readonly tokenDigest: string
}
