import * as z from 'zod'
import { parseDuration, type Refused, refuse } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import type { ListCall, ReadCall } from '../service/call.ts'

const text = z.string().optional()

/** Query parameters of every read. */
export const ReadQuery = z.object({
  namespace: text.describe('target namespace; * is every namespace the caller may see'),
  region: text.describe('forwards the request to a server of that region'),
  index: text.describe('waits for changes after this index'),
  wait: text.describe('the longest to wait, such as 10s or 5m'),
  stale: text.describe('lets any server answer'),
  pretty: text.describe('formats the JSON'),
})

/** Query parameters of every list. */
export const ListQuery = ReadQuery.extend({
  filter: text.describe('filter expression over the full objects'),
  per_page: text.describe('rows per page; all by default'),
  next_token: text.describe('the X-Scheduler-NextToken header of the previous page'),
  reverse: text.describe('true for descending order'),
})

type Query = Readonly<Record<string, string | undefined>>

/** The refusals of the query of a read. */
export const readRefusals = ['invalid_index', 'invalid_wait', 'invalid_stale'] as const

/** The refusals of the query of a list. */
export const listRefusals = [...readRefusals, 'invalid_per_page'] as const

type Read<Value, Code extends string> = { readonly ok: true; readonly value: Value } | Refused<Code>

/** The caller, and the signal that ends its wait. */
export interface Asker extends Pick<ReadCall, 'token'> {
  /** Only a call that waits needs a signal, and most do not. */
  readonly listens: (() => AbortSignal) | undefined
}

/** The parameters of a read. An index beyond 2^53 waits like any other future index. */
export function readCall(
  query: Query,
  { token, listens }: Asker,
): Read<ReadCall, (typeof readRefusals)[number]> {
  const { namespace, index = '', wait = '', stale } = query
  if (index !== '' && !(/^\d{1,20}$/.test(index) && BigInt(index) < 1n << 64n))
    return refuse('invalid_index', 'Invalid index')
  const waitMs = wait === '' ? undefined : parseDuration(wait)
  if (wait !== '' && waitMs === undefined) return refuse('invalid_wait', 'Invalid wait time')
  const isStale = stale === '' ? true : stale === undefined ? false : parseFlag(stale)
  if (isStale === undefined)
    return refuse('invalid_stale', 'Expect `true` or `false` for `stale` query string parameter')
  return {
    ok: true,
    value: {
      namespace: namespace === '' ? undefined : namespace,
      index: Number(index),
      waitMs,
      stale: isStale,
      token,
      signal: index === '' ? undefined : listens?.(),
    },
  }
}

/** The parameters of a list. */
export function listCall(query: Query, asker: Asker): Read<ListCall, (typeof listRefusals)[number]> {
  const read = readCall(query, asker)
  if (!read.ok) return read
  const { per_page = '', next_token, reverse, prefix, filter } = query
  const perPage = per_page === '' ? 0 : Number(/^[+-]?\d+$/.test(per_page) ? per_page : Number.NaN)
  if (!(perPage >= 0 && perPage <= 2_147_483_647))
    return refuse(
      'invalid_per_page',
      perPage < 0
        ? 'Expect a number of 0 or more for `per_page` query string parameter'
        : 'Expect a number for `per_page` query string parameter',
    )
  const { namespace, index, waitMs, stale, token, signal } = read.value
  return {
    ok: true,
    value: {
      namespace,
      index,
      waitMs,
      stale,
      token,
      signal,
      perPage,
      nextToken: next_token,
      reverse: reverse === 'true',
      prefix,
      filter,
    },
  }
}

/** A boolean in any of the spellings that clients send; `undefined` for any other text. */
export const parseFlag = (value: string): boolean | undefined => ownValue(flags, value)

const flags: Readonly<Record<string, boolean>> = {
  1: true,
  t: true,
  T: true,
  TRUE: true,
  true: true,
  True: true,
  0: false,
  f: false,
  F: false,
  FALSE: false,
  false: false,
  False: false,
}

/** One boolean parameter of a query; `otherwise` is the default, also for an empty value. */
export function readFlag<Code extends 'invalid_flag' | 'invalid_fields'>(
  query: Query,
  name: string,
  code: Code,
  lead = '',
  otherwise = false,
): Read<boolean, Code> {
  const given = query[name] ?? ''
  const value = given === '' ? otherwise : parseFlag(given)
  return value === undefined
    ? refuse(code, `${lead}Failed to parse value of "${name}" (${given}) as a bool: invalid syntax`)
    : { ok: true, value }
}
