import * as z from 'zod'

/**
 * A required incarnation of another record: its key, and the incarnation that distinguishes it from a later record with
 * the same key.
 */
export const TokenRef = z.strictObject({ digest: z.string(), incarnation: z.string() })
export interface TokenRef extends z.infer<typeof TokenRef> {}

/**
 * A stored token: everything but its text, of which only a keyed digest is stored.
 */
export const Token = z.strictObject({
  /** Keyed digest of the text; empty for batch tokens, which are not stored. */
  digest: z.string(),
  /** Identifies this incarnation: a custom text that is used again gets another. */
  incarnation: z.string(),
  /** A public name: it can look up and revoke the token, but not act as it. Empty for batch tokens. */
  accessor: z.string(),
  type: z.enum(['service', 'batch']),
  /** The token with which it is revoked; null for an orphan. */
  parent: TokenRef.nullable(),
  /** The namespace in which it was created; empty for the root. */
  namespace: z.string(),
  /**
   * Identifies this incarnation of the namespace: one that is created again at the same path does not accept the token.
   */
  namespaceId: z.string(),
  policies: z.array(z.string()),
  meta: z.record(z.string(), z.string()).nullable(),
  displayName: z.string(),
  /** The request path that created it: `auth/token/create`, `auth/idp/login/ada`. */
  path: z.string(),
  /** The token role that created it; null for none. */
  role: z.string().nullable(),
  createdAt: z.int(),
  /** null: it never expires. */
  expiresAt: z.int().nullable(),
  lastRenewedAt: z.int().nullable(),
  /** Seconds granted at creation. */
  creationTtlSeconds: z.int(),
  /** Seconds granted last. */
  ttlSeconds: z.int(),
  /** The explicit maximum TTL set by its creator; 0 for none. */
  explicitMaxTtlSeconds: z.int(),
  /** The effective bound from creation, the role's included; 0 for none. */
  lifeTtlSeconds: z.int(),
  /** Seconds of each renewal of a periodic token; 0 for others. */
  periodSeconds: z.int(),
  renewable: z.boolean(),
  /** Remaining requests; 0 for no limit, -1 once the last one began. */
  numUses: z.int(),
  /** Allowed networks; empty for any. */
  boundCidrs: z.array(z.string()),
  /**
   * The auth mount and user that created it, and the number of moves of the mount at that time; null for tokens created
   * by tokens.
   */
  login: z
    .strictObject({
      mount: z.string(),
      user: z.string(),
      groups: z.array(z.string()),
      moves: z.int().min(0).optional(),
    })
    .nullable(),
  /** The entity that it belongs to, and the namespace of that; left out for none. */
  entity: z.strictObject({ namespace: z.string(), id: z.string() }).optional(),
})
export interface Token extends z.infer<typeof Token> {}

/**
 * A token role: the rights and limits of tokens created with it.
 */
export const TokenRole = z.strictObject({
  name: z.string(),
  allowedPolicies: z.array(z.string()),
  disallowedPolicies: z.array(z.string()),
  allowedPoliciesGlob: z.array(z.string()),
  disallowedPoliciesGlob: z.array(z.string()),
  allowedEntityAliases: z.array(z.string()),
  orphan: z.boolean(),
  renewable: z.boolean(),
  pathSuffix: z.string(),
  periodSeconds: z.int(),
  explicitMaxTtlSeconds: z.int(),
  boundCidrs: z.array(z.string()),
  noDefaultPolicy: z.boolean(),
  numUses: z.int(),
  tokenType: z.enum(['default-service', 'default-batch', 'service', 'batch']),
})
export interface TokenRole extends z.infer<typeof TokenRole> {}

/** An event of a token, for audit and metrics. Contains accessors, never tokens. */
export type TokenEvent =
  | {
      readonly type: 'token.created'
      readonly accessor: string
      readonly path: string
      readonly policies: readonly string[]
    }
  | { readonly type: 'token.renewed'; readonly accessor: string; readonly ttlSeconds: number }
  | { readonly type: 'token.revoked'; readonly accessor: string }
  | { readonly type: 'token.spent'; readonly accessor: string }
