import * as z from 'zod'
import { LockoutSettings } from '../lockout/model.ts'

const names = z.array(z.string()).optional()

/**
 * A secrets engine or an auth method at its path.
 */
export const Mount = z.strictObject({
  /** Identifies this incarnation of the mount in keys: a path that is disabled and enabled again gets another. */
  id: z.string(),
  /** Its path with a trailing slash: `secret/`, `auth/idp/`. */
  path: z.string(),
  /** Its type: `kv`, `idp`, `token`… */
  type: z.string(),
  description: z.string(),
  /** A stable public name, which survives moving the mount. */
  accessor: z.string(),
  /** The engine's own options; `version` of a `kv` mount. */
  options: z.record(z.string(), z.string()).nullable(),
  /** 0 for the system's setting. */
  defaultLeaseTtlSeconds: z.int().min(0),
  /** 0 for the system's setting. */
  maxLeaseTtlSeconds: z.int().min(0),
  /** The type of token that an auth method creates. */
  tokenType: z.enum(['default-service', 'default-batch', 'service', 'batch']),
  /** Whether callers without a token see it in the user interface's list. */
  listingVisibility: z.enum(['', 'hidden', 'unauth']),
  local: z.boolean(),
  sealWrap: z.boolean(),
  createdAt: z.int(),
  /** Whether its entries are being rewritten for another version; requests are refused meanwhile. */
  upgrading: z.boolean(),
  /** How often an auth method was moved: each move invalidates the tokens of earlier logins. */
  moves: z.int().min(0).optional(),
  /** The lockout settings of an auth method; missing if it has none. */
  userLockout: LockoutSettings.partial().optional(),
  /** Fields of requests whose strings audit devices write in clear. */
  auditNonHmacRequestKeys: names,
  /** Fields of answers whose strings audit devices write in clear. */
  auditNonHmacResponseKeys: names,
  /** Kept for clients: engines of the original read these request headers. */
  passthroughRequestHeaders: names,
  /** Kept for clients: engines of the original may set these response headers. */
  allowedResponseHeaders: names,
})
export interface Mount extends z.infer<typeof Mount> {}

/**
 * All mounts of one namespace: one record, so that no two of them can ever collide.
 */
export const MountTable = z.strictObject({
  /** Path → mount. */
  mounts: z.record(z.string(), Mount),
})
export interface MountTable extends z.infer<typeof MountTable> {}

/** The type of token that an auth method's logins create, by its mount. */
export type TokenType = Mount['tokenType']

/** The lists of names that enabling and tuning set. */
export type MountNames = Pick<
  Mount,
  | 'auditNonHmacRequestKeys'
  | 'auditNonHmacResponseKeys'
  | 'passthroughRequestHeaders'
  | 'allowedResponseHeaders'
>

/** An event of a mount. */
export type MountEvent =
  | { readonly type: 'mount.enabled'; readonly path: string; readonly mountType: string }
  | { readonly type: 'mount.tuned'; readonly path: string }
  | { readonly type: 'mount.moved'; readonly path: string; readonly to: string }
  | { readonly type: 'mount.disabled'; readonly path: string }
