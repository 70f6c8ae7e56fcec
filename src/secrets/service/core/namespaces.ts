import { type Refused, refuse } from '../../../kernel/index.ts'
import { ownValue } from '../../../kernel/objects.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import type { NamespaceEntry, NamespaceTable } from '../../namespaces/model.ts'
import { locate } from '../../namespaces/rules.ts'
import { type Namespace, rootNamespace } from './core.ts'
import { namespaceTables } from './records.ts'

const none: NamespaceTable = { namespaces: {} }

/** All namespaces but the root. */
export const namespaceTable = (now: Snapshot): NamespaceTable =>
  namespaceTables.get(now, 'all')?.value.table ?? none

/** The same in a decision, whose commit then expects it unchanged. */
export const namespaceTableIn = (tx: Tx): NamespaceTable =>
  tx.get(namespaceTables, 'all')?.value.table ?? none

export const namespaceIn = ({ namespaces }: NamespaceTable, path: string): NamespaceEntry | undefined =>
  ownValue(namespaces, path)

/** The namespace at a path; `undefined` if there is none. */
export const namespaceAt = (now: Snapshot, path: string): Namespace | undefined =>
  path === '' ? rootNamespace : namespaceIn(namespaceTable(now), path)

/** Splits header and path into namespace and the path within it. */
export function locateNamespace(
  now: Snapshot,
  header: string,
  path: string,
): { readonly namespace: Namespace; readonly path: string } | Refused<'namespace_not_found'> {
  const located = locate(header, path, namespaceTable(now).namespaces)
  const namespace = located && namespaceAt(now, located.namespace)
  return located && namespace
    ? { namespace, path: located.path }
    : refuse('namespace_not_found', 'namespace not found')
}

/**
 * The refusal to write into a namespace that was deleted meanwhile: the record would be unreachable and never swept.
 */
export function goneWith<Code extends string>(
  tx: Tx,
  { path, id }: Namespace,
  code: Code,
): Refused<Code> | undefined {
  if (path === '' || namespaceIn(namespaceTableIn(tx), path)?.id === id) return undefined
  return refuse(code, `the namespace ${path} was deleted meanwhile`)
}
