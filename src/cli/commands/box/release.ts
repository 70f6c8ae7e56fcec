import { command } from '../../command/declaration.ts'
import { addressFlag } from './administration.ts'
import { catalogEnvironment } from './flags.ts'

export const boxRelease = command({
  about: 'release a version whose images were sent with --no-release',
  description: 'A version that is released already stays as it is.',
  flags: addressFlag,
  words: [
    { name: 'USER/NAME', about: 'the box' },
    { name: 'VERSION', about: 'its version, such as 1.2.0' },
  ],
  examples: [{ run: 'plinth box release acme/base 1.0.0', about: 'after the jobs of a matrix' }],
  environment: catalogEnvironment,
  run: async ({ flags, words }) => (await import('../../box/push.ts')).releaseCommand(flags, words),
})
