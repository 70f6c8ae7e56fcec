import { belowAny, checkRange } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Changes, Entry, Since, View } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'
import { entriesIn, type Head, headIn, jsonIn, type Logged, pagesOf, type Session } from './realm.ts'
import { behind, encode, endOf, one } from './wire.ts'

export const headOf = async ({ client, keys }: Session): Promise<Head> =>
  headIn((await client.read([one(keys.head)]))[0])

/** Runs `fn` on the state of one revision of etcd, which is that of the newest commit. */
export async function reading<T>(session: Session, fn: (view: View) => Promise<T>): Promise<T> {
  const head = await headOf(session)
  return fn(viewOf(session, head))
}

function viewOf(session: Session, { rev, now: revision }: Head): View {
  const { client, keys } = session
  return {
    rev,
    get: async (names) => {
      if (rev === 0) return names.map(() => undefined)
      const results = await client.read(names.map((name) => ({ ...one(keys.entries + name), revision })))
      const found = await Promise.all(results.map((result) => entriesIn(session, result, revision)))
      // A text that is no valid key is sent as another one.
      return names.map((name, at) => found[at]?.find(({ key }) => key === name))
    },
    scan: async (range) => {
      checkRange(range)
      const { low, high } = boundsOf(range)
      const entries: Entry[] = []
      if (rev === 0 || (high !== undefined && high <= low)) return entries
      const pages = pagesOf(
        client,
        {
          key: encode(keys.entries + low),
          range_end: high === undefined ? endOf(keys.entries) : encode(keys.entries + high),
          revision,
          ...(range.reverse === true && { sort_order: 'DESCEND' }),
        },
        range.limit,
      )
      for await (const page of pages) entries.push(...(await entriesIn(session, page, revision)))
      return entries
    },
  }
}

/** The current changes since a revision. */
export async function collect(session: Session, since: Since): Promise<Changes> {
  const { client, keys } = session
  const { after, prefixes, limit = Number.POSITIVE_INFINITY } = since
  const log = { key: encode(keys.logOf(after + 1)), range_end: endOf(keys.log) }
  const [found, first = {}] = await client.read([one(keys.head), { ...log, limit: '100' }])
  const head = headIn(found)
  if (after < head.floor || after > head.rev)
    throw new StoreError(
      'compacted',
      `revision ${after} is not in the remembered ${head.floor} to ${head.rev}: read the state again`,
    )
  const rows = async function* () {
    yield* first.kvs ?? []
    const last = first.kvs?.at(-1)
    if (first.more !== true || last === undefined) return
    for await (const { kvs = [] } of pagesOf(client, { ...log, key: behind(last.key), revision: head.now }))
      yield* kvs
  }
  const changed = new Set<string>()
  const isWanted = belowAny(prefixes)
  let rev = after
  for await (const row of rows()) {
    if (changed.size >= limit && rev > after) break
    const { keys: written } = jsonIn<Logged>(row)
    if (written === undefined) continue
    rev += 1
    for (const key of written) if (isWanted(key)) changed.add(key)
  }
  const names = [...changed]
  const entries = await viewOf(session, head).get(names)
  const put = entries.filter((entry) => entry !== undefined)
  return { rev, put, gone: names.filter((_, at) => entries[at] === undefined), more: rev < head.rev }
}
