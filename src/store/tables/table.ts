import type { Collection } from '../port/collection.ts'
import { compareKeys, encodePart, type Part, separator } from '../port/keys.ts'
import type { Rev, Snapshot } from '../port/port.ts'
import type { Replica } from '../replica/replica.ts'
import { type OrderedRows, ordered } from './ordered-rows.ts'
import { buildChunks, type Chunks, editChunks, rowAt } from './row-chunks.ts'

/**
 * The rows of a table in key order, as of one revision.
 */
export interface Rows<Row> extends OrderedRows<Row> {
  readonly rev: Rev
  readonly size: number
  /** One row. */
  get(...key: readonly Part[]): Row | undefined
  /** The rows in one of the table's other orders; its row keys are the order's parts, then the row's own. */
  by(order: string): OrderedRows<Row>
}

/**
 * Rows joined from records, kept in order.
 */
export interface Table<Row> {
  /** The rows as of a snapshot of the table's replica. */
  at(now: Snapshot): Rows<Row>
  /** Stops listening to the replica. */
  close(): void
}

/**
 * The key of a row: its parts, in an encoding that keeps their order part by part.
 */
export const rowKey = (...parts: readonly Part[]): string => {
  let key = encodePart(parts[0] ?? '')
  for (let at = 1; at < parts.length; at += 1) key += separator + encodePart(parts[at] ?? '')
  return key
}

/** How many earlier states are kept for readers that use a snapshot a little longer. */
const remembered = 16

/** With more changed keys than this since the last read, rebuilding the table is as cheap. */
const maxPending = 50_000

interface State<Row> {
  readonly rev: Rev
  readonly chunks: Chunks<Row>
  readonly orders: ReadonlyMap<string, Chunks<Row>>
  /** The same as its readers see it. */
  readonly rows: Rows<Row>
}

/**
 * Declares rows joined from records that share a primary key, for lists, filters and searches.
 *
 * @remarks
 * A table is built by its first read and updated by later ones, one changed row at a time; writes cost nothing. Its
 * chunks are plain arrays: a filtered page costs as much as a loop over an array.
 *
 * @param row - joins one row from a snapshot; `undefined` omits it. It must read nothing but records of `from` under
 * exactly this key.
 * @param orders - other orders by name: the sort key before the primary key
 *
 * @example
 * ```ts
 * import { collection, memoryStore, replica, table } from 'plinth/store'
 *
 * const jobs = collection<{ id: string; priority: number }>({ name: 'job', key: (job) => [job.id] })
 * const view = await replica(memoryStore(), [jobs])
 * const rows = table(view, [jobs], (now, id) => jobs.get(now, id)?.value, { priority: (job) => [job.priority] })
 * rows.at(view.stale()).by('priority').scan({ limit: 10, reverse: true }) // []
 * ```
 */
