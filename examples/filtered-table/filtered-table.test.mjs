import assert from 'node:assert/strict'
import { test } from 'node:test'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { FilteredTable } from './filtered-table.mjs'

const rows = [
  { name: 'web', status: 'running' },
  { name: 'db', status: 'dead' },
]
const html = (initial) => render(h(FilteredTable, { rows, columns: ['name', 'status'], initial }))

test('shows every row, the rows that pass, or what is wrong', () => {
  assert.match(html(''), /2 of 2 rows/)
  assert.match(html('status == "running"'), /1 of 2 rows/)
  assert.match(html('status == "running"'), /<td>web<\/td>/)
  assert.doesNotMatch(html('status == "running"'), /<td>db<\/td>/)
  assert.match(html('status = '), /role="status">[^<]*1/)
  assert.doesNotMatch(html('status = '), /<td>/)
})
