import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import type { Column } from '../../ui/rows.tsx'
import { SearchList, searchPageRows } from '../../ui/search-list.tsx'
import { Time } from '../../ui/time.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import type { Box } from './box.ts'
import { NewBox } from './new-box.tsx'

const columns: readonly Column<Box>[] = [
  {
    title: 'Box',
    cell: ({ tag }) => (
      <a href={viewPath(`/catalog/${tag}`)} data-row-link>
        {tag}
      </a>
    ),
  },
  { title: 'Version', cell: ({ current_version }) => current_version?.version ?? '–' },
  { title: 'About', cell: ({ short_description }) => short_description, isMinor: true },
  { title: 'Downloads', cell: ({ downloads }) => downloads.toLocaleString('en'), isNumber: true },
  { title: 'Changed', cell: ({ updated_at }) => <Time ms={Date.parse(updated_at)} />, isMinor: true },
]

/** The boxes that may be seen, by a search. */
export default function Boxes() {
  return (
    <section class="view">
      <h1>Boxes</h1>
      <SearchList
        title="Boxes"
        noun="box"
        service="catalog"
        columns={columns}
        keyOf={({ tag }) => tag}
        read={async ({ q, cursor = '1', signal }) => {
          const { body } = await call<{ readonly boxes: readonly Box[] }>('catalog', '/api/v2/search', {
            query: { q, limit: searchPageRows, page: cursor },
            signal,
          })
          const isFull = body.boxes.length === searchPageRows
          return { rows: body.boxes, next: isFull ? String(Number(cursor) + 1) : undefined }
        }}
      />
      <h2>Your boxes</h2>
      <TokenField service="catalog" />
      <NewBox />
    </section>
  )
}
