import { useLocation } from 'preact-iso/router'
import { type Page, useCursorList } from '../data/cursor-list.ts'
import type { ServiceName } from '../data/services.ts'
import { Problem } from './problem.tsx'
import { type Column, Rows } from './rows.tsx'
import { SearchBox } from './search-box.tsx'

/** Rows of a page. */
export const searchPageRows = 100

/** A list with a search by its service; the search text is in the URL. */
export function SearchList<Row>({
  title,
  noun,
  service,
  columns,
  keyOf,
  read,
}: {
  readonly title: string
  /** One of them. */
  readonly noun: string
  readonly service: ServiceName
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly read: (asked: {
    readonly q: string
    readonly cursor: string | undefined
    readonly signal: AbortSignal
  }) => Promise<Page<Row>>
}) {
  const { query, route, path } = useLocation()
  const q = query['q'] ?? ''
  const { rows, problem, onView } = useCursorList(({ cursor, signal }) => read({ q, cursor, signal }), [q])
  return (
    <>
      <SearchBox
        value={q}
        onSearch={(text) => route(text === '' ? path : `${path}?q=${encodeURIComponent(text)}`)}
      />
      {problem && <Problem problem={problem} service={service} />}
      {rows?.length === 0 && (
        <p class="empty">
          No {noun}
          {q === '' ? ' yet' : ` for “${q}”`}.
        </p>
      )}
      {rows && rows.length > 0 && (
        <Rows label={title} rows={rows} keyOf={keyOf} columns={columns} onView={onView} />
      )}
    </>
  )
}
