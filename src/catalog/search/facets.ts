import type { BoxQuery, BoxRow } from './row.ts'

/** What a row can be filtered by: names of providers, architectures, both together. Blanks occur in neither. */
export const facetsOf = ({ providers }: BoxRow): ReadonlySet<string> =>
  new Set(
    providers.flatMap(({ name, architecture }) => [
      `${name} `,
      ` ${architecture}`,
      `${name} ${architecture}`,
    ]),
  )

/** What a query filters by, if it does. */
export const facetOf = ({ provider = '', architecture = '' }: BoxQuery): string | undefined =>
  provider === '' && architecture === '' ? undefined : `${provider} ${architecture}`

/** The same for rows with the same facets. */
export const facetKey = ({ providers }: BoxRow): string =>
  providers.map(({ name, architecture }) => `${name} ${architecture}`).join('\n')
