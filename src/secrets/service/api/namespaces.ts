import { type Refused, refuse } from '../../../kernel/index.ts'
import type { NamespaceRefusal } from '../../namespaces/create-namespace.ts'
import type { NamespaceEntry } from '../../namespaces/model.ts'
import type { SecretsAnswer } from '../answer.ts'
import type { Services } from '../context.ts'
import { isRefused, type Namespace } from '../core.ts'

/** The namespaces of a service, for programs that embed it. @public */
export interface NamespacesHandle {
  /** The namespaces directly within another; within the root by default. */
  readonly list: (parent?: string) => Promise<SecretsAnswer<readonly NamespaceEntry[], 'namespace_not_found'>>
  /**
   * Creates a namespace: `team/a` within `team`, which has to exist.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.namespaces.create('team')
   * await service.namespaces.create('team/a')
   * const within = await service.namespaces.list('team')
   * within.ok && within.value.map(({ path }) => path) // ['team/a/']
   * await service.close()
   * ```
   */
  readonly create: (path: string) => Promise<SecretsAnswer<NamespaceEntry, NamespaceRefusal>>
  /** Deletes a namespace with its mounts, policies and tokens; false when there was none. */
  readonly delete: (
    path: string,
  ) => Promise<SecretsAnswer<boolean, 'namespace_not_empty' | 'namespace_not_found'>>
}

export function namespacesHandle({ core, namespaces }: Services): NamespacesHandle {
  const at = async (path: string): Promise<Namespace | Refused<'sealed' | 'namespace_not_found'>> => {
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const canonical = path.split('/').filter(Boolean).join('/')
    return (
      namespaces.at(await opened.view.fresh(), canonical === '' ? '' : `${canonical}/`) ??
      refuse('namespace_not_found', 'namespace not found')
    )
  }
  /** A path as its parent and its own name. */
  const split = (path: string) => {
    const segments = path.split('/').filter(Boolean)
    const name = segments.pop() ?? ''
    return { parent: segments.join('/'), name }
  }
  return {
    list: async (parent = '') => {
      const within = await at(parent)
      return isRefused(within) ? within : namespaces.list(within)
    },
    create: async (path) => {
      const { parent, name } = split(path)
      const within = await at(parent)
      return isRefused(within) ? within : namespaces.create(within, { name })
    },
    delete: async (path) => {
      const { parent, name } = split(path)
      const within = await at(parent)
      return isRefused(within) ? within : namespaces.delete(within, name)
    },
  }
}
