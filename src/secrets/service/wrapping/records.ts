import { collection } from '../../../store/index.ts'
import { type KeptPath, pathParts } from '../kv/path-key.ts'

/** What each token keeps for itself, under the token's incarnation: it cannot be reached once the token is gone. */
export const cubbyholes = collection<KeptPath & { readonly owner: string; readonly json: string }>({
  name: 'cubbyhole',
  key: (record) => [record.owner, ...pathParts(record)],
  scopes: () => [],
})
