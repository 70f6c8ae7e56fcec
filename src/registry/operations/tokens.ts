import { randomBase62, toHex } from '../../crypto/index.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { isAddressPart } from '../modules/names.ts'
import { tokens } from '../records.ts'
import { publishingToken, token, tokenName } from './arguments.ts'
import type { RegistryParts } from './parts.ts'
import type { CreateTokenInput, ListedToken, Publisher } from './publisher.ts'

/** The operations of a registry on the tokens that may publish. */
export const tokenOperations = {
  /** Creates a publishing token and returns its text: only here, because the registry stores only its digest. */
  createToken: operation({
    takes: [publishingToken],
    refuses: ['invalid_token'],
    run: async (
      { commit, crypto }: RegistryParts,
      { name, namespaces }: CreateTokenInput,
    ): Promise<Answer<{ readonly token: string }, 'invalid_token'>> => {
      const problem = tokenProblem(name, namespaces)
      if (problem) return problem
      const made = `rt.${randomBase62(32, crypto.randomBytes)}`
      const digest = toHex(crypto.sha256(made))
      return commit((tx, env) => {
        const record = { digest, name, namespaces: namespaces ? [...namespaces] : null, createdAt: env.now }
        tx.put(tokens, record)
        return { ok: true, value: { token: made }, events: [] }
      })
    },
  }),
  /** The owner and namespaces of a token; `undefined` for an unknown one. */
  findPublisher: operation({
    takes: [token],
    refuses: [],
    run: async ({ present, crypto }: RegistryParts, token: string): Promise<Publisher | undefined> => {
      const { now } = await present()
      const found = tokens.get(now, toHex(crypto.sha256(token)))?.value
      return found && { name: found.name, namespaces: found.namespaces ?? undefined }
    },
  }),
  /** The tokens that may publish, by name. */
  listTokens: operation({
    takes: [],
    refuses: [],
    run: async ({ present }: RegistryParts): Promise<readonly ListedToken[]> => {
      const { now } = await present()
      return tokens
        .list(now)
        .map(({ value: { name, namespaces, createdAt } }) => ({
          name,
          createdAt,
          ...(namespaces ? { namespaces } : {}),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.createdAt - b.createdAt))
    },
  }),
  /** Removes every token of a name; answers how many those were. */
  removeTokens: operation({
    takes: [tokenName],
    refuses: [],
    run: async ({ present, commit }: RegistryParts, name: string): Promise<number> => {
      const { now } = await present()
      const digests = tokens.list(now).flatMap(({ value }) => (value.name === name ? [value.digest] : []))
      let count = 0
      for (const digest of digests) {
        const removed = await commit((tx) => ({ ok: true, value: tx.delete(tokens, digest), events: [] }))
        if (removed.ok && removed.value) count += 1
      }
      return count
    },
  }),
}

function tokenProblem(
  name: string,
  namespaces: readonly string[] | undefined,
): Refused<'invalid_token'> | undefined {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name))
    return refuse('invalid_token', 'the name of a token has 1 to 64 letters, digits, "-", "_" and "."')
  if (namespaces?.length === 0)
    return refuse(
      'invalid_token',
      'a token with no namespaces cannot publish: leave namespaces out to allow all',
    )
  const wrong = namespaces?.find((namespace) => !isAddressPart('namespace', namespace))
  return wrong === undefined
    ? undefined
    : refuse('invalid_token', `${JSON.stringify(wrong.slice(0, 100))} is not a valid namespace`)
}
