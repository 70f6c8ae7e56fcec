import { command, type Flags } from '../../command/declaration.ts'
import { boxFlags, catalogEnvironment } from './flags.ts'

export const mirrorFlags = {
  ...boxFlags,
  'source-token-env': {
    type: 'string',
    value: 'NAME',
    about: 'environment variable with a token for the other catalog',
  },
  parallel: { type: 'string', value: 'N', about: 'images copied at the same time (4)' },
} as const satisfies Flags

export const boxMirror = command({
  about: 'copy the boxes of a user from another catalog',
  description: `Copies released versions with their images from any server that speaks version 2 of the API. What is there
already stays; nothing is deleted. Images that the other server links to elsewhere are copied as links. Broken off, it
goes on where it was. To copy into the name of another user takes the token of an administrator.`,
  flags: mirrorFlags,
  words: [
    { name: 'URL', about: 'the other catalog' },
    { name: 'USER[/NAME]', about: 'whose boxes, or one of them' },
  ],
  examples: [
    {
      run: 'plinth box mirror https://vagrantcloud.com acme --dry-run',
      about: 'see what would be copied',
    },
  ],
  environment: catalogEnvironment,
  run: async ({ flags, words }) => (await import('../../box/mirror.ts')).mirrorCommand(flags, words),
})
