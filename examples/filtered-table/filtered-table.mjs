// A table with a filter box, in Preact. In React the imports change, nothing else.
import { compile, FilterError } from 'plinth/filter'
import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'

/** The rows that pass, or what is wrong with the expression. */
export function filterRows(rows, expression) {
  if (expression.trim() === '') return { rows, problem: '' }
  try {
    return { rows: compile(expression).select(rows), problem: '' }
  } catch (error) {
    if (error instanceof FilterError) return { rows: [], problem: error.message }
    throw error
  }
}

export function FilteredTable({ rows, columns, initial = '' }) {
  const [expression, setExpression] = useState(initial)
  const shown = useMemo(() => filterRows(rows, expression), [rows, expression])
  return h(
    'section',
    null,
    h(
      'label',
      null,
      'Filter ',
      h('input', { value: expression, onInput: (event) => setExpression(event.target.value) }),
    ),
    h('p', { role: 'status' }, shown.problem || `${shown.rows.length} of ${rows.length} rows`),
    h(
      'table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          columns.map((column) => h('th', { key: column, scope: 'col' }, column)),
        ),
      ),
      h(
        'tbody',
        null,
        shown.rows.map((row, at) =>
          h(
            'tr',
            { key: at },
            columns.map((column) => h('td', { key: column }, String(row[column]))),
          ),
        ),
      ),
    ),
  )
}
