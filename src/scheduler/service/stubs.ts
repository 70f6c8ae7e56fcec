import { recent } from '../recent.ts'
import type { WrittenList } from '../wire/list-text.ts'

/** How rows become what a list shows of them. */
export type Show<Row, Shown> = (rows: readonly Row[]) => WrittenList<Shown>

/** Shows rows as they are. */
export const asTheyAre = <Row>(list: readonly Row[]): WrittenList<Row> => ({
  list,
  text: () => JSON.stringify(list),
})

/** How the rows of one kind of list are shown, by what they show beside the usual. */
export function stubsOf<Row extends object, Fields extends object, Stub extends object>(
  make: (row: Row, fields: Fields) => Stub,
): (fields: Fields) => Show<Row, Stub> {
  const byFields = new Map<number, Show<Row, Stub>>()
  return (fields) => {
    const choice = choiceOf(fields)
    const known = byFields.get(choice)
    if (known !== undefined) return known
    const show = remembering((row: Row) => Object.freeze(make(row, fields)))
    byFields.set(choice, show)
    return show
  }
}

/** Fields that are yes, no or not said, as one number: whoever calls names the same ones in the same order. */
function choiceOf(fields: { readonly [Name in string]?: boolean | undefined }): number {
  let choice = 0
  for (const name in fields) choice = 3 * choice + (fields[name] === undefined ? 0 : fields[name] ? 1 : 2)
  return choice
}

/** A longer list is made anew every time, and its rows are not remembered. */
const longest = 1024

/**
 * Remembers the pages shown last and the texts of the rows shown last: of a page that is asked for again nothing is
 * made, of one where something changed only what changed is put into text.
 */
function remembering<Row extends object, Stub>(stubOf: (row: Row) => Stub): Show<Row, Stub> {
  const rowText = recent((row: Row) => JSON.stringify(stubOf(row)))
  const pageFrom = recent((_first: Row): Page<Row, Stub> => ({ rows: [], shown: asTheyAre([]) }), 16)
  return (rows) => {
    const [first] = rows
    const list = () => Object.freeze(rows.map(stubOf))
    if (first === undefined || rows.length > longest) return asTheyAre(list())
    const page = pageFrom(first)
    // Rows never change: what takes the place of one is another object.
    if (page.rows.length !== rows.length || !page.rows.every((row, at) => row === rows[at])) {
      let text: string | undefined
      page.rows = rows
      page.shown = { list: list(), text: () => (text ??= `[${rows.map(rowText).join(',')}]`) }
    }
    return page.shown
  }
}

interface Page<Row, Stub> {
  rows: readonly Row[]
  shown: WrittenList<Stub>
}
