import { command } from '../../command/declaration.ts'
import { moduleFlags, moduleWord, registryEnvironment, versionWord } from './flags.ts'

export const modulePublish = command({
  about: 'publish a folder as a version of a module',
  description: `Packs a folder and sends it to a registry. It excludes .git, .terraform and the
files that .terraformignore lists. It retries if the registry is busy or unreachable.`,
  flags: {
    ...moduleFlags,
    json: { type: 'boolean', about: 'print one line of JSON at the end and no other output' },
  },
  words: [{ name: 'DIR', about: 'the folder of the module' }, moduleWord, versionWord],
  examples: [
    { run: 'plinth module publish . acme/vpc/aws 1.2.0 --dry-run', about: 'see what would be sent' },
  ],
  environment: registryEnvironment,
  run: async ({ flags, words }) => (await import('../../module/publish.ts')).publishCommand(flags, words),
})
