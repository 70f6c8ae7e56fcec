import { randomBase62, toHex } from '../../crypto/index.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { type Caller, host } from '../accounts/access.ts'
import { foldName } from '../boxes/names.ts'
import { maxShortDescription } from '../boxes/text-limits.ts'
import { accounts, tokens } from '../records.ts'
import { type Core, change, snapshot } from './core.ts'
import { notFound } from './guard.ts'

/**
 * A token as it is shown once, to whom it was made for.
 *
 * @public
 */
export interface NewToken {
  readonly description: string
  /** The secret itself. */
  readonly token: string
  /** Its digest, by which it can be spoken of. */
  readonly tokenHash: string
  readonly createdAt: number
}

/**
 * What can be done with tokens.
 *
 * @public
 */
export interface TokenMethods {
  /**
   * Makes a token for a user without asking for a password.
   *
   * @example
   * ```ts
   * import { createCatalog } from 'plinth/catalog'
   *
   * const catalog = createCatalog()
   * await catalog.putUser({ username: 'alice' })
   *
   * const made = await catalog.createToken('alice', { description: 'ci' })
   * const caller = made.ok && (await catalog.authenticate(made.value.token))
   * caller && caller.username // 'alice'
   * await catalog.close()
   * ```
   */
  readonly createToken: (
    username: string,
    input?: { readonly description?: string | undefined },
  ) => Promise<Answer<NewToken, 'not_found' | 'text_too_long' | 'contended'>>
  /** Whose token this is; `undefined` for nobody's. */
  readonly authenticate: (token: string) => Promise<Extract<Caller, { readonly kind: 'user' }> | undefined>
  /** Makes a token worthless; answers whether it was worth anything. */
  readonly deleteToken: (token: string) => Promise<boolean>
}

export const tokenMethods = (core: Core): TokenMethods => ({
  createToken: (username, { description = '' } = {}) => {
    const unsound = descriptionProblem(description)
    if (unsound) return Promise.resolve(unsound)
    const { randomBytes } = core.crypto
    const token = `${randomBase62(14, randomBytes)}.catalogv1.${randomBase62(60, randomBytes)}`
    const hash = hashOf(core, token)
    return change(core, host, (tx, env) => {
      const account = tx.get(accounts, foldName(username))?.value
      if (account?.kind !== 'user') return notFound
      tx.put(tokens, { hash, username: account.username, description, createdAt: env.now })
      return {
        ok: true,
        value: { description, token, tokenHash: hash, createdAt: env.now },
        events: [{ type: 'token.created', username: account.username }],
      }
    })
  },

  authenticate: async (token) => {
    const now = await snapshot(core)
    const found = tokens.get(now, hashOf(core, token))?.value
    const account = found && accounts.get(now, foldName(found.username))?.value
    return account ? { kind: 'user', username: account.username } : undefined
  },

  deleteToken: async (token) => {
    const hash = hashOf(core, token)
    const answer = await change(core, host, (tx) => {
      const found = tx.get(tokens, hash)?.value
      if (!found) return notFound
      tx.delete(tokens, hash)
      return { ok: true, value: undefined, events: [{ type: 'token.deleted', username: found.username }] }
    })
    return answer.ok
  },
})

/** Says why a token may not be described so. */
export const descriptionProblem = (description: string): Refused<'text_too_long'> | undefined =>
  description.length <= maxShortDescription
    ? undefined
    : refuse('text_too_long', `Token description is too long (maximum is ${maxShortDescription} characters)`)

/** Tokens are long random texts: their digests need no secret key, only a use of their own. */
const tokenKey = new TextEncoder().encode('plinth catalog token')

const hashOf = ({ crypto }: Core, token: string): string => toHex(crypto.hmac('sha512', tokenKey, token))
