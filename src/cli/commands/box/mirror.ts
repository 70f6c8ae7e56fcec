import { command } from '../../command/declaration.ts'
import { catalogEnvironment, mirrorFlags } from './flags.ts'

export const boxMirror = command({
  about: 'copy the boxes of a user from another catalog',
  description: `Copies released versions with their images from any server that speaks version 2 of the API. What is there
already stays; nothing is deleted. Images that the other server links to elsewhere are copied as links. Broken off, it
goes on where it was: what has come of an image is kept in the folder for temporary files (TMPDIR) until it is sent. To copy into the name of another user takes the token of an administrator.`,
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
