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

/** The refusal to write into a namespace that was deleted meanwhile: nobody would find it, and nothing sweep it away. */
export function goneWith<Code extends string>(
  tx: Tx,
  { path, id }: Namespace,
  code: Code,
): Refused<Code> | undefined {
  if (path === '' || tx.get(namespaceTables, 'all')?.value.table.namespaces[path]?.id === id) return undefined
  return refuse(code, `the namespace ${path} was deleted meanwhile`)
}
