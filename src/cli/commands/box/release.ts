import { command, type Word } from '../../command/declaration.ts'
import { addressFlag } from './administration.ts'
import { catalogEnvironment } from './flags.ts'

const words = [
  { name: 'USER/NAME', about: 'the box' },
  { name: 'VERSION', about: 'its version, such as 1.2.0' },
] as const satisfies readonly Word[]

export const boxRevoke = command({
  about: 'revoke a released version: clients no longer find it',
  description: 'Its images stay, but it cannot be released again.',
  flags: addressFlag,
  words,
  examples: [
    {
      run: 'plinth box push acme/base 0.9.0 base.box --provider virtualbox && plinth box revoke acme/base 0.9.0',
      about: 'take a version back',
    },
  ],
  environment: catalogEnvironment,
  run: async ({ flags, words }) => (await import('../../box/index.ts')).revokeCommand(flags, words),
})

export const boxRelease = command({
  about: 'release a version whose images were sent with --no-release',
  description: 'It is a no-op if the version is already released.',
  flags: addressFlag,
  words,
  examples: [{ run: 'plinth box release acme/base 1.0.0', about: 'after the jobs of a matrix' }],
  environment: catalogEnvironment,
  run: async ({ flags, words }) => (await import('../../box/index.ts')).releaseCommand(flags, words),
})
