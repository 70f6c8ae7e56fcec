import type { Dialect } from '../../../src/filter/index.ts'

/** What an address restores. */
export interface Shared {
  readonly expression?: string
  readonly dialect?: Dialect
  readonly rows?: string
  readonly schema?: string
}

/** Longer rows do not fit into an address that every program takes. */
const mostCharacters = 4000

/** The fragment of an address: it is never sent to a server. */
export function fragmentOf({ expression, dialect, rows, schema }: Shared): string {
  const parts = new URLSearchParams({ expression: expression ?? '' })
  if (dialect === 'bexpr') parts.set('dialect', dialect)
  if (rows !== undefined && rows.length <= mostCharacters) parts.set('rows', rows)
  if (schema !== undefined && schema !== '' && schema.length <= mostCharacters) parts.set('schema', schema)
  return `#${parts}`
}

export function sharedIn(fragment: string): Shared {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''))
  const text = (name: string) => parts.get(name) ?? undefined
  const [expression, rows, schema] = [text('expression'), text('rows'), text('schema')]
  return {
    ...(expression !== undefined && { expression }),
    ...(parts.get('dialect') === 'bexpr' && { dialect: 'bexpr' as const }),
    ...(rows !== undefined && { rows }),
    ...(schema !== undefined && { schema }),
  }
}
