import * as z from 'zod'
import { mapOf } from '../values/map.ts'

/**
 * A namespace as callers write it, without its indexes.
 */
export const NamespaceSpec = z.object({
  Name: z.string(),
  Description: z.string().default(''),
  /** Always empty: quotas are not supported. */
  Quota: z.string().default(''),
  /** Not used by the service; for operators and tools. */
  Meta: mapOf(z.string()).nullable().default(null),
})
/**
 * A namespace as callers write it, without its indexes.
 */
export interface NamespaceSpec extends z.infer<typeof NamespaceSpec> {}
/**
 * A {@link NamespaceSpec} with optional fields: only the name is required, everything else has a default.
 */
export interface NamespaceInput extends z.input<typeof NamespaceSpec> {}

/**
 * A namespace as it is read, filtered and listed.
 */
export const Namespace = NamespaceSpec.extend({ CreateIndex: z.int(), ModifyIndex: z.int() })
/**
 * A namespace as it is read, filtered and listed.
 */
export interface Namespace extends z.infer<typeof Namespace> {}
