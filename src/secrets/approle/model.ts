import * as z from 'zod'
import type { TokenSettings } from '../tokens/token-settings.ts'

/**
 * A role that machines log in as. Durations are whole seconds, 0 for "not set".
 *
 * @public
 */
export const ApproleRole = z.strictObject({
  /** Lower case. */
  name: z.string(),
  /** Names this life of the role: the secret IDs of a role that was deleted are not those of its successor. */
  incarnation: z.string(),
  /** The role ID, which logins use. */
  roleId: z.string(),
  /** Whether a login takes a secret ID. */
  bindSecretId: z.boolean(),
  /** Networks that logins with its secret IDs may come from; empty for any. */
  secretIdBoundCidrs: z.array(z.string()),
  /** How many logins a secret ID is good for; 0 without limit. */
  secretIdNumUses: z.int().min(0),
  secretIdTtlSeconds: z.int().min(0),
  localSecretIds: z.boolean(),
  tokens: z.custom<TokenSettings>(),
})
export interface ApproleRole extends z.infer<typeof ApproleRole> {}

/**
 * A stored secret ID: everything but its text, of which only a keyed digest is stored.
 *
 * @public
 */
export const ApproleSecretId = z.strictObject({
  digest: z.string(),
  /** A name that can be shown: it looks the secret ID up and destroys it, but does not log in. */
  accessor: z.string(),
  metadata: z.record(z.string(), z.string()),
  /** Networks that logins may come from; empty for any. */
  cidrList: z.array(z.string()),
  /** Networks that the tokens of its logins are bound to; empty for those of the role. */
  tokenBoundCidrs: z.array(z.string()),
  /** Logins left; 0 without limit. */
  numUses: z.int().min(0),
  ttlSeconds: z.int().min(0),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** null: it never expires. */
  expiresAt: z.int().nullable(),
})
export interface ApproleSecretId extends z.infer<typeof ApproleSecretId> {}

/** An event at a mount of the method. Never contains a secret ID. @public */
export type ApproleEvent =
  | { readonly type: 'approle.role_written'; readonly role: string }
  | { readonly type: 'approle.secret_id_made'; readonly role: string; readonly accessor: string }
  | { readonly type: 'approle.logged_in'; readonly role: string }
  | { readonly type: 'approle.login_refused'; readonly reason: string }
