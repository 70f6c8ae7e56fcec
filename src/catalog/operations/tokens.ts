import { randomBase62, toHex } from '../../crypto/index.ts'
import { compareText } from '../../kernel/compare-text.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Caller } from '../accounts/access.ts'
import type { Token } from '../accounts/model.ts'
import { foldName } from '../boxes/names.ts'
import { maxShortDescription } from '../boxes/text-limits.ts'
import { accounts, tokens } from '../records.ts'
import { type Core, change, snapshot } from '../service/core.ts'
import { administratorProblem, callerProblem, notFound } from '../service/guard.ts'
import { described, token, tokenId, tokenList, username } from './arguments.ts'
import type { LogInDetails, TokenList } from './inputs.ts'

/**
 * A new token with its text, which is returned once.
 */
export interface NewToken {
  readonly description: string
  /** The secret. */
  readonly token: string
  /** Its digest, which identifies it. */
  readonly tokenHash: string
  readonly createdAt: number
}

/**
 * A token as lists show it: without its text, which is not stored.
 */
export interface ListedToken {
  /** The id for revoking it: a part of its digest. */
  readonly id: string
  readonly username: string
  readonly description: string
  readonly createdAt: number
}

/**
 * A token as an administrator creates it for a user, with its text, which is returned once.
 */
export interface IssuedToken extends ListedToken {
  readonly token: string
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
      const username = tokens.get(await snapshot(core), hash)?.value.username
      if (username === undefined) return false
      const acting = Object.assign({}, core, { caller: { kind: 'user', username } as const })
      const answer = await change(acting, (tx) =>
        tx.delete(tokens, hash)
          ? { ok: true, value: undefined, events: [{ type: 'token.deleted', username }] }
          : notFound,
      )
      return answer.ok
    },
  }),
}

/** The operations of a caller on tokens: administrators manage those of all users, others see and revoke their own. */
export const issuedTokenOperations = {
  /** Creates a token for any user; for administrators and the embedding program. */
  issueToken: operation({
    takes: [username, described],
    refuses: ['unauthenticated', 'forbidden', ...tokenOperations.createToken.refuses],
    run: async (core: Core, username: string, details?: Pick<LogInDetails, 'description'>) => {
      const problem = administratorProblem(core.caller, 'create tokens for others')
      if (problem) return problem
      const made = await tokenOperations.createToken.run(core, username, details)
      if (!made.ok) return made
      const { token, tokenHash: hash, description, createdAt } = made.value
      // As the account spells it.
      const owner = tokens.get(await snapshot(core), hash)?.value.username ?? username
      const value: IssuedToken = { ...listedToken({ hash, username: owner, description, createdAt }), token }
      return { ok: true as const, value }
    },
  }),
  /** The tokens that the caller may revoke, by user and age. */
  listTokens: operation({
    takes: [tokenList],
    refuses: ['unauthenticated', 'forbidden'],
    run: async (
      core: Core,
      { username }: TokenList = {},
    ): Promise<Answer<readonly ListedToken[], 'unauthenticated' | 'forbidden'>> => {
      const { caller } = core
      const problem = callerProblem(caller)
      if (problem) return problem
      const asked = username === undefined ? undefined : foldName(username)
      if (asked !== undefined && !managesTokensOf(caller, asked))
        return refuse('forbidden', 'Only administrators may list the tokens of others')
      const now = await snapshot(core)
      const listed = tokens.list(now).flatMap(({ value }) => {
        const owner = foldName(value.username)
        if (asked !== undefined && owner !== asked) return []
        return managesTokensOf(caller, owner) ? [listedToken(value)] : []
      })
      listed.sort((a, b) => compareText(a.username, b.username) || a.createdAt - b.createdAt)
      return { ok: true, value: listed }
    },
  }),
  /** Revokes a token by its id; returns it. */
  revokeToken: operation({
    takes: [tokenId],
    refuses: ['unauthenticated', 'not_found', 'contended'],
    run: async (
      core: Core,
      id: string,
    ): Promise<Answer<ListedToken, 'unauthenticated' | 'not_found' | 'contended'>> => {
      const { caller } = core
      const problem = callerProblem(caller)
      if (problem) return problem
      const found = tokens
        .list(await snapshot(core))
        .find(({ value }) => idOf(value) === id && managesTokensOf(caller, foldName(value.username)))?.value
      if (!found) return notFound
      return change(core, (tx) =>
        tx.delete(tokens, found.hash)
          ? {
              ok: true,
              value: listedToken(found),
              events: [{ type: 'token.deleted', username: found.username }],
            }
          : notFound,
      )
    },
  }),
}

const managesTokensOf = (caller: Caller, owner: string): boolean =>
  caller.kind === 'host' ||
  (caller.kind === 'user' && (caller.administrator === true || foldName(caller.username) === owner))

/** An ID for a token that cannot be shown: a part of its digest does not reveal the token. */
const idOf = ({ hash }: Token): string => hash.slice(0, 16)

const listedToken = (token: Token): ListedToken => {
  const { username, description, createdAt } = token
  return { id: idOf(token), username, description, createdAt }
}

/** Returns why a token may not have this description. */
export const descriptionProblem = (description: string): Refused<'text_too_long'> | undefined =>
  description.length <= maxShortDescription
    ? undefined
    : refuse('text_too_long', `Token description is too long (maximum is ${maxShortDescription} characters)`)

/** Tokens are long random strings: their digests need no secret key, only a separate domain. */
const tokenKey = new TextEncoder().encode('plinth catalog token')

/** The digest that identifies a token. */
export const hashOf = ({ crypto }: Core, token: string): string =>
  toHex(crypto.hmac('sha512', tokenKey, token))
