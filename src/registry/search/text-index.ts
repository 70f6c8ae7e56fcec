import { foldText, isInWord, joinedTexts, rankedPage, ranking, slots } from '../../search/index.ts'
import { columns } from './columns.ts'
import { mostPoints, type Searched, searched, searchPoints } from './points.ts'
import type { DirectoryQuery } from './query.ts'
import type { Excerpt, ModuleRow } from './row.ts'
import { termFinder, termsOf } from './term.ts'

/** The texts of one field of all modules. */
interface FieldTexts {
  readonly field: Searched
  readonly joined: ReturnType<typeof joinedTexts>
}

/** The points of one term in each slot. */
function pointsOf(term: string, texts: readonly FieldTexts[], slotCount: number): Uint16Array {
  const earned = new Uint16Array(slotCount)
  for (const { field, joined } of texts) {
    const { next, endOf } = termFinder(term, joined.finder)
    const points = searchPoints[field]
    joined.find(next, (slot, text, at, textStart, textEnd) => {
      // A field before this one has earned more.
      if ((earned[slot] ?? 0) >= points.whole) return textEnd
      const end = endOf(at)
      const isWord = !isInWord(text, at, 'before') && !isInWord(text, end, 'after')
      const isWhole =
        field !== 'description' && textEnd - textStart === term.length && text.startsWith(term, textStart)
      const met = points[isWhole ? 'whole' : isWord ? 'word' : 'part']
      if (met > (earned[slot] ?? 0)) earned[slot] = met
      // A part may be followed by a whole word in the same text.
      return isWord ? textEnd : at + 1
    })
  }
  return earned
}

/**
 * The search over modules: infix matches in five texts, ranked by {@link searchPoints}.
 *
 * @remarks
 * Each row has a key, for put and remove, and a slot. A query adds up points per slot in one typed array and reads the
 * slots in order of popularity, so that equal points come out in that order without sorting.
 */
export function textIndex() {
  const slotOf = slots()
  const rows: (ModuleRow | undefined)[] = []
  const keys: string[] = []
  const filters = columns()
  const texts = searched.map((field): FieldTexts => ({ field, joined: joinedTexts() }))

  const rowAt = (slot: number): ModuleRow => {
    const row = rows[slot]
    if (!row) throw new Error(`slot ${slot} holds no module`)
    return row
  }
  /** Partner modules first, then more downloads, then address. */
  const popularity = ranking(
    (slot) => ({ row: rowAt(slot), key: keys[slot] ?? '' }),
    (a, b) => comparePopularity(a.row, b.row) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  )

  const get = (key: string): ModuleRow | undefined => {
    const slot = slotOf.of(key)
    return slot === undefined ? undefined : rows[slot]
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
      const slot = slotOf.of(key) ?? slotOf.take(key)
      const before = rows[slot]
      const isMoved = !before || comparePopularity(before, row) !== 0
      if (before && isMoved) popularity.remove(slot)
      rows[slot] = row
      keys[slot] = key
      if (isMoved) popularity.add(slot)
      filters.put(slot, row)
      for (const { field, joined } of texts)
        if (!before || textIn(before, field) !== textIn(row, field))
          joined.put(slot, foldText(textIn(row, field)))
    },
    remove: (key: string): void => {
      const slot = slotOf.of(key)
      if (slot === undefined) return
      popularity.remove(slot)
      rows[slot] = undefined
      filters.remove(slot)
      for (const { joined } of texts) joined.put(slot, '')
      slotOf.release(key)
    },
    /** Prepares the structures of the first search, in steps; do not put or remove between the steps. */
    settling: function* (): Generator<void, void> {
      for (const { joined } of texts) yield* joined.settling()
      yield* popularity.settling()
    },
    /** Part of the modules that all terms meet and the query's filters let through, best first. */
    search: (text: string, query: DirectoryQuery, offset: number, limit: number): Excerpt<ModuleRow> => {
      const terms = termsOf(text)
      if (terms.length === 0) return { rows: [], total: 0 }
      const points = terms.map((term) => pointsOf(term, texts, slotOf.count())).reduce(add)
      filters.filter(points, query)
      const page = rankedPage(popularity, points, mostPoints * terms.length, { offset, limit })
      return { rows: page.slots.map(rowAt), total: page.total }
    },
  }
}

function textIn(row: ModuleRow, field: Searched): string {
  const text = row[field] ?? ''
  return typeof text === 'string' ? text : text.join('\n')
}

const comparePopularity = (a: ModuleRow, b: ModuleRow): number =>
  Number(b.verified) - Number(a.verified) || b.downloads - a.downloads

/** Adds a term's points, and drops every slot that one of the two missed. */
function add(total: Uint16Array, term: Uint16Array): Uint16Array {
  for (let slot = 0; slot < total.length; slot += 1) {
    const earned = term[slot] ?? 0
    total[slot] = earned > 0 && (total[slot] ?? 0) > 0 ? (total[slot] ?? 0) + earned : 0
  }
  return total
}
