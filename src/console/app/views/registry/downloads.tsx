import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'

const spans = ['week', 'month', 'year', 'total'] as const
type Counts = Readonly<Record<(typeof spans)[number], number>>

/** How often a module was downloaded, as bars. */
export function Downloads({ address }: { readonly address: string }) {
  const { value } = useResource(
    async ({ signal }) => ({
      value: (
        await call<{ readonly data: { readonly attributes: Counts } }>(
          'registry',
          `/v2/modules/${address}/downloads/summary`,
          { signal },
        )
      ).body.data.attributes,
    }),
    [address],
  ).state.value
  if (!value) return null
  const most = Math.max(1, ...spans.map((span) => value[span] ?? 0))
  return (
    <>
      <h2>Downloads</h2>
      <dl class="bars">
        {spans.map((span) => (
          <div key={span}>
            <dt>{span}</dt>
            <dd>
              <span class="good" style={{ width: `${(100 * (value[span] ?? 0)) / most}%` }} />
              {(value[span] ?? 0).toLocaleString('en')}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
