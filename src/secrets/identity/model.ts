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

/** An event of an identity. */
export type IdentityEvent =
  | { readonly type: 'identity.entity_written'; readonly entity: string }
  | { readonly type: 'identity.entity_deleted'; readonly entity: string }
  | { readonly type: 'identity.group_written'; readonly group: string }
  | { readonly type: 'identity.group_deleted'; readonly group: string }
