import type { Answer } from '../../../kernel/index.ts'

/** What a method of a secrets service answers: a value, or why not. Any of them may find the service sealed. @public */
export type SecretsAnswer<Value, Code extends string = never> = Answer<Value, Code | 'sealed'>

/** The answer of an operation that finds a value, or that there is none. */
export const found = <Value>(value: Value): Answer<Value> => ({ ok: true, value })
