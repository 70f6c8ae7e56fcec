import type { Flags } from '../../command/declaration.ts'

/** Flags of every `plinth box` command. */
export const boxFlags = {
  to: { type: 'string', value: 'URL', about: 'address of the catalog (http://127.0.0.1:8300)' },
  'dry-run': { type: 'boolean', about: 'change nothing; say what would be done' },
} as const satisfies Flags

export const catalogEnvironment = {
  CATALOG_ADDR: 'address of the catalog, where --to does not say it',
  CATALOG_TOKEN: 'a token that may change boxes there',
} as const
