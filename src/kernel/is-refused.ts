import type { Refused } from './index.ts'

/** Whether a value is a refusal, if it may also be a result. */
export const isRefused = <R extends Refused<string>>(value: R | object): value is R =>
  'ok' in value && value.ok === false
