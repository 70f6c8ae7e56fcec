import type { Timers } from '../../kernel/index.ts'
import { StoreError } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import { parseStored } from '../port/stored-value.ts'
import type { EtcdClient } from './client.ts'
import { behind, below, decode, type Kv, type RangeRequest, type RangeResult } from './wire.ts'

/** The shared state of the parts of an open store. */
export interface Session {
  readonly client: EtcdClient
  readonly keys: Keys
  readonly timers: Timers
  /** How many commits are remembered. */
  readonly keep: number
  /** Returns a name that no other process has used. */
  readonly newName: () => string
}

/** The keys of a realm. */
export const keysOf = (prefix: string, realm: string) => {
  const base = `${prefix}/${realm}/`
  return {
    /** Every commit writes it, and compares its revision in etcd. */
    head: `${base}head`,
    /** Present while an import runs. */
    claim: `${base}import`,
    entries: `${base}e/`,
    /** By ids of commits: their verdicts. */
    ids: `${base}i/`,
    /** By revisions, of 14 hexadecimal digits: the commits, and the refusals that are remembered with them. */
    log: `${base}l/`,
    logOf: (rev: Rev, refused = '') => `${base}l/${rev.toString(16).padStart(14, '0')}${refused}`,
    /** Parts of large values, by the name that their entry holds. */
    pieces: `${base}p/`,
  }
}

export type Keys = ReturnType<typeof keysOf>

/** The newest revision of a realm, and the one up to which commits are forgotten. */
export interface Head {
  readonly rev: Rev
  readonly floor: Rev
  /** The revision in etcd of the commit that wrote it. */
  readonly at: string
  /** The revision of etcd at which it was read. */
  readonly now: string
}

export const headIn = ({ header, kvs: [found] = [] }: RangeResult = {}): Head => {
  const now = header?.revision ?? '0'
  if (found === undefined) return { rev: 0, floor: 0, at: '0', now }
  return { ...jsonIn<Pick<Head, 'rev' | 'floor'>>(found), at: found.mod_revision, now }
}

/** The JSON that this adapter wrote as the value of a key. */
export const jsonIn = <Value>({ key, value }: Kv): Value => parseStored(decode(key), decode(value)) as Value

/** What is stored of an entry: its revisions, then its value, or the name of the pieces that hold it. */
export interface Stored {
  readonly key: string
  readonly created: Rev
  readonly modified: Rev
  readonly pieces: string
  readonly text: string
}

export function storedIn({ entries }: Keys, { key: name, value }: Kv): Stored {
  const key = decode(name).slice(entries.length)
  const whole = decode(value)
  const [, created, modified, pieces = '', text = ''] = /^(\d+) (\d+) (\S*)\n(.*)$/s.exec(whole) ?? []
  if (modified === undefined)
    throw new StoreError('corrupt', `the entry ${decode(name)} is damaged: restore a backup`)
  return { key, created: Number(created), modified: Number(modified), pieces, text }
}

export const storedText = (entry: Omit<Stored, 'pieces'>, pieces = ''): string =>
  `${entry.created} ${entry.modified} ${pieces}\n${pieces === '' ? entry.text : ''}`

/** A row of the log. */
export interface Logged {
  readonly id: string
  /** What the commit wrote; absent in a refusal. */
  readonly keys?: readonly string[]
}

/** The entries that a range returned; values in pieces are read as well. */
export const entriesIn = (
  { client, keys }: Session,
  { kvs = [] }: RangeResult,
  revision: string,
): Promise<Entry[]> =>
  Promise.all(
    kvs.map(async (kv) => {
      const { key, created, modified, pieces, text } = storedIn(keys, kv)
      if (pieces === '') return { key, value: parseStored(key, text), created, modified }
      const [found] = await client.read([{ ...below(`${keys.pieces}${pieces}/`), revision }])
      const bytes = (found?.kvs ?? []).map(({ value = '' }) => Buffer.from(value, 'base64'))
      return { key, value: parseStored(key, Buffer.concat(bytes).toString()), created, modified }
    }),
  )

/** How many entries, or commits, one request returns. */
const pageSize = 500

/** The pages of a range at one revision of etcd. */
export async function* pagesOf(
  client: EtcdClient,
  range: RangeRequest & { readonly range_end: string },
  most = Number.POSITIVE_INFINITY,
): AsyncIterable<RangeResult> {
  let { key, range_end } = range
  for (let left = most; left > 0; ) {
    const [page = {}] = await client.read([
      { ...range, key, range_end, limit: String(Math.min(left, pageSize)) },
    ])
    yield page
    const last = page.kvs?.at(-1)
    if (page.more !== true || last === undefined) return
    left -= page.kvs?.length ?? 0
    if (range.sort_order === 'DESCEND') range_end = last.key
    else key = behind(last.key)
  }
}
