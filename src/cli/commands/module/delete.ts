import { command } from '../../command/declaration.ts'
import { moduleFlags, moduleWord, registryEnvironment, versionWord } from './flags.ts'

export const moduleDelete = command({
  about: 'delete a version of a module, or the module',
  flags: { ...moduleFlags, all: { type: 'boolean', about: 'delete the module with all its versions' } },
  words: [moduleWord, { ...versionWord, optional: true }],
  examples: [{ run: 'plinth module delete acme/vpc/aws 1.2.0', about: 'delete one version' }],
  environment: registryEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).deleteCommand(flags, words),
})
