import * as z from 'zod'

const notes = z.record(z.string(), z.string())

/**
 * A person or a machine, with all of its login methods.
 */
export const Entity = z.strictObject({
  id: z.string(),
  /** Unique in its namespace. */
  name: z.string(),
  /** Granted to all tokens of the entity, beside their own. */
  policies: z.array(z.string()),
  metadata: notes,
  /** Whether its tokens are refused. */
  disabled: z.boolean(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
export interface Entity extends z.infer<typeof Entity> {}

/**
 * The name of an entity, or of an external group, at one auth method.
 */
export const IdentityAlias = z.strictObject({
  id: z.string(),
  kind: z.enum(['entity', 'group']),
  /** The entity or group that has this alias. */
  of: z.string(),
  /** The accessor of the auth mount. */
  mountAccessor: z.string(),
  name: z.string(),
  metadata: notes,
  createdAt: z.int(),
  updatedAt: z.int(),
})
export interface IdentityAlias extends z.infer<typeof IdentityAlias> {}

/**
 * A group of entities, with policies for all of them. The members of an external group come from logins.
 */
export const IdentityGroup = z.strictObject({
  id: z.string(),
  /** Unique in its namespace. */
  name: z.string(),
  type: z.enum(['internal', 'external']),
  policies: z.array(z.string()),
  metadata: notes,
  memberEntityIds: z.array(z.string()),
  memberGroupIds: z.array(z.string()),
  createdAt: z.int(),
  updatedAt: z.int(),
})
export interface IdentityGroup extends z.infer<typeof IdentityGroup> {}

/** A key pair of an {@link IdTokenKey}. */
export const IdTokenPair = z.strictObject({
  id: z.string(),
  /** PKCS #8 in base64. */
  privateKey: z.string(),
  /** The public key as a JSON Web Key, with its name and algorithm. */
  jwk: z.record(z.string(), z.string()),
})
export interface IdTokenPair extends z.infer<typeof IdTokenPair> {}

/**
 * A named key that signs ID tokens.
 */
export const IdTokenKey = z.strictObject({
  name: z.string(),
  /** The algorithm of its signatures, as JSON Web Signatures name it. */
  algorithm: z.string(),
  rotationPeriodSeconds: z.int(),
  /** How long a public key verifies tokens after its rotation. */
  verificationTtlSeconds: z.int(),
  /** The client IDs of the roles that may sign with it; `*` for all. */
  allowedClientIds: z.array(z.string()),
  current: IdTokenPair,
  /** Signs after the next rotation; verifiers learn it before. */
  next: IdTokenPair,
  nextRotationAt: z.int(),
  /** Public keys that signed before, until no token needs them. */
  retired: z.array(IdTokenPair.omit({ privateKey: true }).extend({ expiresAt: z.int() })),
})
export interface IdTokenKey extends z.infer<typeof IdTokenKey> {}

/**
 * What ID tokens contain, and which key signs them.
 */
export const IdTokenRole = z.strictObject({
  name: z.string(),
  key: z.string(),
  /** JSON with parameters, whose fields are added to the claims. */
  template: z.string(),
  /** The audience of its tokens. */
  clientId: z.string(),
  ttlSeconds: z.int(),
})
export interface IdTokenRole extends z.infer<typeof IdTokenRole> {}

/** An event of an identity. */
export type IdentityEvent =
  | { readonly type: 'identity.entity_written'; readonly entity: string }
  | { readonly type: 'identity.entity_deleted'; readonly entity: string }
  | { readonly type: 'identity.group_written'; readonly group: string }
  | { readonly type: 'identity.group_deleted'; readonly group: string }
  | { readonly type: 'identity.token_key_written'; readonly key: string }
  | { readonly type: 'identity.token_key_rotated'; readonly key: string }
  | { readonly type: 'identity.token_key_deleted'; readonly key: string }
  | { readonly type: 'identity.token_role_written'; readonly role: string }
  | { readonly type: 'identity.token_role_deleted'; readonly role: string }
