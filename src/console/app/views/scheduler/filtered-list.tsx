import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useCursorList } from '../../data/cursor-list.ts'
import { FilterBox } from '../../ui/filter-box.tsx'
import { expressionOf } from '../../ui/plain-words.ts'
import { Problem } from '../../ui/problem.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import { Explained } from './explained.tsx'
import { readPage } from './list.ts'

/** Rows of a page. */
const perPage = 200

/** A list of the scheduler, live, by the filter in the URL. */
export function FilteredList<Row extends object>({
  title,
  noun,
  path,
  names,
  hint,
  query = {},
  columns,
  keyOf,
  about,
  atLeast,
}: {
  readonly title: string
  readonly noun: readonly [one: string, more: string]
  /** Where the scheduler lists them. */
  readonly path: string
  /** The fields that name a row: plain words in the filter are searched in them. */
  readonly names: readonly string[]
  /** What appears here, and how. */
  readonly hint: ComponentChildren
  readonly query?: Readonly<Record<string, string>>
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Content between the filter and the rows. */
  readonly about?: (rows: readonly Row[]) => ComponentChildren
  /** The minimum number of rows to read, even when fewer are in view. */
  readonly atLeast?: number
}) {
  const { query: asked, route, path: view } = useLocation()
  const typed = asked['filter'] ?? ''
  const filter = expressionOf(typed, names)
  const explained = useSignal<Row | undefined>(undefined)
  const { rows, isWhole, isCurrent, problem, onView } = useCursorList<Row>(
    (page) => readPage(path, { ...query, filter }, perPage, page),
    [filter],
    atLeast,
  )
  const filterProblem = problem?.status === 400 ? problem.message : undefined
  const count = rows?.length ?? 0
  const why: Column<Row> = {
    title: 'Why',
    cell: (row) => (
      <button
        type="button"
        class="quiet"
        onClick={() => {
          explained.value = row
        }}
      >
        Why<span class="hidden"> is {keyOf(row)} here</span>
      </button>
    ),
  }
  return (
    <>
      <FilterBox
        value={typed}
        names={names}
        problem={filterProblem}
        fields={title}
        rows={rows}
        onChange={(text) => route(text === '' ? view : `${view}?filter=${encodeURIComponent(text)}`)}
      />
      {problem && filterProblem === undefined && <Problem problem={problem} service="scheduler" />}
      {rows && (
        <p class="muted" role="status">
          {count.toLocaleString('en')}
          {isWhole ? '' : ' or more'} {noun[count === 1 ? 0 : 1]}
        </p>
      )}
      {rows && about?.(rows)}
      {count > 0 && rows && (
        <Rows
          label={title}
          columns={filter === '' || !isCurrent ? columns : [...columns, why]}
          rows={rows}
          keyOf={keyOf}
          onView={onView}
        />
      )}
      {rows && count === 0 && (
        <p class="empty">
          {filter === '' ? (
            <>
              No {noun[1]} yet. {hint}
            </>
          ) : (
            <>
              No {noun[1]} match <code>{filter}</code>. <a href={view}>Show all {noun[1]}</a>
            </>
          )}
        </p>
      )}
      {explained.value && (
        <Explained
          filter={filter}
          row={explained.value}
          name={keyOf(explained.value)}
          close={() => {
            explained.value = undefined
          }}
        />
      )}
    </>
  )
}
