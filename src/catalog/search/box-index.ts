import { foldText, joinedTexts, numbering, rankedPage, ranking, slots, termsOf } from '../../search/index.ts'
import { foldName } from '../boxes/names.ts'
import { facets } from './facets.ts'
import { type BoxQuery, type BoxRow, type Sort, sorts } from './row.ts'

/** The sort key of each order; boxes with equal keys are in the order of their full names. */
const sortValue = {
  downloads: (row: BoxRow) => row.downloads,
  created: (row: BoxRow) => row.createdAt,
  updated: (row: BoxRow) => row.updatedAt,
} as const satisfies Record<Sort, (row: BoxRow) => number>

/** In place of an owner, for a public box: no name is empty. */
const everyone = ''

/**
 * The index of a catalog's boxes: infix search, filters and orders in memory.
 *
 * @remarks
 * Every box has a slot. A search marks the slots that are visible, pass the filters and contain each term, then walks the
 * requested order over the marks until the page is full.
 *
 * @param fewHits - up to here, hits are sorted; see {@link rankedPage}
 */
export function boxIndex(fewHits?: number) {
  const slotOf = slots()
  const rows: (BoxRow | undefined)[] = []
  const texts = joinedTexts()
  const filters = facets()
  /** Who may see a box. */
  const owners = numbering()

  const rowAt = (slot: number): BoxRow => {
    const row = rows[slot]
    if (!row) throw new Error(`slot ${slot} holds no box`)
    return row
  }
  const orderBy = (sort: Sort) => ranking(rowAt, compareBy(sort))
  const orders = { downloads: orderBy('downloads'), created: orderBy('created'), updated: orderBy('updated') }

  /** Takes the marks of the slots that a caller may not see or that do not pass the filters. */
  const filter = (
    marks: Uint16Array,
    query: BoxQuery,
    visible: readonly string[] | 'all',
    shared: readonly string[],
  ): void => {
    const passes = filters.filter(query)
    const isSeen = owners.among(visible === 'all' ? undefined : [everyone, ...visible])
    const sharedSlots = new Set(shared.map(slotOf.of))
    for (let slot = 0; slot < marks.length; slot += 1) {
      if (marks[slot] === 0) continue
      const isVisible = isSeen[owners.bySlot[slot] ?? 0] === 1 || sharedSlots.has(slot)
      if (!isVisible || passes?.(slot) === false) marks[slot] = 0
    }
  }

  return {
    /** The number of boxes in the index. */
    size: slotOf.size,
    /** Adds or updates a box. */
    put: (row: BoxRow): void => {
      const slot = slotOf.of(row.id) ?? slotOf.take(row.id)
      const before = rows[slot]
      const moved = sorts.filter((sort) => !before || compareBy(sort)(before, row) !== 0)
      if (before) for (const sort of moved) orders[sort].remove(slot)
      rows[slot] = row
      for (const sort of moved) orders[sort].add(slot)
      const text = textOf(row)
      if (!before || textOf(before) !== text) texts.put(slot, foldText(text))
      filters.put(slot, row)
      owners.put(slot, row.private ? foldName(row.username) : everyone)
    },
    /** Removes a box; no-op if there is none. */
    remove: (id: string): void => {
      const slot = slotOf.of(id)
      if (slot === undefined) return
      for (const sort of sorts) orders[sort].remove(slot)
      rows[slot] = undefined
      texts.put(slot, '')
      filters.remove(slot)
      owners.put(slot, undefined)
      slotOf.release(id)
    },
    get: (id: string): BoxRow | undefined => {
      const slot = slotOf.of(id)
      return slot === undefined ? undefined : rows[slot]
    },
    /** Prepares the structures of the first search, in steps; do not put or remove between the steps. */
    settling: function* (): Generator<void, void> {
      yield* texts.settling()
      for (const sort of sorts) yield* orders[sort].settling()
    },
    /**
     * One page of a search: the ids of boxes.
     *
     * @param visible - whose private boxes the caller may see, by folded names
     * @param shared - the ids of single private boxes that it may see as well
     */
    search: (
      query: BoxQuery,
      visible: readonly string[] | 'all',
      shared: readonly string[] = [],
    ): readonly string[] => {
      const marks = new Uint16Array(slotOf.count())
      const terms = termsOf(query.q ?? '')
      if (terms.length === 0) marks.fill(1)
      else
        texts.findAll(terms, (slot) => {
          marks[slot] = 1
        })
      filter(marks, query, visible, shared)
      const { offset, limit, order } = query
      const page = rankedPage(orders[query.sort], marks, 1, {
        offset,
        limit,
        descending: order === 'desc',
        fewHits,
      })
      return page.slots.map((slot) => rowAt(slot).id)
    },
  }
}

const compareBy =
  (sort: Sort) =>
  (a: BoxRow, b: BoxRow): number =>
    sortValue[sort](a) - sortValue[sort](b) || compareNames(a, b)

const textOf = (row: BoxRow): string => `${row.username}/${row.name}\n${row.shortDescription}`

const compareNames = (a: BoxRow, b: BoxRow): number => {
  const [left, right] = [`${a.username}/${a.name}`, `${b.username}/${b.name}`]
  if (left === right) return 0
  return left < right ? -1 : 1
}
