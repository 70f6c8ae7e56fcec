import * as z from 'zod'

export const DeliveredCode = z.strictObject({
  /** Digest of the code: the code itself is nowhere but in the message that carried it. */
  digest: z.string(),
  expiresAt: z.int(),
  /** How many more tries it stands. */
  triesLeft: z.int(),
})

export const TwoFactor = z.strictObject({
  /** The authenticator app's secret in base32; null when codes are only delivered. */
  totpSecret: z.string().nullable(),
  /** The last period whose code was used: a code works once. */
  lastCounter: z.int(),
  /** Where codes are delivered by `sms`; null leaves it to the delivery port. */
  phone: z.string().nullable(),
  /** The code that was delivered last, until it is used. */
  delivered: DeliveredCode.nullable(),
  /** How many wrong codes came since the last right one, and when the last of them; left out where none did. */
  wrong: z.strictObject({ count: z.int(), at: z.int() }).optional(),
})
/**
 * What a user needs beyond the password.
 *
 * @public
 */
export interface TwoFactor extends z.infer<typeof TwoFactor> {}

export const Account = z.strictObject({
  username: z.string(),
  /** An organization has members and cannot log in. */
  kind: z.enum(['user', 'organization']),
  email: z.string().nullable(),
  /** In the crypto port's own format, with salt and cost; null: cannot log in with a password. */
  passwordHash: z.string().nullable(),
  twoFactor: TwoFactor.nullable(),
  avatarUrl: z.string(),
  /** Markdown. */
  profile: z.string(),
  /** User names of who may do to its boxes what an owner may; folded. */
  members: z.array(z.string()),
  /** Whether the user may do everything that owners may, and make users; left out: no. */
  administrator: z.boolean().optional(),
  /** Its bills are unpaid: its boxes answer 402. */
  delinquent: z.boolean(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
/**
 * A user or an organization: what owns boxes. Instants are milliseconds since the Unix epoch.
 *
 * @public
 */
export interface Account extends z.infer<typeof Account> {}

export const Token = z.strictObject({
  /** Digest of the token's text, which is shown once and kept nowhere. */
  hash: z.string(),
  username: z.string(),
  description: z.string(),
  createdAt: z.int(),
})
/**
 * A token of a user, known by its digest.
 *
 * @public
 */
export interface Token extends z.infer<typeof Token> {}
