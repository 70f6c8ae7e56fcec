import { type Refused, refuse } from '../../../kernel/index.ts'
import { collection, type Tx } from '../../../store/index.ts'
import type { NamespaceTable } from '../../namespaces/model.ts'
import type { Namespace } from '../core.ts'

/** All namespaces: one record. */
export const namespaceTables = collection<{ readonly table: NamespaceTable }>({
  name: 'namespaces',
  key: () => ['all'],
  scopes: () => [],
})

/**
 * The refusal to write into a namespace that was deleted meanwhile: the record would be unreachable and never swept.
 */
export function goneWith<Code extends string>(
  tx: Tx,
  { path, id }: Namespace,
  code: Code,
): Refused<Code> | undefined {
  if (path === '' || tx.get(namespaceTables, 'all')?.value.table.namespaces[path]?.id === id) return undefined
  return refuse(code, `the namespace ${path} was deleted meanwhile`)
}
