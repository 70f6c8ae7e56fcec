import { type Refused, refuse } from '../../../kernel/index.ts'
import { canonicalPath, kvVersionOf } from '../../mounts/index.ts'
import type { Sited } from '../core/context.ts'
import { type Core, rootNamespace } from '../core/core.ts'
import { mountAtPath } from '../core/find-mounts.ts'
import type { PlaceRefusal } from '../core/paths.ts'

/** Refusals of every operation on a key/value mount. */
export type KvRefusal = PlaceRefusal | 'no_such_mount'

/** The key/value mount of a version at a path. */
export async function kvMountAt(
  core: Core,
  path: string,
  version: 1 | 2,
): Promise<Sited | Refused<'no_such_mount'>> {
  const wanted = canonicalPath(path)
  const mount = await mountAtPath(core, rootNamespace, wanted)
  return mount?.type === 'kv' && kvVersionOf(mount) === version
    ? { core, namespace: rootNamespace, mount }
    : refuse('no_such_mount', `there is no key/value mount of version ${version} at "${wanted}"`)
}
