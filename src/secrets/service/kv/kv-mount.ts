import { type Refused, refuse } from '../../../kernel/index.ts'
import { canonicalPath, kvVersionOf } from '../../mounts/index.ts'
import type { Sited } from '../core/context.ts'
import { rootNamespace } from '../core/core.ts'
import type { PlaceRefusal } from '../core/paths.ts'
import type { Services } from '../services.ts'

/** Refusals of every operation on a key/value mount. */
export type KvRefusal = PlaceRefusal | 'no_such_mount'

/** The key/value mount of a version at a path. */
export async function kvMountAt(
  services: Services,
  path: string,
  version: 1 | 2,
): Promise<Sited | Refused<'no_such_mount'>> {
  const { core } = services
  const wanted = canonicalPath(path)
  const { table } = core.mountsOf(await core.fresh(), rootNamespace)
  const mount = Object.hasOwn(table.mounts, wanted) ? table.mounts[wanted] : undefined
  return mount?.type === 'kv' && kvVersionOf(mount) === version
    ? { services, namespace: rootNamespace, mount }
    : refuse('no_such_mount', `there is no key/value mount of version ${version} at "${wanted}"`)
}
