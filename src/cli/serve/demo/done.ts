import type { Refused } from '../../../kernel/index.ts'

/** The value of a change to demo data, which is never refused. */
export function done<Value>(result: { readonly ok: true; readonly value: Value } | Refused<string>): Value {
  if (!result.ok) throw new Error(`demo data: ${result.refusal.message}`)
  return result.value
}
