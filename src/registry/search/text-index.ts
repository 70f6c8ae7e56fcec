import {
  characters,
  dictionary,
  foldText,
  holdsPiece,
  needsRebuild,
  type Piece,
  postingsByText,
  wordsOf,
} from '../../search/index.ts'
import { columns } from './columns.ts'
import { moduleRank } from './module-rank.ts'
import { mostPoints, searched, searchPoints } from './points.ts'
import { type Popularity, popularityOrder } from './popularity.ts'
import type { DirectoryQuery } from './query.ts'
import type { Excerpt, ModuleRow } from './row.ts'
import { piecesOf, termsOf } from './terms.ts'
import { bitAfter, bitBefore, bitOf, fieldOf, placeOf, slotOf, textOf, tokenStream } from './token-stream.ts'

const fields = searched.map((text) => ({ text, ...searchPoints[text] }))
const points = {
  whole: fields.map(({ whole }) => whole),
  word: fields.map(({ word }) => word),
  part: fields.map(({ part }) => part),
} as const
/** The most that a part earns in any of some texts, which are bits of a number. */
const mostOfParts = Uint16Array.from({ length: 1 << fields.length }, (_, bits) =>
  Math.max(0, ...points.part.filter((_points, field) => (bits & (1 << field)) !== 0)),
)

/** The parts that are rebuilt when too many slots are dead. */
const emptyIndex = (popularityOf: (slot: number) => Popularity) => ({
  rows: [] as (ModuleRow | undefined)[],
  dead: [] as number[],
  keys: [] as string[],
  slotByKey: new Map<string, number>(),
  words: dictionary(),
  stream: tokenStream(),
  letters: characters(),
  /** The places of whole texts. */
  wholes: postingsByText(),
  filters: columns(),
  order: popularityOrder(popularityOf),
})

/**
 * The search over modules: infix matches in five texts, ranked by {@link searchPoints}.
 *
 * @remarks
 * Each row has a key, for put and remove, and a slot; a row whose texts change moves to a new slot, and when half the
 * slots are dead the index is rebuilt. A query adds up points per slot in one typed array and reads the slots in order
 * of popularity, so that equal points come out in that order without sorting.
 */
