import { collection } from '../../../store/index.ts'
import { type KeptPath, pathParts } from '../kv/path-key.ts'

/** The private data of each token, under the token's incarnation: unreachable once the token is revoked. */
export const cubbyholes = collection<KeptPath & { readonly owner: string; readonly json: string }>({
  name: 'cubbyhole',
  key: (record) => [record.owner, ...pathParts(record)],
  scopes: () => [],
})
