import type { Flags } from '../../command/declaration.ts'

/** Flags of every command here. */
const boxFlags = {
  to: { type: 'string', value: 'URL', about: 'address of the catalog (http://127.0.0.1:8300)' },
  'dry-run': { type: 'boolean', about: 'change nothing; say what would be done' },
} as const satisfies Flags

export const catalogEnvironment = {
  CATALOG_ADDR: 'address of the catalog, where --to does not say it',
  CATALOG_TOKEN: 'a token that may change boxes there',
} as const

/** Flags of `plinth box push`. */
export const pushFlags = {
  ...boxFlags,
  provider: { type: 'string', value: 'NAME', about: 'what runs the box, as in virtualbox' },
  architecture: { type: 'string', value: 'NAME', about: 'as in amd64 or arm64 (unknown)' },
  private: { type: 'boolean', about: 'make the box private' },
  'no-release': { type: 'boolean', about: 'leave the version unreleased' },
} as const satisfies Flags

/** Flags of `plinth box mirror`. */
export const mirrorFlags = {
  ...boxFlags,
  'source-token-env': {
    type: 'string',
    value: 'NAME',
    about: 'environment variable with a token for the other catalog',
  },
  parallel: { type: 'string', value: 'N', about: 'images copied at the same time (4)' },
} as const satisfies Flags
