import { randomBase62, toHex } from '../../crypto/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Caller } from '../accounts/access.ts'
import { foldName } from '../boxes/names.ts'
import { maxShortDescription } from '../boxes/text-limits.ts'
import { accounts, tokens } from '../records.ts'
import { type Core, change, snapshot } from '../service/core.ts'
import { notFound } from '../service/guard.ts'
import { described, token, username } from './arguments.ts'
import type { LogInDetails } from './inputs.ts'

/**
 * A new token with its text, which is returned once.
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

/** Token operations. */
export const tokenOperations = {
  /**
   * Creates a token for a user without a password.
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
  createToken: operation({
    takes: [username, described],
    refuses: ['not_found', 'text_too_long', 'contended'],
    run: async (
      core: Core,
      username: string,
      { description = '' }: Pick<LogInDetails, 'description'> = {},
    ) => {
      const unsound = descriptionProblem(description)
      if (unsound) return unsound
      const { randomBytes } = core.crypto
      const token = `${randomBase62(14, randomBytes)}.catalogv1.${randomBase62(60, randomBytes)}`
      const hash = hashOf(core, token)
      return change(core, (tx, env) => {
        const account = tx.get(accounts, foldName(username))?.value
        if (account?.kind !== 'user') return notFound
        tx.put(tokens, { hash, username: account.username, description, createdAt: env.now })
        const value: NewToken = { description, token, tokenHash: hash, createdAt: env.now }
        return { ok: true, value, events: [{ type: 'token.created', username: account.username }] }
      })
    },
  }),
  /** Returns whose token this is; `undefined` for an unknown one. */
  authenticate: operation({
    takes: [token],
    refuses: [],
    run: async (
      core: Core,
      token: string,
    ): Promise<Extract<Caller, { readonly kind: 'user' }> | undefined> => {
      const now = await snapshot(core)
      const found = tokens.get(now, hashOf(core, token))?.value
      const account = found && accounts.get(now, foldName(found.username))?.value
      if (!account) return undefined
      const { username, administrator } = account
      return administrator ? { kind: 'user', username, administrator } : { kind: 'user', username }
    },
  }),
  /** Revokes a token; returns whether it was valid. */
  deleteToken: operation({
    takes: [token],
    refuses: [],
    run: async (core: Core, token: string): Promise<boolean> => {
      const hash = hashOf(core, token)
      const answer = await change(core, (tx) => {
        const found = tx.get(tokens, hash)?.value
        if (!found) return notFound
        tx.delete(tokens, hash)
        return { ok: true, value: undefined, events: [{ type: 'token.deleted', username: found.username }] }
      })
      return answer.ok
    },
  }),
}

/** Says why a token may not be described so. */
export const descriptionProblem = (description: string): Refused<'text_too_long'> | undefined =>
  description.length <= maxShortDescription
    ? undefined
    : refuse('text_too_long', `Token description is too long (maximum is ${maxShortDescription} characters)`)

/** Tokens are long random texts: their digests need no secret key, only a use of their own. */
const tokenKey = new TextEncoder().encode('plinth catalog token')

/** The digest that identifies a token. */
export const hashOf = ({ crypto }: Core, token: string): string =>
  toHex(crypto.hmac('sha512', tokenKey, token))
