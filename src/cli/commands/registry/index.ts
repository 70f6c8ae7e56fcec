import type { Group } from '../../command/declaration.ts'
import { webhookCommands } from '../webhook.ts'
import { administerRegistry, registryEnvironment, registryFlags } from './administration.ts'
import { registryToken } from './token.ts'

export const registry = {
  about: 'administration of a module registry',
  commands: {
    token: registryToken,
    webhook: webhookCommands({
      group: 'registry webhook',
      about: 'messages about new versions of modules',
      owner: 'namespace',
      to: registryFlags.to,
      environment: registryEnvironment,
      connect: administerRegistry,
    }),
  },
} as const satisfies Group
