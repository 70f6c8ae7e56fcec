import { collection } from '../../../store/index.ts'

/** What each token keeps for itself, under the token's incarnation: it cannot be reached once the token is gone. */
export const cubbyholes = collection<{
  readonly owner: string
  readonly path: string
  readonly json: string
}>({
  name: 'cubbyhole',
  key: ({ owner, path }) => [owner, path],
  scopes: () => [],
})
