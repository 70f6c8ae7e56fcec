import type { Group } from '../../command/declaration.ts'
import { moduleDelete } from './delete.ts'
import { moduleDeprecate } from './deprecate.ts'
import { moduleMirror } from './mirror.ts'
import { modulePublish } from './publish.ts'
import { moduleList, moduleShow, moduleVersions } from './read.ts'
import { moduleRename, moduleUpdate } from './update.ts'

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
  },
} as const satisfies Group
