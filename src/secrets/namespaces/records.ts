import { collection } from '../../store/index.ts'
import type { NamespaceTable } from './model.ts'

/** All namespaces: one record. */
export const namespaceTables = collection<{ readonly table: NamespaceTable }>({
  name: 'namespaces',
  key: () => ['all'],
  scopes: () => [],
})
