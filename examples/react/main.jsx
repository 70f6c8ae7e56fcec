import { createRoot } from 'react-dom/client'
import { FilteredTable } from './filtered-table.jsx'
import { fields, rows } from './rows.mjs'

createRoot(document.getElementById('root')).render(
  <FilteredTable rows={rows} fields={fields} columns={['name', 'status', 'priority']} />,
)
