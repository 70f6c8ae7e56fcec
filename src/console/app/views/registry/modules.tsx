import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import type { Column } from '../../ui/column.ts'
import { SearchList, searchPageRows } from '../../ui/search-list.tsx'
import { Time } from '../../ui/time.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import { View } from '../../ui/view.tsx'
import type { ModuleStub } from './module.ts'

interface Found {
  readonly meta: { readonly next_offset?: number }
  readonly modules: readonly ModuleStub[]
}

const columns: readonly Column<ModuleStub>[] = [
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
    by: ({ namespace, name, provider }) => `${namespace}/${name}/${provider}`,
  },
  { title: 'Version', cell: ({ version }) => version },
  { title: 'Description', cell: ({ description }) => description, isMinor: true },
  {
    title: 'Downloads',
    cell: ({ downloads }) => downloads.toLocaleString('en'),
    by: ({ downloads }) => downloads,
    isNumber: true,
  },
  {
    title: 'Published',
    cell: ({ published_at }) => <Time ms={Date.parse(published_at)} />,
    by: ({ published_at }) => Date.parse(published_at),
    isMinor: true,
  },
]

/** The modules, all or by a search. */
export default function Modules() {
  return (
    <View title="Modules">
      <SearchList
        title="Modules"
        noun={['module', 'modules']}
        service="registry"
        columns={columns}
        keyOf={({ id }) => id}
        facet={{ title: 'Provider', parameter: 'provider', of: ({ provider }) => [provider] }}
        hint="Publish one with: plinth module publish DIRECTORY"
        read={async ({ query, cursor, signal }) => {
          const { body } = await call<Found>(
            'registry',
            query['q'] === '' ? '/v1/modules' : '/v1/modules/search',
            {
              query: { ...query, limit: searchPageRows, offset: cursor },
              signal,
            },
          )
          return { rows: body.modules, next: body.meta.next_offset?.toString() }
        }}
      />
      <h2>Your sign-in</h2>
      <TokenField service="registry" />
    </View>
  )
}
