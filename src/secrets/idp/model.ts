import * as z from 'zod'
import type { TokenSettings } from '../tokens/token-settings.ts'

/**
 * The configuration of a mount: its identity provider, and the settings of its tokens.
 */
export const IdpConfig = z.strictObject({
  orgName: z.string(),
  /** The provider's API token, which group queries need; empty for none. Never returned. */
  apiToken: z.string(),
  /** Base domain; empty for the provider's own. */
  baseUrl: z.string(),
  /** Skips the second factor, and ignores the provider's status after a right password. */
  bypassMfa: z.boolean(),
  tokens: z.custom<TokenSettings>(),
})
export interface IdpConfig extends z.infer<typeof IdpConfig> {}

/**
 * The local settings of a user. Names are case-sensitive.
 */
export const IdpUser = z.strictObject({
  username: z.string(),
  groups: z.array(z.string()),
  policies: z.array(z.string()),
})
export interface IdpUser extends z.infer<typeof IdpUser> {}

/**
 * The policies of a group. Names are in lower case.
 */
export const IdpGroup = z.strictObject({ name: z.string(), policies: z.array(z.string()) })
export interface IdpGroup extends z.infer<typeof IdpGroup> {}

/** An event at an auth mount. Never contains a password, passcode or answer. */
export type IdpEvent =
  | { readonly type: 'idp.configured' }
  | { readonly type: 'idp.user_written'; readonly username: string }
  | { readonly type: 'idp.group_written'; readonly group: string }
  | { readonly type: 'idp.logged_in'; readonly username: string }
  | { readonly type: 'idp.login_refused'; readonly username: string; readonly reason: string }
