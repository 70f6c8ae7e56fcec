// What is used of etcd's JSON gateway: keys and values are base64, 64-bit numbers strings, and defaults are omitted.

/** A key and its value, as etcd stores them. */
export interface Kv {
  readonly key: string
  readonly value?: string
  readonly mod_revision: string
}

/** A read, of one key or up to `range_end`. */
export interface RangeRequest {
  readonly key: string
  readonly range_end?: string
  readonly limit?: string
  readonly revision?: string
  readonly sort_order?: 'DESCEND'
  readonly keys_only?: boolean
}

export interface RangeResult {
  readonly header?: { readonly revision: string }
  readonly kvs?: readonly Kv[]
  readonly more?: boolean
}

export type Op =
  | { readonly request_range: RangeRequest }
  | {
      readonly request_put: {
        readonly key: string
        readonly value?: string
        readonly lease?: string
        readonly ignore_value?: true
      }
    }
  | { readonly request_delete_range: { readonly key: string; readonly range_end?: string } }
  | { readonly request_txn: { readonly success: readonly Op[] } }

export interface Compare {
  readonly key: string
  readonly target: 'MOD'
  readonly result: 'EQUAL'
  readonly mod_revision: string
}

interface Answer {
  readonly response_range?: RangeResult
  readonly response_txn?: TxnResult
}

export interface TxnResult {
  readonly succeeded?: boolean
  readonly responses?: readonly Answer[]
}

export const encode = (text: string): string => Buffer.from(text).toString('base64')

/** The bytes of base64 as text. */
export const decode = (base64 = ''): string => Buffer.from(base64, 'base64').toString()

/** The smallest key after all keys that begin with a text, which never ends in the highest byte. */
export const endOf = (prefix: string): string => {
  const bytes = Buffer.from(prefix)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1
  return bytes.toString('base64')
}

/** The smallest key after another one, both in base64. */
export const behind = (key: string): string =>
  Buffer.concat([Buffer.from(key, 'base64'), Buffer.of(0)]).toString('base64')

/** All keys that begin with a text. */
export const below = (prefix: string): { readonly key: string; readonly range_end: string } => ({
  key: encode(prefix),
  range_end: endOf(prefix),
})

/** Reads as operations. */
export const reads = (ranges: readonly RangeRequest[]): readonly Op[] =>
  ranges.map((range) => ({ request_range: range }))

export const one = (key: string): RangeRequest => ({ key: encode(key) })
export const put = (key: string, value: string): Op => ({
  request_put: { key: encode(key), value: encode(value) },
})
export const remove = (key: string): Op => ({ request_delete_range: { key: encode(key) } })
export const removeBelow = (prefix: string): Op => ({ request_delete_range: below(prefix) })

/** A key is as it was when it had this revision of etcd; `0` = absent. */
export const unchanged = (key: string, revision = '0'): Compare => ({
  key: encode(key),
  target: 'MOD',
  result: 'EQUAL',
  mod_revision: revision,
})

/**
 * A transaction has at most 128 operations, but each may be a transaction, whose own limit is what the outer one
 * leaves.
 */
const perNested = 100

/** Operations in any number up to 2,800, as those of a transaction. */
export function nested(ops: readonly Op[]): readonly Op[] {
  if (ops.length <= perNested) return ops
  const groups: Op[] = []
  for (let at = 0; at < ops.length; at += perNested)
    groups.push({ request_txn: { success: ops.slice(at, at + perNested) } })
  return groups
}

/** The results of the operations of a transaction, in their order; of a write an empty one. */
export const resultsOf = ({ responses = [] }: TxnResult): readonly RangeResult[] =>
  responses.flatMap(({ response_range, response_txn }) =>
    response_txn === undefined ? [response_range ?? {}] : resultsOf(response_txn),
  )
