import type { Answer } from '../../../kernel/index.ts'

/** The result of a method of a secrets service: a value, or a refusal. Every method may refuse as `sealed`. */
export type SecretsAnswer<Value, Code extends string = never> = Answer<Value, Code | 'sealed'>

/** The result of an operation that finds a value or nothing. */
export const found = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({
  ok: true,
  value,
})
