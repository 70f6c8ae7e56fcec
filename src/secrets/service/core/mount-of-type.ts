import { type Refused, refuse } from '../../../kernel/index.ts'
import { canonicalPath } from '../../mounts/index.ts'
import type { Services } from '../services.ts'
import type { Sited } from './context.ts'

import { rootNamespace } from './core.ts'

/** The mount of some type at a path. */
export async function mountOfTypes(
  services: Services,
  mount: string,
  types: readonly string[],
  what: string,
): Promise<Sited | Refused<'mount_gone'>> {
  const { core } = services
  const path = canonicalPath(mount)
  const { table } = core.mountsOf(await core.fresh(), rootNamespace)
  const own = Object.hasOwn(table.mounts, path) ? table.mounts[path] : undefined
  return own && types.includes(own.type)
    ? { services, namespace: rootNamespace, mount: own }
    : refuse('mount_gone', `there is no ${what} at ${path}`)
}

/** The auth method of some type at a path, `auth/` included or not. */
export const authMountAt = (services: Services, mount: string, types: readonly string[], what: string) =>
  mountOfTypes(services, mount.startsWith('auth/') ? mount : `auth/${mount}`, types, `${what} method`)
