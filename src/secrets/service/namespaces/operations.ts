import { type Answer, type Refused, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { optionalArgument } from '../../../operation/arguments.ts'
import { operation, routeOperation } from '../../../operation/operation.ts'
import type { Tx } from '../../../store/index.ts'
import { builtInMounts, freshMounts } from '../../mounts/index.ts'
import {
  childNamespaces,
  createNamespace,
  deleteNamespace,
  describeNamespace,
  type NamespaceRefusal,
} from '../../namespaces/create-namespace.ts'
import type { NamespaceEntry } from '../../namespaces/model.ts'
import { found } from '../core/answer.ts'
import { named } from '../core/arguments.ts'
import type { Within } from '../core/context.ts'
import type { Core, Namespace } from '../core/core.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { namespaceAt, namespaceIn, namespaceTable, namespaceTableIn } from '../core/namespaces.ts'
import { debris, mountTables, namespaceTables } from '../core/records.ts'
import { plantPolicies } from '../policies/records.ts'
import { revokeAll } from '../tokens/revocation.ts'

const path = named('path')

async function namespaceOf(core: Core, path: string): Promise<Namespace | Refused<'namespace_not_found'>> {
  const canonical = path.split('/').filter(Boolean).join('/')
  return (
    namespaceAt(await core.fresh(), canonical === '' ? '' : `${canonical}/`) ??
    refuse('namespace_not_found', 'namespace not found')
  )
}

/** A path as its parent and its own name. */
function split(path: string) {
  const segments = path.split('/').filter(Boolean)
  const name = segments.pop() ?? ''
  return { parent: segments.join('/'), name }
}

const pathOf = (parent: Namespace, name: string) => `${parent.path}${name.replace(/\/$/, '')}/`

/** The data of a deleted namespace is unreachable, and the sweeper deletes it. */
function leave({ concepts }: Core, tx: Tx, namespaceId: string): void {
  const { mounts } = tx.get(mountTables, namespaceId)?.value.table ?? { mounts: {} }
  // A writer to one of its mounts has read this record, and is refused.
  tx.delete(mountTables, namespaceId)
  tx.put(debris, {
    id: namespaceId,
    namespaceId,
    prefixes: [
      ...Object.values(mounts).flatMap(({ id }) => concepts.flatMap(({ ofMount }) => ofMount?.(id) ?? [])),
      ...concepts.flatMap(({ ofNamespace }) => ofNamespace?.(namespaceId) ?? []),
    ],
  })
}

const list = async ({ core, namespace }: Within) =>
  found(childNamespaces(namespaceTable(await core.fresh()), namespace.path))

const create = (
  { core, namespace }: Within,
  input: {
    readonly name: string
    readonly customMetadata?: Readonly<Record<string, string>> | undefined
  },
) =>
  core.commit<NamespaceEntry, NamespaceRefusal>((tx, env) => {
    const table = namespaceTableIn(tx)
    const mounts = Object.keys(tx.get(mountTables, namespace.id)?.value.table.mounts ?? {})
    const made = createNamespace(table, { ...input, parent: namespace.path, mounts }, env)
    if (made.ok && made.state !== table) {
      const entry = made.value
      const accessorTail = () => core.randomText(8).toLowerCase()
      tx.put(namespaceTables, { table: made.state })
      tx.put(mountTables, { namespace: entry.id, table: freshMounts(builtInMounts, env, accessorTail) })
      plantPolicies(tx, entry, env.now)
    }
    return core.happened(made, { namespace: namespace.path })
  })

/** Deletes a namespace with its mounts, policies and tokens. */
async function remove(
  { core, namespace }: Within,
  name: string,
): Promise<Answer<boolean, 'namespace_not_empty'>> {
  const deleted = await core.commit<NamespaceEntry | undefined, 'namespace_not_empty'>((tx, env) => {
    const gone = deleteNamespace(namespaceTableIn(tx), { path: pathOf(namespace, name) }, env)
    if (gone.ok && gone.value) {
      tx.put(namespaceTables, { table: gone.state })
      leave(core, tx, gone.value.id)
    }
    return core.happened(gone, { namespace: namespace.path })
  })
  if (!deleted.ok) return deleted
  if (deleted.value) {
    const { id } = deleted.value
    core.sweeper.at(core.env().now)
    // They are invalid already, and only need to be deleted.
    await revokeAll(core, ({ namespaceId }) => namespaceId === id)
  }
  return found(deleted.value !== undefined)
}

/** The operations on the namespaces within the current one, by their names. */
export const childOperations = {
  list: routeOperation({ refuses: [], run: list }),
  read: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, name: string) =>
      found(namespaceIn(namespaceTable(await core.fresh()), pathOf(namespace, name))),
  }),
  create: routeOperation({
    refuses: ['namespace_not_found', 'namespace_name_invalid', 'mount_path_taken'],
    run: create,
  }),
  /** Changes the custom metadata of a namespace; returns `undefined` if it does not exist. */
  describe: routeOperation({
    refuses: [],
    run: (
      { core, namespace }: Within,
      name: string,
      customMetadata: Readonly<Record<string, string | null>> | null | undefined,
    ) =>
      core.commit<NamespaceEntry | undefined, never>((tx, env) => {
        const table = namespaceTableIn(tx)
        const made = describeNamespace(table, { path: pathOf(namespace, name), customMetadata }, env)
        if (made.ok && made.state !== table) tx.put(namespaceTables, { table: made.state })
        return core.happened(made, { namespace: namespace.path })
      }),
  }),
  delete: routeOperation({ refuses: ['namespace_not_empty'], run: remove }),
}

/** The operations on the namespaces of a service. */
export const namespaceOperations = {
  /**
   * The namespaces directly within another; within the root by default.
   *
   * @example await secrets.namespaces.list('sales')
   */
  list: operation({
    takes: [optionalArgument(named('parent'))],
    refuses: ['namespace_not_found'],
    run: async ({ core }: Within, parent: string = '') => {
      const namespace = await namespaceOf(core, parent)
      return isRefused(namespace) ? namespace : list({ core, namespace })
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
    run: async ({ core }: Within, path: string) => {
      const { parent, name } = split(path)
      const namespace = await namespaceOf(core, parent)
      return isRefused(namespace) ? namespace : create({ core, namespace }, { name })
    },
  }),
  /**
   * Deletes a namespace with its mounts, policies and tokens; false if it did not exist.
   *
   * @example await secrets.namespaces.delete('sales')
   */
  delete: operation({
    takes: [path],
    refuses: ['namespace_not_found', 'namespace_not_empty'],
    run: async ({ core }: Within, path: string) => {
      const { parent, name } = split(path)
      const namespace = await namespaceOf(core, parent)
      return isRefused(namespace) ? namespace : remove({ core, namespace }, name)
    },
  }),
}

/** The namespaces of a service, for programs that embed it. */
export interface NamespacesHandle extends SecretsMethods<typeof namespaceOperations> {}
