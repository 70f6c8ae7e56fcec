import { ownValue } from '../../../kernel/objects.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import { kvVersionOf, type MountTable } from '../../mounts/index.ts'
import type { Place } from './core.ts'
import { mountTables } from './records.ts'

/** Whether a mount is still where a request found it. */
export const mountExists = (tx: Tx, place: Place): boolean =>
  existsInTable(tx.get(mountTables, place.namespace.id)?.value.table, place)

/** The same for a read: a record may be missing because its mount was deleted. */
export const mountStillExists = (now: Snapshot, place: Place): boolean =>
  existsInTable(mountTables.get(now, place.namespace.id)?.value.table, place)

/** Whether a mount is in a table of mounts where a request found it. */
export const existsInTable = (table: MountTable | undefined, { mount }: Place): boolean => {
  const now = table && ownValue(table.mounts, mount.path)
  return now?.id === mount.id && !now.upgrading && kvVersionOf(now) === kvVersionOf(mount)
}
