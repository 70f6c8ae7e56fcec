import * as z from 'zod'
import type { TokenSettings } from '../tokens/token-settings.ts'

/**
 * A user of the method, and the settings of its tokens.
 */
export const UserpassUser = z.strictObject({
  /** Lower case. */
  username: z.string(),
  /** The hash of the password, with its salt and cost. Never shown. */
  passwordHash: z.string(),
  tokens: z.custom<TokenSettings>(),
})
export interface UserpassUser extends z.infer<typeof UserpassUser> {}

/** An event at a mount of the method. Never contains a password. */
export type UserpassEvent =
  | { readonly type: 'userpass.user_written'; readonly username: string }
  | { readonly type: 'userpass.logged_in'; readonly username: string }
  | { readonly type: 'userpass.login_refused'; readonly username: string; readonly reason: string }
