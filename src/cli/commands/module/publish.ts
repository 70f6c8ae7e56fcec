import { command } from '../../command/declaration.ts'
import { moduleFlags, moduleWord, registryEnvironment, versionWord } from './flags.ts'

export const modulePublish = command({
  about: 'publish a folder as a version of a module',
  description: `Packs a folder and sends it to a registry. It leaves out .git, .terraform and what a .terraformignore
file says. Where the registry is busy or away, it tries again.`,
  flags: {
    ...moduleFlags,
    json: { type: 'boolean', about: 'print one line of JSON at the end, and nothing else' },
  },
  words: [{ name: 'DIR', about: 'the folder of the module' }, moduleWord, versionWord],
  examples: [
    { run: 'plinth module publish . acme/vpc/aws 1.2.0 --dry-run', about: 'see what would be sent' },
  ],
  environment: registryEnvironment,
  run: async ({ flags, words }) => (await import('../../module/publish.ts')).publishCommand(flags, words),
})
