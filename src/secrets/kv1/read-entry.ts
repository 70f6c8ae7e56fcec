import { parseTtlSeconds } from '../../kernel/index.ts'
import type { Entry } from './model.ts'

/**
 * How long a reader may cache an unversioned secret, in seconds: the value of its `ttl` field (a number of seconds or a
 * duration), else of its `lease` field, else the default. It is only advice: nothing expires.
 *
 * @param defaultSeconds - for an entry without a valid field; a server passes the default lease TTL of the mount
 *
 * @example
 * ```ts
 * import { leaseSecondsOf } from 'plinth/kv'
 *
 * leaseSecondsOf({ json: '{"ttl":"1h","password":"x"}' }) // 3600
 * leaseSecondsOf({ json: '{"password":"x"}' }) // 0
 * leaseSecondsOf({ json: '{"password":"x"}' }, 60) // 60
 * ```
 */
export function leaseSecondsOf(entry: Entry, defaultSeconds = 0): number {
  // Most entries have neither field; looking for the names first spares parsing them.
  if (!/"(?:ttl|lease)"/.test(entry.json)) return defaultSeconds
  const fields: unknown = JSON.parse(entry.json)
  if (typeof fields !== 'object' || fields === null) return defaultSeconds
  const given = Object.hasOwn(fields, 'ttl') ? 'ttl' : 'lease'
  const value = Object.getOwnPropertyDescriptor(fields, given)?.value
  if (typeof value !== 'string' && typeof value !== 'number') return defaultSeconds
  const seconds = parseTtlSeconds(value) ?? -1
  return seconds < 0 ? defaultSeconds : seconds
}
