import * as z from 'zod'
import type { Position } from '../../hcl/index.ts'
import type { Capability } from './capabilities.ts'

/**
 * A stored policy: the text that its author wrote.
 */
export const PolicyRecord = z.strictObject({
  /** Lower case. */
  name: z.string(),
  /** HCL or JSON. */
  text: z.string(),
  updatedAt: z.int(),
})
export interface PolicyRecord extends z.infer<typeof PolicyRecord> {}

/**
 * Parameter name in lower case → the allowed or denied values; an empty list means every value.
 */
export type ParameterRules = ReadonlyMap<string, readonly unknown[]>

/**
 * One `path` block of a policy.
 */
export interface PathRule {
  /** The pattern: a path, a path that ends in `*`, or one with `+` in place of segments. No leading slash. */
  readonly path: string
  readonly capabilities: readonly Capability[]
  readonly allowedParameters: ParameterRules
  readonly deniedParameters: ParameterRules
  readonly requiredParameters: readonly string[]
  /** Seconds; 0 if the rule does not require wrapping. */
  readonly minWrappingTtlSeconds: number
  /** Seconds; 0 if the rule does not limit wrapping. */
  readonly maxWrappingTtlSeconds: number
  /** The position of the block in the policy's text. */
  readonly at: Position
}

/**
 * A parsed policy.
 */
export interface Policy {
  readonly name: string
  readonly rules: readonly PathRule[]
}

/** An event of a policy. */
export type PolicyEvent =
  | { readonly type: 'policy.written'; readonly name: string }
  | { readonly type: 'policy.deleted'; readonly name: string }
