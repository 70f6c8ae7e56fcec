import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Time } from '../../ui/time.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import type { Box } from './box.ts'
import { NewBox } from './new-box.tsx'

const perPage = 50

/** The boxes that may be seen, by a search. */
export default function Boxes() {
  const { query, route, path } = useLocation()
  const q = query['q'] ?? ''
  const pages = useSignal(1)
  const { value, problem } = useResource(
    async ({ signal }) => {
      const rows: Box[] = []
      for (let page = 1; page <= pages.value; page += 1) {
        const { body } = await call<{ readonly boxes: readonly Box[] }>('catalog', '/api/v2/search', {
          query: { q, limit: perPage, page },
          signal,
        })
        rows.push(...body.boxes)
        if (body.boxes.length < perPage) return { value: { rows, isWhole: true } }
      }
      return { value: { rows, isWhole: false } }
    },
    [q, pages.value],
  ).state.value
  return (
    <section class="view">
      <h1>Boxes</h1>
      <SearchBox
        value={q}
        onSearch={(text) => route(text === '' ? path : `${path}?q=${encodeURIComponent(text)}`)}
      />
      {problem && <Problem problem={problem} service="catalog" />}
      {value?.rows.length === 0 && <p class="empty">No box{q === '' ? ' yet' : ` for “${q}”`}.</p>}
      {value && value.rows.length > 0 && (
        <Rows
          label="Boxes"
          rows={value.rows}
          keyOf={({ tag }) => tag}
          onEnd={
            value.isWhole
              ? undefined
              : () => {
                  pages.value = Math.ceil(value.rows.length / perPage) + 1
                }
          }
          columns={[
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
            {
              title: 'Changed',
              cell: ({ updated_at }) => <Time ms={Date.parse(updated_at)} />,
              isMinor: true,
            },
          ]}
        />
      )}
      <h2>Your boxes</h2>
      <TokenField service="catalog" />
      <NewBox />
    </section>
  )
}
