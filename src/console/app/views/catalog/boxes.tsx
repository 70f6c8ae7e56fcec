import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { tokens } from '../../data/tokens.ts'
import type { Column } from '../../ui/column.ts'
import { Rows } from '../../ui/rows.tsx'
import { SearchList, searchPageRows } from '../../ui/search-list.tsx'
import { Time } from '../../ui/time.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import { View } from '../../ui/view.tsx'
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
    by: ({ tag }) => tag,
  },
  { title: 'Version', cell: ({ current_version }) => current_version?.version ?? '–' },
  { title: 'Description', cell: ({ short_description }) => short_description, isMinor: true },
  {
    title: 'Downloads',
    cell: ({ downloads }) => downloads.toLocaleString('en'),
    by: ({ downloads }) => downloads,
    isNumber: true,
  },
  {
    title: 'Changed',
    cell: ({ updated_at }) => <Time ms={Date.parse(updated_at)} />,
    by: ({ updated_at }) => Date.parse(updated_at),
    isMinor: true,
  },
]

const providersOf = ({ current_version }: Box): readonly string[] => [
  ...new Set((current_version?.providers ?? []).map(({ name }) => name)),
]

/** The boxes that may be seen, by a search. */
export default function Boxes() {
  return (
    <View title="Boxes">
      <SearchList
        title="Boxes"
        noun={['box', 'boxes']}
        service="catalog"
        columns={columns}
        keyOf={({ tag }) => tag}
        facet={{ title: 'Provider', parameter: 'provider', of: providersOf }}
        serverOrders={{ Downloads: 'downloads', Changed: 'updated' }}
        hint="Sign in below to create one, or run: plinth box push USER/NAME VERSION FILE"
        read={async ({ query, cursor = '1', signal }) => {
          const { body } = await call<{ readonly boxes: readonly Box[] }>('catalog', '/api/v2/search', {
            query: { ...query, limit: searchPageRows, page: cursor },
            signal,
          })
          const isFull = body.boxes.length === searchPageRows
          return { rows: body.boxes, next: isFull ? String(Number(cursor) + 1) : undefined }
        }}
      />
      <h2>Your boxes</h2>
      <TokenField service="catalog" />
      {tokens.value.catalog !== undefined && (
        <>
          <OwnBoxes />
          <NewBox />
        </>
      )}
    </View>
  )
}

/** The boxes of the token's user, private ones among them: the search finds public ones only. */
function OwnBoxes() {
  const { value, problem } = useResource(async ({ signal }) => {
    const { body: own } = await call<{ readonly user: { readonly username: string } }>(
      'catalog',
      '/api/v2/authenticate',
      { signal },
    )
    const { body } = await call<{ readonly boxes: readonly Box[] }>(
      'catalog',
      `/api/v2/user/${encodeURIComponent(own.user.username)}`,
      { signal },
    )
    return { value: body.boxes }
  }, []).state.value
  if (problem?.status === 404)
    return (
      <p class="empty">Your sign-in is no user of the catalog: open a box of its accounts by its name.</p>
    )
  // The list above says so already.
  if (problem?.status === 401) return null
  // There is a token field above already.
  if (problem)
    return (
      <p class="problem" role="alert">
        <strong>Not permitted</strong> {problem.message}
      </p>
    )
  if (!value) return null
  if (value.length === 0)
    return (
      <p class="empty">You have no box yet. Create one below, then upload an image for a version of it.</p>
    )
  return <Rows label="Your boxes" rows={value} keyOf={({ tag }) => tag} columns={columns} />
}
