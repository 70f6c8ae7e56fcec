import { type Refused, refuse } from '../../../kernel/index.ts'
import { optionalArgument } from '../../../operation/arguments.ts'
import { operation } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import { named } from '../core/arguments.ts'
import type { Within } from '../core/context.ts'
import { isRefused, type Namespace } from '../core/core.ts'
import type { SecretsMethods } from '../core/methods.ts'
import type { Services } from '../services.ts'

const path = named('path')

async function namespaceAt(
  { core, namespaces }: Services,
  path: string,
): Promise<Namespace | Refused<'namespace_not_found'>> {
  const canonical = path.split('/').filter(Boolean).join('/')
  return (
    namespaces.at(await core.fresh(), canonical === '' ? '' : `${canonical}/`) ??
    refuse('namespace_not_found', 'namespace not found')
  )
}

/** A path as its parent and its own name. */
function split(path: string) {
  const segments = path.split('/').filter(Boolean)
  const name = segments.pop() ?? ''
  return { parent: segments.join('/'), name }
}

/** The operations on the namespaces of a service. */
export const namespaceOperations = {
  /** The namespaces directly within another; within the root by default. */
  list: operation({
    takes: [optionalArgument(named('parent'))],
    refuses: ['namespace_not_found'],
    run: async ({ services }: Within, parent: string = '') => {
      const within = await namespaceAt(services, parent)
      return isRefused(within) ? within : found(await services.namespaces.list(within))
    },
  }),
  /**
   * Creates a namespace: `team/a` within `team`, which must exist.
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
  create: operation({
    takes: [path],
    refuses: ['namespace_not_found', 'namespace_name_invalid', 'mount_path_taken'],
    run: async ({ services }: Within, path: string) => {
      const { parent, name } = split(path)
      const within = await namespaceAt(services, parent)
      return isRefused(within) ? within : services.namespaces.create(within, { name })
    },
  }),
  /** Deletes a namespace with its mounts, policies and tokens; false if it did not exist. */
  delete: operation({
    takes: [path],
    refuses: ['namespace_not_found', 'namespace_not_empty'],
    run: async ({ services }: Within, path: string) => {
      const { parent, name } = split(path)
      const within = await namespaceAt(services, parent)
      return isRefused(within) ? within : services.namespaces.delete(within, name)
    },
  }),
}

/** The namespaces of a service, for programs that embed it. */
export interface NamespacesHandle extends SecretsMethods<typeof namespaceOperations> {}
