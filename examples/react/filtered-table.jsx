// A table with a filter box, in React 19. On a server the box renders as an empty element, which the browser fills.
import 'plinth/filter/element'
import { useState } from 'react'

export function FilteredTable({ rows, fields, columns, initial = '' }) {
  const [text, setText] = useState(initial)
  const [passing, setPassing] = useState(rows)

  const change = ({ nativeEvent: { detail } }) => {
    setText(detail.text)
    // While the text has a mistake, the rows of the last filter stay; an empty box has no filter.
    if (!detail.error) setPassing(detail.filter ? detail.filter.select(rows) : rows)
  }

  return (
    <section>
      <label htmlFor="filter">Filter</label>
      <plinth-filter id="filter" builder="" fields={fields} value={text} onChange={change} />
      <p role="status">
        {passing.length} of {rows.length} rows
      </p>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {passing.map((row) => (
            <tr key={row.name}>
              {columns.map((column) => (
                <td key={column}>{String(row[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
