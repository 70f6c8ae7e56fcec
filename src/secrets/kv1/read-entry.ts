import { parseTtlSeconds } from '../../kernel/index.ts'
import type { Entry } from './model.ts'

/**
 * How long a reader may cache an unversioned secret, in seconds: the value of its `ttl` field (a number of seconds or a
 * duration), else of its `lease` field; 0 if neither is valid. It is only advice: nothing expires.
 *
 * @example
 * ```ts
 * import { leaseSecondsOf } from 'plinth/kv'
 *
 * leaseSecondsOf({ json: '{"ttl":"1h","password":"x"}' }) // 3600
 * leaseSecondsOf({ json: '{"password":"x"}' }) // 0
 * ```
 */
export function leaseSecondsOf(entry: Entry): number {
  // Most entries have neither field; looking for the names first spares parsing them.
  if (!/"(?:ttl|lease)"/.test(entry.json)) return 0
  const fields: unknown = JSON.parse(entry.json)
  if (typeof fields !== 'object' || fields === null) return 0
  const given = Object.hasOwn(fields, 'ttl') ? 'ttl' : 'lease'
  const value = Object.getOwnPropertyDescriptor(fields, given)?.value
  if (typeof value !== 'string' && typeof value !== 'number') return 0
  return Math.max(0, parseTtlSeconds(value) ?? 0)
}
