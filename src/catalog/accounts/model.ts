import * as z from 'zod'
import { Role } from './role.ts'

export const DeliveredCode = z.strictObject({
  /** The digest of the code: the code itself is only in the delivered message. */
  digest: z.string(),
  expiresAt: z.int(),
  /** The remaining number of tries. */
  triesLeft: z.int(),
})

export const TwoFactor = z.strictObject({
  /** The authenticator app's secret in base32; null when codes are only delivered. */
  totpSecret: z.string().nullable(),
  /** The last period whose code was used: a code works once. */
  lastCounter: z.int(),
  /** The destination for `sms`; null leaves it to the delivery port. */
  phone: z.string().nullable(),
  /** The code that was delivered last, until it is used. */
  delivered: DeliveredCode.nullable(),
  /** The digests of the recovery codes that are left; omitted if there were none. */
  recovery: z.array(z.string()).optional(),
  /** The number of wrong codes since the last right one, and the time of the last; omitted if there are none. */
  wrong: z.strictObject({ count: z.int(), at: z.int() }).optional(),
})
/**
 * The two-factor settings of a user.
 */
export interface TwoFactor extends z.infer<typeof TwoFactor> {}

export const Account = z.strictObject({
  username: z.string(),
  /** An organization has members and cannot sign in. */
  kind: z.enum(['user', 'organization']),
  email: z.string().nullable(),
  /** In the crypto port's own format, with salt and cost; null: cannot sign in with a password. */
  passwordHash: z.string().nullable(),
  twoFactor: TwoFactor.nullable(),
  /** The secret of a new authenticator, in base32, until its first code confirms it. */
  enrolment: z.strictObject({ totpSecret: z.string(), expiresAt: z.int() }).optional(),
  avatarUrl: z.string(),
  /** Markdown. */
  profile: z.string(),
  /** The roles of its members on its boxes, by folded user name. */
  members: z.record(z.string(), Role),
  /** Whether the user may do everything that owners may, and create users; omitted if not. */
  administrator: z.boolean().optional(),
  /** Its bills are unpaid: its boxes answer 402. */
  delinquent: z.boolean(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
/**
 * A user or an organization: the owner of boxes. Instants are milliseconds since the Unix epoch.
 */
export interface Account extends z.infer<typeof Account> {}

export const Token = z.strictObject({
  /** The digest of the token's text, which is shown once and not stored. */
  hash: z.string(),
  username: z.string(),
  description: z.string(),
  createdAt: z.int(),
  /** When it expires; omitted if it does not. */
  expiresAt: z.int().optional(),
  /** What it may do of what its user may; omitted if that is everything. */
  limits: z
    .strictObject({
      role: Role,
      /** Folded names. */
      owners: z.array(z.string()).optional(),
    })
    .optional(),
})
/**
 * A token of a user, known by its digest.
 */
export interface Token extends z.infer<typeof Token> {}
