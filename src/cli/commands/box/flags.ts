import type { Flags } from '../../command/declaration.ts'
import { addressFlag } from './administration.ts'

/** Flags of the commands that send images. */
const boxFlags = {
  ...addressFlag,
  'dry-run': { type: 'boolean', about: 'only print what would be done' },
} as const satisfies Flags

export const catalogEnvironment = {
  CATALOG_ADDR: 'address of the catalog; --to takes precedence',
  CATALOG_TOKEN: 'a token with the right to change these boxes',
} as const

/** Flags of `plinth box push`. */
export const pushFlags = {
  ...boxFlags,
  provider: { type: 'string', value: 'NAME', about: 'the provider of the box, such as virtualbox' },
  architecture: { type: 'string', value: 'NAME', about: 'such as amd64 or arm64 (unknown)' },
  private: { type: 'boolean', about: 'make the box private' },
  'no-release': { type: 'boolean', about: 'leave the version unreleased' },
  'release-after': {
    type: 'string',
    value: 'N',
    about: 'release the version once N of its images are there',
  },
} as const satisfies Flags

/** Flags of `plinth box mirror`. */
export const mirrorFlags = {
  ...boxFlags,
  'source-token-env': {
    type: 'string',
    value: 'NAME',
    about: 'environment variable with a token for the other catalog',
  },
  verify: { type: 'boolean', about: 'copy nothing: read the copies, and print what differs' },
  'keep-history': {
    type: 'boolean',
    about: 'keep the dates and the numbers of downloads, too, as an administrator',
  },
  parallel: { type: 'string', value: 'N', about: 'images copied at the same time (4)' },
} as const satisfies Flags
