import type { SerializedList } from '../../wire/serialized-list.ts'
import { memo } from './memo.ts'

/** Converts rows to their list form. */
export type Show<Row, Shown> = (rows: readonly Row[]) => SerializedList<Shown>

/** Shows rows unchanged. */
export const asTheyAre = <Row>(list: readonly Row[]): SerializedList<Row> => ({
  list: () => list,
  text: () => JSON.stringify(list),
})

/** The forms of the rows of one kind of list, by their optional fields. */
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
      // Every caller gets its own stubs; only their text is shared.
      const list = () => rows.map((row) => make(row, fields))
      return { list, text: () => write(rows, list) }
    }
    byFields.set(choice, show)
    return show
  }
}

/** Encodes optional booleans as one number: all callers list them in the same order. */
function choiceOf(fields: { readonly [Name in string]?: boolean | undefined }): number {
  let choice = 0
  for (const name in fields) choice = 3 * choice + (fields[name] === undefined ? 0 : fields[name] ? 1 : 2)
  return choice
}

/** The text of a longer list is not cached. */
const longest = 1024

/** Caches the texts of the latest pages by their first row: pages and long polls repeat theirs. */
function rememberingPages<Row extends object>() {
  const pageFrom = memo((_first: Row) => ({ rows: [] as readonly Row[], text: '[]' }), 16)
  return (rows: readonly Row[], list: () => readonly unknown[]): string => {
    const [first] = rows
    if (first === undefined || rows.length > longest) return JSON.stringify(list())
    const page = pageFrom(first)
    // Rows are immutable: a changed one is another object.
    if (page.rows.length !== rows.length || !page.rows.every((row, at) => row === rows[at])) {
      page.rows = rows
      page.text = JSON.stringify(list())
    }
    return page.text
  }
}
