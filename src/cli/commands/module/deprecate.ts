import { command } from '../../command/declaration.ts'
import { moduleFlags, moduleWord, registryEnvironment, versionWord } from './flags.ts'

export const moduleDeprecate = command({
  about: 'mark a version of a module as deprecated',
  description: `The version stays listed and installable; the list of versions says why it should not be used, and clients
may show it.`,
  flags: {
    ...moduleFlags,
    reason: { type: 'string', value: 'TEXT', about: 'why, and what to use instead' },
    link: { type: 'string', value: 'URL', about: 'where to read more' },
    undo: { type: 'boolean', about: 'remove the mark' },
  },
  words: [moduleWord, versionWord],
  examples: [
    {
      run: 'plinth module deprecate acme/vpc/aws 1.2.0 --reason "1.3.0 fixes the routes"',
      about: 'mark it',
    },
    { run: 'plinth module deprecate acme/vpc/aws 1.2.0 --undo', about: 'remove the mark' },
  ],
  environment: registryEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).deprecateCommand(flags, words),
})
