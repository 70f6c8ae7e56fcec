import { collection } from '../../../store/index.ts'
import type { MountTable } from '../../mounts/index.ts'
import type { NamespaceTable } from '../../namespaces/model.ts'
import type { Seal } from '../../seal/index.ts'

/** No client waits on lists of secrets: no marks are raised for them. */
const noScopes = () => []

/** The seal record. Not encrypted: the sealed store passes keys below `core/` through. */
export const seals = collection<{ readonly seal: Seal }>({
  name: 'core/seal',
  key: () => ['it'],
  scopes: noScopes,
})

/** The mounts of each namespace: one record, so that two mounts can never collide. */
export const mountTables = collection<{ readonly namespace: string; readonly table: MountTable }>({
  name: 'mounts',
  key: ({ namespace }) => [namespace],
  scopes: noScopes,
})

/** Prefixes of keys whose owner was deleted: the sweeper deletes the keys below them, then the record. */
export const debris = collection<{
  readonly id: string
  readonly prefixes: readonly string[]
  /** The removed namespace, whose tokens must be revoked; omitted for other roots. */
  readonly namespaceId?: string
}>({
  name: 'debris',
  key: ({ id }) => [id],
  scopes: noScopes,
})

/** All namespaces: one record. */
export const namespaceTables = collection<{ readonly table: NamespaceTable }>({
  name: 'namespaces',
  key: () => ['all'],
  scopes: noScopes,
})
