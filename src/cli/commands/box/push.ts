import { command, type Flags } from '../../command/declaration.ts'
import { boxFlags, catalogEnvironment } from './flags.ts'

export const pushFlags = {
  ...boxFlags,
  provider: { type: 'string', value: 'NAME', about: 'what runs the box, as in virtualbox' },
  architecture: { type: 'string', value: 'NAME', about: 'as in amd64 or arm64 (unknown)' },
  private: { type: 'boolean', about: 'make the box private' },
  'no-release': { type: 'boolean', about: 'leave the version unreleased' },
} as const satisfies Flags

export const boxPush = command({
  about: 'send a box image, and release its version',
  description: `Makes the box, the version and the provider where they are missing, sends the image with its sha256, and
releases the version. The box it makes is public.`,
  flags: pushFlags,
  words: [
    { name: 'USER/NAME', about: 'the box' },
    { name: 'VERSION', about: 'its version, as in 1.2.0' },
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
