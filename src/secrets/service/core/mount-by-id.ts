import type { Snapshot } from '../../../store/index.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Namespace } from './core.ts'
import { mountTables } from './records.ts'

/** A mount by its id, wherever it is mounted now; `undefined` once it is disabled. */
export const mountById = (now: Snapshot, namespace: Namespace, id: string): Mount | undefined =>
  Object.values(mountTables.get(now, namespace.id)?.value.table.mounts ?? {}).find((one) => one.id === id)
