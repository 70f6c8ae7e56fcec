import { command } from '../../command/declaration.ts'
import { moduleWord, readerEnvironment, readFlags, versionWord } from './flags.ts'

export const moduleList = command({
  about: 'list the modules of a registry, each at its latest version',
  flags: {
    ...readFlags,
    search: { type: 'string', value: 'TEXT', about: 'only modules with these words, best first' },
    provider: {
      type: 'string',
      value: 'NAME',
      about: 'only modules for this provider (repeatable)',
      multiple: true,
    },
    verified: { type: 'boolean', about: 'only verified ones' },
  },
  words: [{ name: 'NAMESPACE', about: 'only modules of this namespace', optional: true }],
  examples: [{ run: 'plinth module list acme --provider aws', about: 'what acme has for aws' }],
  environment: readerEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).listCommand(flags, words),
})

export const moduleShow = command({
  about: 'show the inputs, outputs and description of a version of a module',
  flags: readFlags,
  words: [moduleWord, { ...versionWord, about: 'its version (the latest)', optional: true }],
  examples: [{ run: 'plinth module show acme/vpc/aws', about: 'its inputs, outputs and versions' }],
  environment: readerEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).showCommand(flags, words),
})

export const moduleVersions = command({
  about: 'list the versions of a module, oldest first',
  flags: readFlags,
  words: [moduleWord],
  examples: [{ run: 'plinth module versions acme/vpc/aws', about: 'and which are deprecated' }],
  environment: readerEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).versionsCommand(flags, words),
})