export function textIndex() {
  const popularityOf = (slot: number): Popularity => {
    const { verified, downloads } = rowAt(slot)
    return { verified, downloads, address: index.keys[slot] ?? '' }
  }
  let index = emptyIndex(popularityOf)
  let scratch = scratchFor(0)

  function rowAt(slot: number): ModuleRow {
    const row = index.rows[slot]
    if (!row) throw new Error(`slot ${slot} holds no module`)
    return row
  }
  const insert = (key: string, row: ModuleRow): void => {
    const { rows, keys, slotByKey, words, stream, letters, wholes, filters, order } = index
    const slot = rows.push(row) - 1
    keys[slot] = key
    slotByKey.set(key, slot)
    filters.set(slot, row)
    order.add(slot)
    for (const [field, { text }] of fields.entries()) {
      const folded = foldText(row[text])
      letters.add(folded, slot, 1 << field)
      stream.add(slot, field, wordsOf(folded), words.add)
      if (text !== 'description') wholes.add(folded, placeOf(slot, field))
    }
  }
  const kill = (slot: number): void => {
    index.order.remove(slot)
    index.rows[slot] = undefined
    index.dead.push(slot)
  }
  const rebuildIfNeeded = (): void => {
    const { rows, slotByKey } = index
    if (!needsRebuild(rows.length, slotByKey.size)) return
    const living = [...slotByKey].map(([key, slot]) => [key, rowAt(slot)] as const)
    index = emptyIndex(popularityOf)
    for (const [key, row] of living) insert(key, row)
  }

  /** Raises the slot of a place to the points of its text. */
  const earnAt = (place: number, byField: readonly number[]): void => {
    const { term } = scratch
    const slot = slotOf(place)
    const earned = byField[fieldOf(place)] ?? 0
    if (earned > (term[slot] ?? 0)) term[slot] = earned
  }
  const earn = (places: Uint32Array, from: number, to: number, byField: readonly number[]): void => {
    for (let at = from; at < to; at += 1) earnAt(places[at] ?? 0, byField)
  }
  /** How pieces match the words around a position, where piece number `anchor` is. */
  const meetingAt = (
    pieces: readonly Piece[],
    anchor: number,
    position: number,
  ): 'word' | 'part' | undefined => {
    const { words, stream } = index
    let met: 'word' | 'part' = 'word'
    for (let at = 0; at < pieces.length; at += 1) {
      const piece = pieces[at]
      const word = words.wordAt(stream.wordAt(position + at - anchor))
      if (!piece || !holdsPiece(word, piece)) return undefined
      if (word.length !== piece.text.length) met = 'part'
    }
    return met
  }
  /** Which words of each text stand before, or after, a word that holds a piece, as bits of `scratch.near`. */
  const wordsBeside = (piece: Piece, before: boolean): Uint32Array => {
    const { near } = scratch
    near.fill(0, 0, textOf(placeOf(index.rows.length, 0)))
    index.words.find(piece, (places, from, to) => {
      for (let at = from; at < to; at += 1) {
        const place = places[at] ?? 0
        const text = textOf(place)
        near[text] = (near[text] ?? 0) | (before ? bitBefore(place) : bitAfter(place))
      }
    })
    return near
  }
  /**
   * Finds consecutive words that match the pieces. It starts at the rarest piece and checks the neighbours only where
   * the next piece is at the right distance: reading is expensive, because the stream is long.
   */
  const earnPhrase = (pieces: readonly Piece[]): void => {
    const { words, stream } = index
    const anchor = words.quickest(pieces)
    const quickest = pieces[anchor]
    if (!quickest) return
    const near = wordsBeside(pieces[anchor === 0 ? 1 : anchor - 1] ?? quickest, anchor === 0)
    words.find(quickest, (places, from, to) => {
      for (let at = from; at < to; at += 1) {
        const place = places[at] ?? 0
        if (((near[textOf(place)] ?? 0) & bitOf(place)) === 0) continue
        for (let position = stream.positionOf(place); ; position += 1) {
          const met = meetingAt(pieces, anchor, position)
          if (met) earnAt(place, points[met])
          if (!stream.isShared(place) || stream.wordAt(position) === 0) break
        }
      }
    })
  }
  /** Fills `scratch.term` with the points of one term in each slot. */
  const score = (text: string): void => {
    const { rows, words, letters, wholes } = index
    const { term } = scratch
    const column = letters.column(text)
    if (column) {
      for (let slot = 0; slot < rows.length; slot += 1) term[slot] = mostOfParts[column[slot] ?? 0] ?? 0
      words.find({ text, where: 'whole' }, (places, from, to) => earn(places, from, to, points.word))
    } else {
      term.fill(0, 0, rows.length)
      const pieces = piecesOf(text)
      const [first] = pieces
      if (first && pieces.length === 1)
        words.find(first, (places, from, to, whole) =>
          earn(places, from, to, whole ? points.word : points.part),
        )
      else earnPhrase(pieces)
    }
    wholes.read(text, (places, from, to) => earn(places, from, to, points.whole))
  }

  const get = (key: string): ModuleRow | undefined => {
    const slot = index.slotByKey.get(key)
    return slot === undefined ? undefined : rowAt(slot)
  }

  return {
    get,
    /** The row of a key that is in the index. */
    at: (key: string): ModuleRow => {
      const row = get(key)
      if (!row) throw new Error(`no module has the key ${JSON.stringify(key)}`)
      return row
    },
    put: (key: string, row: ModuleRow): void => {
      const { rows, slotByKey, filters, order } = index
      const slot = slotByKey.get(key)
      const before = slot === undefined ? undefined : rowAt(slot)
      if (slot === undefined || !before) {
        insert(key, row)
      } else if (searched.some((text) => before[text] !== row[text])) {
        kill(slot)
        insert(key, row)
        rebuildIfNeeded()
      } else if (before.downloads !== row.downloads || before.verified !== row.verified) {
        order.remove(slot)
        rows[slot] = row
        filters.set(slot, row)
        order.add(slot)
      } else rows[slot] = row
    },
    remove: (key: string): void => {
      const slot = index.slotByKey.get(key)
      if (slot === undefined) return
      kill(slot)
      index.slotByKey.delete(key)
      rebuildIfNeeded()
    },
    settling: () => index.order.settling(),
    /** Part of the modules that all terms meet and the query's filters let through, best first. */
    search: (text: string, query: DirectoryQuery, offset: number, limit: number): Excerpt<ModuleRow> => {
      const { rows, dead, filters, order } = index
      const terms = termsOf(text)
      if (terms.length === 0) return { rows: [], total: 0 }
      if (scratch.term.length < rows.length) scratch = scratchFor(Math.ceil(rows.length * 1.25))
      for (const [at, term] of terms.entries()) {
        score(term)
        if (at === 0) scratch.total.set(scratch.term)
        else add(scratch.total, scratch.term, rows.length)
      }
      const points = scratch.total.subarray(0, rows.length)
      for (const slot of dead) points[slot] = 0
      filters.filter(points, query)
      const { slots, total } = moduleRank(order, points, mostPoints * terms.length, { offset, limit })
      return { rows: slots.map(rowAt), total }
    },
  }
}

/** The arrays that a query writes into, by slot; reused between queries. */
const scratchFor = (slots: number) => ({
  total: new Uint16Array(slots),
  term: new Uint16Array(slots),
  near: new Uint32Array(textOf(placeOf(slots, 0))),
})

/** Adds a term's points, and drops every slot that one of the two missed. */
function add(total: Uint16Array, term: Uint16Array, slots: number): void {
  for (let slot = 0; slot < slots; slot += 1) {
    const earned = term[slot] ?? 0
    total[slot] = earned > 0 && (total[slot] ?? 0) > 0 ? (total[slot] ?? 0) + earned : 0
  }
}
