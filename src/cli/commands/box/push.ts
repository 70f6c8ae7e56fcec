import { command } from '../../command/declaration.ts'
import { catalogEnvironment, pushFlags } from './flags.ts'

export const boxPush = command({
  about: 'send a box image, and release its version',
  description: `Creates the box, the version and the provider if they are missing, sends the image with its sha256, and
releases the version. A new box is public. Several pushes of one version can run at the same time: with --release-after N
the one that completes N images releases it, with --no-release a final \`plinth box release\` does.`,
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
    {
      run: 'plinth box push acme/base 1.0.0 base.box --provider virtualbox --architecture arm64 --release-after 4',
      about: 'one job of a matrix of four',
    },
  ],
  environment: catalogEnvironment,
  run: async ({ flags, words }) => (await import('../../box/index.ts')).pushCommand(flags, words),
})
