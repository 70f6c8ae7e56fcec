import * as z from 'zod'
import { policyName } from './policy.ts'

/**
 * A stored policy: its rules are text, in HCL or JSON.
 */
export const AclPolicyRecord = z.object({
  Name: z.string().regex(policyName, 'a policy name has 1 to 128 letters, digits and hyphens'),
  Description: z.string().max(256).default(''),
  Rules: z.string().default(''),
})
/**
 * A stored policy: its rules are text, in HCL or JSON.
 */
export interface AclPolicyRecord extends z.infer<typeof AclPolicyRecord> {}
/**
 * An {@link AclPolicyRecord} as callers write it: its description is optional.
 */
export interface AclPolicyInput extends z.input<typeof AclPolicyRecord> {}

const named = z.object({ Name: z.string().default('') })

/** A role as it is named by a token: by its ID. */
const RoleLink = z.object({ ID: z.string().default(''), Name: z.string().default('') })

/**
 * A stored role: policies that tokens have together.
 */
export const AclRoleRecord = z.object({
  ID: z.string().min(1),
  Name: z.string(),
  Description: z.string().default(''),
  Policies: z.array(named).default([]),
})
/**
 * A stored role: policies that tokens have together.
 */
export interface AclRoleRecord extends z.infer<typeof AclRoleRecord> {}

/**
 * The fields of a role that a caller writes.
 */
export const AclRoleWrite = z.object({
  ID: z.string().default(''),
  Name: z.string().default(''),
  Description: z.string().default(''),
  /** The names of policies, which exist; at least one. */
  Policies: z.array(named).default([]),
})
/**
 * The fields of a role that a caller writes.
 */
export interface AclRoleWrite extends z.infer<typeof AclRoleWrite> {}
/**
 * An {@link AclRoleWrite} with optional fields.
 */
export interface AclRoleInput extends z.input<typeof AclRoleWrite> {}

/**
 * A role as it is read and listed.
 */
export const AclRole = AclRoleRecord.extend({ CreateIndex: z.int(), ModifyIndex: z.int() })
/**
 * A role as it is read and listed.
 */
export interface AclRole extends z.infer<typeof AclRole> {}

/**
 * A stored token. Its bearer sends the secret; the accessor is its public name.
 */
export const AclTokenRecord = z.object({
  AccessorID: z.string().min(1),
  SecretID: z.string().min(1),
  Name: z.string().max(256).default(''),
  Type: z.enum(['client', 'management']),
  Policies: z.array(z.string()).default([]),
  /** The roles whose policies it has as well. */
  Roles: z.array(RoleLink).default([]),
  Global: z.boolean().default(false),
  /** RFC 3339. */
  CreateTime: z.string().default('1970-01-01T00:00:00Z'),
  ExpirationTime: z.string().nullable().default(null),
})
/**
 * A stored token. Its bearer sends the secret; the accessor is its public name.
 */
export interface AclTokenRecord extends z.infer<typeof AclTokenRecord> {}

/**
 * The fields of a token that a caller writes. The type is case-insensitive and is checked with the other fields.
 */
export const AclTokenWrite = z.object({
  AccessorID: z.string().default(''),
  Name: z.string().default(''),
  Type: z.string().default(''),
  Policies: z.array(z.string()).default([]),
  /** The roles whose policies it has as well: each by its ID or its name. */
  Roles: z.array(RoleLink).default([]),
  Global: z.boolean().default(false),
  /** A duration such as `8h`; empty for none. */
  ExpirationTTL: z.string().default(''),
  /** RFC 3339. */
  ExpirationTime: z.string().nullable().default(null),
})
/**
 * The fields of a token that a caller writes. The type is case-insensitive and is checked with the other fields.
 */
export interface AclTokenWrite extends z.infer<typeof AclTokenWrite> {}
/**
 * An {@link AclTokenWrite} with optional fields: only the type is required, everything else has a default.
 */
export interface AclTokenInput extends z.input<typeof AclTokenWrite> {}

/**
 * A policy as it is read.
 */
export const AclPolicy = AclPolicyRecord.extend({ CreateIndex: z.int(), ModifyIndex: z.int() })
/**
 * A policy as it is read.
 */
export interface AclPolicy extends z.infer<typeof AclPolicy> {}

/**
 * A policy as lists show it: without its rules.
 */
export const AclPolicyStub = AclPolicy.omit({ Rules: true })
/**
 * A policy as lists show it: without its rules.
 */
export interface AclPolicyStub extends z.infer<typeof AclPolicyStub> {}

/**
 * A token as authorised callers read it, its secret included.
 */
export const AclToken = AclTokenRecord.extend({ CreateIndex: z.int(), ModifyIndex: z.int() })
/**
 * A token as authorised callers read it, its secret included.
 */
export interface AclToken extends z.infer<typeof AclToken> {}

/**
 * A token as lists show it, and as filters see it: without its secret.
 */
export const AclTokenStub = AclToken.omit({ SecretID: true })
/**
 * A token as lists show it, and as filters see it: without its secret.
 */
export interface AclTokenStub extends z.infer<typeof AclTokenStub> {}
