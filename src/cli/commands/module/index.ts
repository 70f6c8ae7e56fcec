import type { Group } from '../../command/declaration.ts'
import { moduleDelete } from './delete.ts'
import { moduleDeprecate } from './deprecate.ts'
import { modulePublish } from './publish.ts'

export const module = {
  about: 'modules of a registry',
  commands: { publish: modulePublish, deprecate: moduleDeprecate, delete: moduleDelete },
} as const satisfies Group
