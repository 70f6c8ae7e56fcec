import type { Group } from '../../command/declaration.ts'
import { kvDelete } from './delete.ts'
import { kvGet } from './get.ts'
import { kvList } from './list.ts'
import { kvMetadata } from './metadata.ts'
import { kvPatch } from './patch.ts'
import { kvPut } from './put.ts'
import { kvRollback } from './rollback.ts'
import { kvDestroy, kvUndelete } from './versions.ts'

export const kv = {
  about: 'read and write secrets at paths such as secret/app, on mounts of either version',
  commands: {
    get: kvGet,
    put: kvPut,
    patch: kvPatch,
    list: kvList,
    delete: kvDelete,
    undelete: kvUndelete,
    destroy: kvDestroy,
    rollback: kvRollback,
    metadata: kvMetadata,
  },
} as const satisfies Group
