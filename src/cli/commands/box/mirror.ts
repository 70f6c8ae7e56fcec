import { command } from '../../command/declaration.ts'
import { catalogEnvironment, mirrorFlags } from './flags.ts'

export const boxMirror = command({
  about: 'copy the boxes of a user from another catalog',
  description: `Copies released versions with their images from any server that speaks version 2 of the API. Existing
versions stay unchanged, and nothing is deleted. Images that the other server links to elsewhere are copied as links. An
interrupted run continues when it is started again: the received part of an image is in the temporary folder (TMPDIR)
until it is sent. With --verify it copies nothing, reads every image of the target and compares it with the checksum that the
other catalog has (where it has none, with the bytes), and ends with exit code 1 if something differs. Each image that it reads
counts as a download. Without credentials for the other catalog only public boxes are seen. Copying into the name of another user needs the token of an administrator.`,
  flags: mirrorFlags,
  words: [
    { name: 'URL', about: 'the other catalog' },
    { name: 'USER[/NAME]', about: 'a user, or one box of a user' },
  ],
  examples: [
    {
      run: 'plinth box mirror https://vagrantcloud.com acme --dry-run',
      about: 'see what would be copied',
    },
  ],
  environment: {
    ...catalogEnvironment,
    HCP_CLIENT_ID:
      'an HCP service principal that may read the other catalog; --source-token-env takes precedence',
    HCP_CLIENT_SECRET: 'its secret',
    HCP_AUTH_URL: 'where its access tokens come from, if not from HCP',
  },
  run: async ({ flags, words }) => (await import('../../box/index.ts')).mirrorCommand(flags, words),
})