export function table<Row>(
  view: Replica,
  from: readonly Collection<unknown>[],
  row: (now: Snapshot, ...key: readonly Part[]) => Row | undefined,
  orders: Readonly<Record<string, (row: Row) => readonly Part[]>> = {},
): Table<Row> {
  const sorts = Object.entries(orders)
  /** Newest last. `changes` contains the changes after the oldest of them. */
  let states: State<Row>[] = []
  let changes: { readonly rev: Rev; readonly keys: readonly string[] }[] = []
  let pending = 0
  let heard = 0

  const off = view.onChange((rev, keys) => {
    // Revision 0: the replica had dropped its data. A lower one: the realm was set back to an earlier copy.
    if (rev === 0 || rev < heard) forget()
    heard = rev
    // A listener that was called earlier may have read the current table already, without this change.
    if ((states.at(-1)?.rev ?? -1) >= rev) states = states.filter((state) => state.rev < rev)
    if (states.length === 0) return
    const mine = keys.flatMap((key) => suffixIn(from, key))
    if (mine.length === 0) return
    changes.push({ rev, keys: mine })
    pending += mine.length
    if (pending > maxPending) forget()
  })
  const forget = () => {
    states = []
    changes = []
    pending = 0
  }

  const join = (now: Snapshot, suffix: string): Row | undefined => {
    for (const part of from) {
      const entry = now.get(part.prefix + suffix)
      if (entry !== undefined) return row(now, ...part.parts(part.stored(entry).value))
    }
    return undefined
  }
  const orderKey = (of: (row: Row) => readonly Part[], of1: Row, key: string) =>
    [rowKey(...of(of1)), key].join(separator)

  const build = (now: Snapshot): State<Row> => {
    const suffixes = from.map((part) =>
      now.scan({ prefix: part.prefix }).map(({ key }) => behind(part.prefix, key)),
    )
    const [first = [], ...others] = suffixes
    const keys = others.length === 0 ? first : [...new Set(suffixes.flat())].sort(compareKeys)
    const joined: (readonly [string, Row])[] = []
    for (const key of keys) {
      const made = join(now, key)
      if (made !== undefined) joined.push([key, made])
    }
    const sorted = sorts.map(([name, of]) => {
      const keyed = joined.map(([key, made]) => [orderKey(of, made, key), made] as const)
      return [name, buildChunks(keyed.sort((a, b) => compareKeys(a[0], b[0])))] as const
    })
    return stateOf(now.rev, buildChunks(joined), new Map(sorted), joined.length)
  }

  const advance = (base: State<Row>, now: Snapshot): State<Row> => {
    const keys = new Set<string>()
    for (const change of changes)
      if (change.rev > base.rev && change.rev <= now.rev) for (const key of change.keys) keys.add(key)
    if (keys.size === 0) return stateOf(now.rev, base.chunks, base.orders, base.rows.size)
    const edits: (readonly [string, Row | undefined, Row | undefined])[] = []
    let { size } = base.rows
    for (const key of keys) {
      const before = rowAt(base.chunks, key)
      const after = join(now, key)
      size += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
      edits.push([key, before, after])
    }
    const reordered = sorts.map(([name, of]) => {
      const moves: (readonly [string, Row | undefined])[] = []
      for (const [key, before, after] of edits) {
        if (before !== undefined) moves.push([orderKey(of, before, key), undefined])
        if (after !== undefined) moves.push([orderKey(of, after, key), after])
      }
      return [name, editChunks(base.orders.get(name) ?? [], moves)] as const
    })
    const chunks = editChunks(
      base.chunks,
      edits.map(([key, , after]) => [key, after] as const),
    )
    return stateOf(now.rev, chunks, new Map(reordered), size)
  }

  const stateAt = (now: Snapshot): State<Row> => {
    const newest = states.at(-1)
    if (newest?.rev === now.rev) return newest
    const base = states.findLast((state) => state.rev <= now.rev)
    if (base?.rev === now.rev) return base
    const state = base === undefined ? build(now) : advance(base, now)
    if (newest !== undefined && newest.rev > now.rev) return state
    // Keys that changed while no state was kept were not recorded: such a state cannot be the base of a later one.
    if (base === undefined && heard > now.rev) return state
    states.push(state)
    if (states.length > remembered) {
      states.shift()
      const oldest = states[0]?.rev ?? 0
      changes = changes.filter((change) => change.rev > oldest)
      pending = changes.reduce((sum, change) => sum + change.keys.length, 0)
    }
    return state
  }

  return {
    at: (now) => stateAt(now).rows,
    close: () => {
      off()
      forget()
    },
  }
}

/** A state with its rows as readers see them, created once for all of them. */
const stateOf = <Row>(
  rev: Rev,
  chunks: Chunks<Row>,
  orders: ReadonlyMap<string, Chunks<Row>>,
  size: number,
): State<Row> => ({
  rev,
  chunks,
  orders,
  rows: {
    rev,
    size,
    get: (...key) => rowAt(chunks, rowKey(...key)),
    by: (order) => {
      const sorted = orders.get(order)
      if (sorted === undefined) throw new RangeError(`the table has no order ${JSON.stringify(order)}`)
      return ordered(sorted)
    },
    ...ordered(chunks),
  },
})

/** The rest after a prefix, as a flat string: the host compares slices of other strings several times slower. */
const behind = (prefix: string, key: string): string =>
  key.slice(prefix.length).split(separator).join(separator)

/** A record's key without its collection, if it belongs to the table. */
function suffixIn(from: readonly Collection<unknown>[], key: string): string[] {
  for (const part of from) if (key.startsWith(part.prefix)) return [behind(part.prefix, key)]
  return []
}
