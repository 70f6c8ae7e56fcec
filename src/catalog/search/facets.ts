import type { BoxQuery, BoxRow } from './row.ts'

/** The facets of a row: names of providers, architectures, and both together. They contain no spaces. */
export const facetsOf = ({ providers }: BoxRow): ReadonlySet<string> =>
  new Set(
    providers.flatMap(({ name, architecture }) => [
      `${name} `,
      ` ${architecture}`,
      `${name} ${architecture}`,
    ]),
  )

/** The facet of a query, if it has one. */
export const facetOf = ({ provider = '', architecture = '' }: BoxQuery): string | undefined =>
  provider === '' && architecture === '' ? undefined : `${provider} ${architecture}`

/** The same for rows with the same facets. */
export const facetKey = ({ providers }: BoxRow): string =>
  providers.map(({ name, architecture }) => `${name} ${architecture}`).join('\n')
