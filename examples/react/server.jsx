import { renderToString } from 'react-dom/server'
import { FilteredTable } from './filtered-table.jsx'
import { fields, rows } from './rows.mjs'

export const html = renderToString(
  <FilteredTable rows={rows} fields={fields} columns={['name', 'status', 'priority']} />,
)
