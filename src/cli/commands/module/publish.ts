import { command } from '../../command/declaration.ts'
import { describingFlags, moduleFlags, moduleWord, registryEnvironment, versionWord } from './flags.ts'

export const modulePublish = command({
  about: 'publish a folder as a version of a module',
  description: `Packs a folder and sends it to a registry. It excludes .git, .terraform and the
files that .terraformignore lists. It retries if the registry is busy or unreachable. With --all it publishes each version
that is tagged in the git repository of the folder, as the folder was then, and that the registry does not have.`,
  flags: {
    ...moduleFlags,
    ...describingFlags,
    all: { type: 'boolean', about: 'publish every tagged version: name no VERSION' },
    'tag-prefix': {
      type: 'string',
      value: 'TEXT',
      about: 'the prefix of the version in a tag, with --all (v)',
    },
    json: { type: 'boolean', about: 'print one line of JSON at the end and no other output' },
  },
  words: [{ name: 'DIR', about: 'the folder of the module' }, moduleWord, { ...versionWord, optional: true }],
  examples: [
    { run: 'plinth module publish . acme/vpc/aws 1.2.0 --dry-run', about: 'see what would be sent' },
    {
      run: 'plinth module publish modules/vpc acme/vpc/aws --all --tag-prefix vpc/v --dry-run',
      about: 'every tag such as vpc/v1.2.0 of a repository with several modules',
    },
  ],
  environment: registryEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).publishCommand(flags, words),
})
