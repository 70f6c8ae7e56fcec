import { secretsFlags } from '../../client/flags.ts'
import type { Flags, Word } from '../../command/declaration.ts'

/** Flags of every `plinth kv` command. */
export const kvFlags = {
  mount: { type: 'string', value: 'MOUNT', about: 'the mount, if PATH does not begin with it' },
  ...secretsFlags,
} as const satisfies Flags

export const secretWord = {
  name: 'PATH',
  about: 'the path of a secret, such as secret/app; works for mounts of either version',
} as const satisfies Word
