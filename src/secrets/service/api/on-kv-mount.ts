import { type Refused, refuse } from '../../../kernel/index.ts'
import { canonicalPath, kvVersionOf } from '../../mounts/index.ts'
import type { Services } from '../context.ts'
import { isRefused, type Place, rootNamespace } from '../core.ts'
import type { PlaceRefusal } from '../kv/paths.ts'

/** Why an operation on a key/value mount may be refused, whatever it is. @public */
export type KvRefusal = PlaceRefusal | 'no_such_mount'

/** Acts on a mount, which is found anew for each call: it may be moved, disabled or upgraded between two. */
export const onKvMount = ({ core }: Services, path: string, version: 1 | 2) => {
  const wanted = canonicalPath(path)
  return async <R>(act: (place: Place) => Promise<R>): Promise<R | Refused<'no_such_mount' | 'sealed'>> => {
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const { table } = await core.mountsOf(opened.view, rootNamespace)
    const mount = Object.hasOwn(table.mounts, wanted) ? table.mounts[wanted] : undefined
    return mount?.type === 'kv' && kvVersionOf(mount) === version
      ? await act({ namespace: rootNamespace, mount })
      : refuse('no_such_mount', `there is no key/value mount of version ${version} at "${wanted}"`)
  }
}
