import type { SerializedList } from '../../wire/serialized-list.ts'
import { memo } from './memo.ts'

/** How rows become what a list shows of them. */
export type Show<Row, Shown> = (rows: readonly Row[]) => SerializedList<Shown>

/** Shows rows as they are. */
export const asTheyAre = <Row>(list: readonly Row[]): SerializedList<Row> => ({
  list: () => list,
  text: () => JSON.stringify(list),
})

/** How the rows of one kind of list are shown, by what they show beside the usual. */
export function stubsOf<Row extends object, Fields extends object, Stub>(
  make: (row: Row, fields: Fields) => Stub,
): (fields: Fields) => Show<Row, Stub> {
  const byFields = new Map<number, Show<Row, Stub>>()
  return (fields) => {
    const choice = choiceOf(fields)
    const known = byFields.get(choice)
    if (known !== undefined) return known
    const write = rememberingPages<Row>()
    const show = (rows: readonly Row[]) => {
      // Stubs belong to the caller; only their text is shared.
      const list = () => rows.map((row) => make(row, fields))
      return { list, text: () => write(rows, list) }
    }
    byFields.set(choice, show)
    return show
  }
}

/** Fields that are yes, no or not said, as one number: all callers name the same ones in the same order. */
function choiceOf(fields: { readonly [Name in string]?: boolean | undefined }): number {
  let choice = 0
  for (const name in fields) choice = 3 * choice + (fields[name] === undefined ? 0 : fields[name] ? 1 : 2)
  return choice
}

/** A longer list is put into text anew every time. */
const longest = 1024

/** Remembers the texts of the pages written last, by the row each begins with: pages and long polls repeat theirs. */
function rememberingPages<Row extends object>() {
  const pageFrom = memo((_first: Row) => ({ rows: [] as readonly Row[], text: '[]' }), 16)
  return (rows: readonly Row[], list: () => readonly unknown[]): string => {
    const [first] = rows
    if (first === undefined || rows.length > longest) return JSON.stringify(list())
    const page = pageFrom(first)
    // Rows never change: what takes the place of one is another object.
    if (page.rows.length !== rows.length || !page.rows.every((row, at) => row === rows[at])) {
      page.rows = rows
      page.text = JSON.stringify(list())
    }
    return page.text
  }
}
