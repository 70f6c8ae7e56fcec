import { type Refused, refuse } from '../../../kernel/index.ts'
import { ownValue } from '../../../kernel/objects.ts'
import type { Snapshot } from '../../../store/index.ts'
import { canonicalPath, listMounts, type Mount } from '../../mounts/index.ts'
import type { Sited } from './context.ts'
import { type Core, type Namespace, rootNamespace } from './core.ts'
import { mountTables } from './records.ts'

/** Secrets engines, or auth methods, ordered by path. */
export const mountsIn = async (
  core: Core,
  namespace: Namespace,
  kind: 'secret' | 'auth',
): Promise<readonly Mount[]> => listMounts(core.mountsOf(await core.fresh(), namespace).table, kind)

/** The mount at exactly this path. */
export async function mountAtPath(
  core: Core,
  namespace: Namespace,
  path: string,
): Promise<Mount | undefined> {
  const { mounts } = core.mountsOf(await core.fresh(), namespace).table
  return ownValue(mounts, path)
}

/** A mount by its id, wherever it is mounted now; `undefined` once it is disabled. */
export const mountById = (now: Snapshot, namespace: Namespace, id: string): Mount | undefined =>
  Object.values(mountTables.get(now, namespace.id)?.value.table.mounts ?? {}).find((one) => one.id === id)

/** The mount of some type at a path. */
export async function mountOfTypes(
  core: Core,
  mount: string,
  types: readonly string[],
  what: string,
): Promise<Sited | Refused<'mount_gone'>> {
  const path = canonicalPath(mount)
  const own = await mountAtPath(core, rootNamespace, path)
  return own && types.includes(own.type)
    ? { core, namespace: rootNamespace, mount: own }
    : refuse('mount_gone', `there is no ${what} at ${path}`)
}

/** The auth method of some type at a path, `auth/` included or not. */
export const authMountAt = (core: Core, mount: string, types: readonly string[], what: string) =>
  mountOfTypes(core, mount.startsWith('auth/') ? mount : `auth/${mount}`, types, `${what} method`)
