import type { Group } from '../../command/declaration.ts'
import { registryToken } from './token.ts'

export const registry = {
  about: 'administration of a module registry',
  commands: { token: registryToken },
} as const satisfies Group
