import { type Answer, type Refused, refuse, unwrap } from '../../../kernel/index.ts'
import { prefixOf, type Snapshot, type Tx } from '../../../store/index.ts'
import { builtInMounts, freshMounts } from '../../mounts/index.ts'
import {
  childNamespaces,
  createNamespace,
  deleteNamespace,
  describeNamespace,
  type NamespaceRefusal,
} from '../../namespaces/create-namespace.ts'
import type { NamespaceEntry, NamespaceTable } from '../../namespaces/model.ts'
import { locate } from '../../namespaces/rules.ts'
import { type Core, type Namespace, rootNamespace } from '../core/core.ts'
import { debris, mountTables, namespaceTables } from '../core/records.ts'
import { identityPrefixes } from '../identity/records.ts'
import { mountPrefixes } from '../mounts/service.ts'
import { policyRecords } from '../policies/records.ts'
import type { PoliciesService } from '../policies/service.ts'
import { tokenRoles } from '../tokens/records.ts'
import type { TokensService } from '../tokens/tokens.ts'

/** The namespaces of a service. */
export type NamespacesService = ReturnType<typeof namespacesService>

const none: NamespaceTable = { namespaces: {} }

/** The data of a deleted namespace is unreachable, and the sweeper deletes it. */
function leave(tx: Tx, namespaceId: string): void {
  const { mounts } = tx.get(mountTables, namespaceId)?.value.table ?? { mounts: {} }
  // A writer to one of its mounts has read this record, and is refused.
  tx.delete(mountTables, namespaceId)
  tx.put(debris, {
    id: namespaceId,
    namespaceId,
    prefixes: [
      ...Object.values(mounts).flatMap(mountPrefixes),
      prefixOf(policyRecords.name, namespaceId),
      prefixOf(tokenRoles.name, namespaceId),
      ...identityPrefixes(namespaceId),
    ],
  })
}

/** @param sweepAt - called when there is something to sweep */
export function namespacesService(
  core: Core,
  sweepAt: (instant: number) => void,
  { policies, tokens }: { readonly policies: PoliciesService; readonly tokens: TokensService },
) {
  const tableAt = (now: Snapshot): NamespaceTable => namespaceTables.get(now, 'all')?.value.table ?? none
  const own = (table: NamespaceTable, path: string): NamespaceEntry | undefined =>
    Object.hasOwn(table.namespaces, path) ? table.namespaces[path] : undefined
  const at = (now: Snapshot, path: string): Namespace | undefined =>
    path === '' ? rootNamespace : own(tableAt(now), path)
  const pathOf = (parent: Namespace, name: string) => `${parent.path}${name.replace(/\/$/, '')}/`

  return {
    at,
    /** Splits header and path into namespace and the path within it. */
    locate: (
      now: Snapshot,
      header: string,
      path: string,
    ): { readonly namespace: Namespace; readonly path: string } | Refused<'namespace_not_found'> => {
      const table = tableAt(now)
      const located = locate(header, path, (candidate) => own(table, candidate) !== undefined)
      const namespace = located && at(now, located.namespace)
      return located && namespace
        ? { namespace, path: located.path }
        : refuse('namespace_not_found', 'namespace not found')
    },
    all: async (): Promise<readonly Namespace[]> => [
      rootNamespace,
      ...Object.values(tableAt(await core.fresh()).namespaces),
    ],
    list: async (parent: Namespace) => childNamespaces(tableAt(await core.fresh()), parent.path),
    read: async (parent: Namespace, name: string) => own(tableAt(await core.fresh()), pathOf(parent, name)),
    create: (
      parent: Namespace,
      input: {
        readonly name: string
        readonly customMetadata?: Readonly<Record<string, string>> | undefined
      },
    ) =>
      core.commit<NamespaceEntry, NamespaceRefusal>((tx, env) => {
        const table = tx.get(namespaceTables, 'all')?.value.table ?? none
        const mounts = Object.keys(tx.get(mountTables, parent.id)?.value.table.mounts ?? {})
        const made = createNamespace(table, { ...input, parent: parent.path, mounts }, env)
        if (made.ok && made.state !== table) {
          const entry = made.value
          const accessorTail = () => core.randomText(8).toLowerCase()
          tx.put(namespaceTables, { table: made.state })
          tx.put(mountTables, { namespace: entry.id, table: freshMounts(builtInMounts, env, accessorTail) })
          policies.plant(tx, entry, env.now)
        }
        return core.happened(made, { namespace: parent.path })
      }),
    /** Changes the custom metadata of a namespace; returns `undefined` if it does not exist. */
    describe: async (
      parent: Namespace,
      {
        name,
        customMetadata,
      }: {
        readonly name: string
        readonly customMetadata?: Readonly<Record<string, string | null>> | null | undefined
      },
    ): Promise<NamespaceEntry | undefined> =>
      unwrap(
        await core.commit((tx, env) => {
          const table = tx.get(namespaceTables, 'all')?.value.table ?? none
          const made = describeNamespace(table, { path: pathOf(parent, name), customMetadata }, env)
          if (made.ok && made.state !== table) tx.put(namespaceTables, { table: made.state })
          return core.happened(made, { namespace: parent.path })
        }),
      ),
    /** Deletes a namespace with its mounts, policies and tokens. */
    delete: async (parent: Namespace, name: string): Promise<Answer<boolean, 'namespace_not_empty'>> => {
      const path = pathOf(parent, name)
      const deleted = await core.commit<NamespaceEntry | undefined, 'namespace_not_empty'>((tx, env) => {
        const table = tx.get(namespaceTables, 'all')?.value.table ?? none
        const gone = deleteNamespace(table, { path }, env)
        if (gone.ok && gone.value) {
          tx.put(namespaceTables, { table: gone.state })
          leave(tx, gone.value.id)
        }
        return core.happened(gone, { namespace: parent.path })
      })
      if (!deleted.ok) return deleted
      if (deleted.value) {
        const { id } = deleted.value
        sweepAt(core.env().now)
        // They are invalid already, and only need to be deleted.
        await tokens.revokeAll(({ namespaceId }) => namespaceId === id)
      }
      return { ok: true, value: deleted.value !== undefined }
    },
  }
}
