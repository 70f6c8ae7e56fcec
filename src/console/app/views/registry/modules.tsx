import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Time } from '../../ui/time.tsx'
import type { ModuleStub } from './module.ts'

const perPage = 50

interface Found {
  readonly meta: { readonly next_offset?: number }
  readonly modules: readonly ModuleStub[]
}

/** The modules, all or by a search. */
export default function Modules() {
  const { query, route, path } = useLocation()
  const q = query['q'] ?? ''
  const pages = useSignal(1)
  const { value, problem } = useResource(
    async ({ signal }) => {
      const rows: ModuleStub[] = []
      let offset: number | undefined = 0
      for (let page = 0; page < pages.value && offset !== undefined; page += 1) {
        const { body }: { readonly body: Found } = await call<Found>(
          'registry',
          q === '' ? '/v1/modules' : '/v1/modules/search',
          { query: { q, limit: perPage, offset }, signal },
        )
        rows.push(...body.modules)
        offset = body.meta.next_offset
      }
      return { value: { rows, isWhole: offset === undefined } }
    },
    [q, pages.value],
  ).state.value
  return (
    <section class="view">
      <h1>Modules</h1>
      <SearchBox
        value={q}
        onSearch={(text) => route(text === '' ? path : `${path}?q=${encodeURIComponent(text)}`)}
      />
      {problem && <Problem problem={problem} service="registry" />}
      {value?.rows.length === 0 && <p class="empty">No module{q === '' ? ' yet' : ` for “${q}”`}.</p>}
      {value && value.rows.length > 0 && (
        <Rows
          label="Modules"
          rows={value.rows}
          keyOf={({ id }) => id}
          onEnd={
            value.isWhole
              ? undefined
              : () => {
                  pages.value = Math.ceil(value.rows.length / perPage) + 1
                }
          }
          columns={[
            {
              title: 'Module',
              cell: ({ namespace, name, provider, verified }) => (
                <>
                  <a href={viewPath(`/registry/${namespace}/${name}/${provider}`)} data-row-link>
                    {namespace}/{name}/{provider}
                  </a>
                  {verified && <span class="badge">verified</span>}
                </>
              ),
            },
            { title: 'Version', cell: ({ version }) => version },
            { title: 'About', cell: ({ description }) => description, isMinor: true },
            { title: 'Downloads', cell: ({ downloads }) => downloads.toLocaleString('en'), isNumber: true },
            {
              title: 'Published',
              cell: ({ published_at }) => <Time ms={Date.parse(published_at)} />,
              isMinor: true,
            },
          ]}
        />
      )}
    </section>
  )
}
