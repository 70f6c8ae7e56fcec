import { command } from '../../command/declaration.ts'
import { catalogEnvironment, pushFlags } from './flags.ts'

export const boxPush = command({
  about: 'send a box image, and release its version',
  description: `Creates the box, the version and the provider if they are missing, sends the image with its sha256, and
releases the version. A new box is public.`,
  flags: pushFlags,
  words: [
    { name: 'USER/NAME', about: 'the box' },
    { name: 'VERSION', about: 'its version, such as 1.2.0' },
    { name: 'FILE', about: 'the image' },
  ],
  examples: [
    {
      run: 'plinth box push acme/base 1.0.0 base.box --provider virtualbox --dry-run',
      about: 'see what would be done',
    },
  ],
  environment: catalogEnvironment,
  run: async ({ flags, words }) => (await import('../../box/push.ts')).pushCommand(flags, words),
})
