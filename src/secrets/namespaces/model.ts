import * as z from 'zod'

/**
 * A namespace: a part of the service's paths with its own mounts, policies and tokens.
 */
export const NamespaceEntry = z.strictObject({
  /** Identifies this incarnation of the namespace in keys: one that is deleted and created again gets another. */
  id: z.string(),
  /** With a trailing slash: `team/a/`. */
  path: z.string(),
  createdAt: z.int(),
  customMetadata: z.record(z.string(), z.string()),
})
export interface NamespaceEntry extends z.infer<typeof NamespaceEntry> {}

/**
 * All namespaces but the root one: one record, so that parents and children can never disagree.
 */
export const NamespaceTable = z.strictObject({
  /** Path → namespace. */
  namespaces: z.record(z.string(), NamespaceEntry),
})
export interface NamespaceTable extends z.infer<typeof NamespaceTable> {}

/** An event of a namespace. */
export type NamespaceEvent =
  | { readonly type: 'namespace.created'; readonly path: string }
  | { readonly type: 'namespace.described'; readonly path: string }
  | { readonly type: 'namespace.deleted'; readonly path: string }
