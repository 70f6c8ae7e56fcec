import { command } from '../../command/declaration.ts'
import { describingFlags, moduleFlags, moduleWord, registryEnvironment } from './flags.ts'

const { to } = moduleFlags

export const moduleUpdate = command({
  about: 'change the description, source and labels of a module',
  flags: {
    to,
    ...describingFlags,
    verified: { type: 'boolean', about: 'mark it as verified, as an administrator' },
    unverified: { type: 'boolean', about: 'remove that mark' },
  },
  words: [moduleWord],
  examples: [
    {
      run: 'plinth module update acme/vpc/aws --description "A private network" --label edge',
      about: 'describe it',
    },
  ],
  environment: registryEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).updateCommand(flags, words),
})

export const moduleRename = command({
  about: 'move a module to another address',
  description: 'Clients that ask for the old address are redirected to the new one.',
  flags: { to },
  words: [moduleWord, { name: 'NEW', about: 'its new address, written in the same way' }],
  examples: [
    {
      run: 'plinth module rename acme/vpc/aws acme/private-network/aws && plinth module rename acme/private-network/aws acme/vpc/aws',
      about: 'rename a module, and rename it back',
    },
  ],
  environment: registryEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).renameCommand(flags, words),
})
