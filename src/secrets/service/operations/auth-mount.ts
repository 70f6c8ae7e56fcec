import { type Refused, refuse } from '../../../kernel/index.ts'
import { canonicalPath } from '../../mounts/index.ts'
import type { Services, Sited } from '../context.ts'
import { rootNamespace } from '../core.ts'

/** The auth method of some type at a path, `auth/` included or not. */
export async function authMountAt(
  services: Services,
  mount: string,
  types: readonly string[],
  what: string,
): Promise<Sited | Refused<'mount_gone'>> {
  const { core } = services
  const path = canonicalPath(mount.startsWith('auth/') ? mount : `auth/${mount}`)
  const { table } = core.mountsOf(await core.fresh(), rootNamespace)
  const own = Object.hasOwn(table.mounts, path) ? table.mounts[path] : undefined
  return own && types.includes(own.type)
    ? { services, namespace: rootNamespace, mount: own }
    : refuse('mount_gone', `there is no ${what} method at ${path}`)
}
