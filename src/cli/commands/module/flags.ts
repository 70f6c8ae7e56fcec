import { formatFlag } from '../../client/flags.ts'
import type { Flags, Word } from '../../command/declaration.ts'

/** Flags of every `plinth module` command. */
export const moduleFlags = {
  to: { type: 'string', value: 'URL', about: 'address of the registry (http://127.0.0.1:8400)' },
  'dry-run': { type: 'boolean', about: 'only print what would be done' },
} as const satisfies Flags

/** Flags of `plinth module mirror`. */
export const mirrorFlags = {
  ...moduleFlags,
  'source-token-env': {
    type: 'string',
    value: 'NAME',
    about: 'environment variable with a token for the other registry',
  },
  verify: { type: 'boolean', about: 'copy nothing: read both archives, and print what differs' },
  'keep-history': {
    type: 'boolean',
    about: 'keep the dates and the numbers of downloads, too, as an administrator',
  },
} as const satisfies Flags

/** Flags of the commands that read: a public registry needs no token. */
export const readFlags = { to: moduleFlags.to, ...formatFlag } as const satisfies Flags

/** Flags that say what a module is. */
export const describingFlags = {
  description: { type: 'string', value: 'TEXT', about: "a line about it (its README's first paragraph)" },
  source: { type: 'string', value: 'URL', about: 'where its source code is' },
  label: { type: 'string', value: 'WORD', about: 'a label for searches (repeatable)', multiple: true },
} as const satisfies Flags

export const moduleWord = { name: 'NAMESPACE/NAME/PROVIDER', about: 'the module' } as const satisfies Word
export const versionWord = { name: 'VERSION', about: 'its version, such as 1.2.0' } as const satisfies Word

export const registryEnvironment = {
  REGISTRY_ADDR: 'address of the registry; --to takes precedence',
  REGISTRY_TOKEN: 'a token with the right to publish',
} as const

export const readerEnvironment = {
  ...registryEnvironment,
  REGISTRY_TOKEN: 'a token with the right to read, if the registry is private',
} as const
