import type { Group } from '../../command/declaration.ts'
import { quotaCommands } from '../quota.ts'
import { administerRegistry } from '../registry/administration.ts'
import { moduleDelete } from './delete.ts'
import { moduleDeprecate } from './deprecate.ts'
import { moduleFlags, registryEnvironment } from './flags.ts'
import { moduleMirror } from './mirror.ts'
import { modulePublish } from './publish.ts'
import { moduleList, moduleShow, moduleVersions } from './read.ts'
import { moduleRename, moduleUpdate } from './update.ts'

const { quota, prune } = quotaCommands({
  noun: 'modules',
  path: 'namespaces',
  word: 'NAMESPACE',
  to: moduleFlags.to,
  environment: registryEnvironment,
  connect: administerRegistry,
})

export const module = {
  about: 'modules of a registry',
  commands: {
    publish: modulePublish,
    list: moduleList,
    show: moduleShow,
    versions: moduleVersions,
    update: moduleUpdate,
    rename: moduleRename,
    deprecate: moduleDeprecate,
    mirror: moduleMirror,
    delete: moduleDelete,
    quota,
    prune,
  },
} as const satisfies Group
