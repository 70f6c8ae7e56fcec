import {
  characters,
  dictionary,
  foldText,
  needsRebuild,
  postingsByText,
  termsOf,
  wordsOf,
} from '../../search/index.ts'
import { facetKey, facetOf, facetsOf } from './facets.ts'
import { boxOrders, moving } from './orders.ts'
import type { BoxQuery, BoxRow } from './row.ts'
import { piecesOf } from './terms.ts'

/** The parts that are rebuilt when too many slots are empty. */
const emptyIndex = (rowAt: (slot: number) => BoxRow) => ({
  rows: [] as (BoxRow | undefined)[],
  /** The texts that terms are matched against. */
  texts: [] as string[],
  slotOf: new Map<string, number>(),
  words: dictionary(),
  characters: characters(),
  facets: postingsByText(),
  orders: boxOrders(rowAt),
})

/**
 * The index of a catalog's boxes: infix search, filters and orders in memory.
 *
 * @remarks
 * Every row has a slot. A row whose texts or providers change moves to a new slot; when half the slots are empty, the
 * index is rebuilt. A search marks the slots that each term and filter allows, then walks the requested order over the
 * marks until the page is full; without terms and filters a page is a slice of the order.
 *
 * @param fewHits - up to here, hits are put in order by themselves: that is quicker than looking for them along the
 * order of all boxes
 */
export function boxIndex(fewHits = 256) {
  let index = emptyIndex(rowAt)
  let marks = new Uint8Array(64)

  function rowAt(slot: number): BoxRow {
    const row = index.rows[slot]
    if (!row) throw new Error(`slot ${slot} holds no box`)
    return row
  }
  const insert = (row: BoxRow): void => {
    const slot = index.rows.push(row) - 1
    index.slotOf.set(row.id, slot)
    const text = foldText(`${row.username}/${row.name}\n${row.shortDescription}`)
    index.texts.push(text)
    index.characters.add(text, slot, 1)
    for (const word of new Set(wordsOf(text))) index.words.add(word, slot)
    for (const facet of facetsOf(row)) index.facets.add(facet, slot)
    index.orders.add(slot, row)
  }
  const kill = (slot: number): void => {
    const row = rowAt(slot)
    index.orders.remove(slot, row)
    index.rows[slot] = undefined
    index.texts[slot] = ''
  }
  const rebuildIfNeeded = (): void => {
    const { rows, slotOf } = index
    if (!needsRebuild(rows.length, slotOf.size)) return
    const living = [...slotOf.values()].map(rowAt)
    index = emptyIndex(rowAt)
    for (const row of living) insert(row)
  }

  /** Raises the marks of some slots from `step` to the next one. */
  const advance = (slots: Uint32Array, from: number, to: number, step: number): void => {
    for (let at = from; at < to; at += 1) {
      const slot = slots[at] ?? 0
      if (marks[slot] === step) marks[slot] = step + 1
    }
  }
  /**
   * Raises the marks of the slots that may contain a term. A term with signs spans several words: slots with the rarest
   * of its words may contain it, and the caller must check; `false` says so.
   */
  const advanceTerm = (term: string, step: number): boolean => {
    const { words, characters } = index
    const column = characters.column(term)
    if (column) {
      for (let slot = 0; slot < index.rows.length; slot += 1)
        if (marks[slot] === step && (column[slot] ?? 0) !== 0) marks[slot] = step + 1
      return true
    }
    const pieces = piecesOf(term)
    const quickest = pieces[words.quickest(pieces)]
    if (quickest) words.find(quickest, (slots, from, to) => advance(slots, from, to, step))
    else
      for (let slot = 0; slot < index.rows.length; slot += 1) if (marks[slot] === step) marks[slot] = step + 1
    return quickest?.where === 'anywhere'
  }

  /** The slots of the boxes that passed every step; `undefined` when they are many. */
  const fewMarked = (steps: number): readonly number[] | undefined => {
    const found: number[] = []
    const { rows } = index
    for (let slot = marks.indexOf(steps); slot !== -1; slot = marks.indexOf(steps, slot + 1)) {
      if (slot >= rows.length) break
      if (!rows[slot]) continue
      if (found.length === fewHits) return undefined
      found.push(slot)
    }
    return found
  }

  /** A page of slots that come in ascending order: of all of them, or of those that pass. */
  const pageOf = (
    slots: ArrayLike<number>,
    { order, offset, limit }: BoxQuery,
    passes?: (slot: number) => boolean,
  ): readonly string[] => {
    const page: string[] = []
    let skip = passes ? offset : 0
    for (let place = passes ? 0 : offset; place < slots.length && page.length < limit; place += 1) {
      const slot = slots[order === 'asc' ? place : slots.length - 1 - place] ?? 0
      if (passes?.(slot) === false) continue
      if (skip > 0) skip -= 1
      else page.push(rowAt(slot).id)
    }
    return page
  }

  return {
    /** The number of boxes in the index. */
    size: (): number => index.slotOf.size,
    /** Adds or updates a box. */
    put: (row: BoxRow): void => {
      const { rows, slotOf, orders } = index
      const slot = slotOf.get(row.id)
      if (slot === undefined) {
        insert(row)
        return
      }
      const before = rowAt(slot)
      if (textsDiffer(before, row)) {
        kill(slot)
        insert(row)
        rebuildIfNeeded()
      } else if (moving.some((field) => before[field] !== row[field])) {
        orders.remove(slot, before)
        rows[slot] = row
        orders.add(slot, row)
      } else rows[slot] = row
    },
    /** Forgets a box. */
    remove: (id: string): void => {
      const slot = index.slotOf.get(id)
      if (slot === undefined) return
      kill(slot)
      index.slotOf.delete(id)
      rebuildIfNeeded()
    },
    get: (id: string): BoxRow | undefined => {
      const slot = index.slotOf.get(id)
      return slot === undefined ? undefined : index.rows[slot]
    },
    /** Prepares the structures of the first search, in steps; do not put or remove between the steps. */
    settling: () => index.orders.settling(),
    /**
     * One page of a search: the ids of boxes.
     *
     * @param owners - whose private boxes the caller may see, by folded names
     */
    search: (query: BoxQuery, owners: readonly string[] | 'all'): readonly string[] => {
      const { orders, rows, texts, facets } = index
      const { sort } = query
      const terms = termsOf(query.q ?? '')
      const facet = facetOf(query)
      if (terms.length === 0 && facet === undefined) return pageOf(orders.visible(sort, owners), query)
      if (marks.length < rows.length) marks = new Uint8Array(rows.length * 2)
      marks.fill(0, 0, rows.length)
      let steps = 0
      if (facet !== undefined) {
        const step = steps++
        facets.read(facet, (slots, from, to) => advance(slots, from, to, step))
      }
      const unsure = terms.filter((term) => !advanceTerm(term, steps++))
      const few = fewMarked(steps)
      const slots = few ? orders.among(few, sort, owners) : orders.visible(sort, owners)
      return pageOf(
        slots,
        query,
        (slot) => marks[slot] === steps && unsure.every((term) => texts[slot]?.includes(term)),
      )
    },
  }
}

const textsDiffer = (a: BoxRow, b: BoxRow): boolean =>
  a.username !== b.username ||
  a.name !== b.name ||
  a.shortDescription !== b.shortDescription ||
  facetKey(a) !== facetKey(b)
