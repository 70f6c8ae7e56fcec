import * as z from 'zod'
import type { TokenSettings } from '../tokens/token-settings.ts'

/**
 * A role that machines sign in as. Durations are whole seconds, 0 for "not set".
 */
export const ApproleRole = z.strictObject({
  /** Lower case. */
  name: z.string(),
  /** Identifies this incarnation of the role: the secret IDs of a deleted role are not valid for its successor. */
  incarnation: z.string(),
  /** The role ID, which logins use. */
  roleId: z.string(),
  /** Whether a login requires a secret ID. */
  bindSecretId: z.boolean(),
  /** Allowed networks for logins with its secret IDs; empty for any. */
  secretIdBoundCidrs: z.array(z.string()),
  /** How many logins a secret ID allows; 0 for no limit. */
  secretIdNumUses: z.int().min(0),
  secretIdTtlSeconds: z.int().min(0),
  localSecretIds: z.boolean(),
  tokens: z.custom<TokenSettings>(),
})
export interface ApproleRole extends z.infer<typeof ApproleRole> {}

/**
 * A stored secret ID: everything but its text, of which only a keyed digest is stored.
 */
export const ApproleSecretId = z.strictObject({
  digest: z.string(),
  /** A public name: it can look up and destroy the secret ID, but not sign in. */
  accessor: z.string(),
  metadata: z.record(z.string(), z.string()),
  /** Allowed networks for logins; empty for any. */
  cidrList: z.array(z.string()),
  /** Networks to which the tokens of its logins are bound; empty for those of the role. */
  tokenBoundCidrs: z.array(z.string()),
  /** Remaining logins; 0 for no limit. */
  numUses: z.int().min(0),
  ttlSeconds: z.int().min(0),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** null: it never expires. */
  expiresAt: z.int().nullable(),
})
export interface ApproleSecretId extends z.infer<typeof ApproleSecretId> {}

/** An event at a mount of the method. Never contains a secret ID. */
export type ApproleEvent =
  | { readonly type: 'approle.role_written'; readonly role: string }
  | { readonly type: 'approle.secret_id_made'; readonly role: string; readonly accessor: string }
  | { readonly type: 'approle.logged_in'; readonly role: string }
  | { readonly type: 'approle.login_refused'; readonly reason: string }
