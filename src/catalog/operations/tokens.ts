import { randomBase62, toHex } from '../../crypto/index.ts'
import { compareText } from '../../kernel/compare-text.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Snapshot, Tx } from '../../store/index.ts'
import { lastUseOf, tokenUses } from '../../token/last-use.ts'
import { endAfter, idOfDigest, isExpired, ttlProblem } from '../../token/lifetime.ts'
import { type Caller, isAtLeast, roleOf, type TokenLimits } from '../accounts/access.ts'
import type { Token } from '../accounts/model.ts'
import { foldName, usernameProblem } from '../boxes/names.ts'
import { maxShortDescription } from '../boxes/text-limits.ts'
import { accounts, tokens } from '../records.ts'
import { type Core, change, snapshot } from '../service/core.ts'
import { callerProblem, limitedProblem, notFound } from '../service/guard.ts'
import { token, tokenDetails, tokenId, tokenList, username } from './arguments.ts'
import type { TokenDetails, TokenList } from './inputs.ts'

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
  /** When it expires, in milliseconds since the Unix epoch; absent if it does not. */
  readonly expiresAt?: number | undefined
  /** When it was last used, to five minutes; absent if it was not. */
  readonly lastUsedAt?: number | undefined
  /** What it may do of what its user may; absent if that is everything. */
  readonly limits?: TokenLimits | undefined
}

/**
 * A token as an administrator creates it for a user, with its text, which is returned once.
 */
export interface IssuedToken extends ListedToken {
  readonly token: string
}

/**
 * What a token may do with the boxes of accounts, for other services with the same accounts.
 */
export interface TokenAccess {
  readonly username: string
  /** Whether it may do everything, everywhere. */
  readonly administrator: boolean
  /** The folded names of the accounts whose boxes it may read; absent for all. */
  readonly reads?: readonly string[] | undefined
  /** The folded names of the accounts whose boxes it may publish; absent for all. */
  readonly publishes?: readonly string[] | undefined
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
    takes: [username, tokenDetails],
    refuses: ['not_found', 'text_too_long', 'invalid_token', 'contended'],
    run: async (core: Core, username: string, details: TokenDetails = {}) => {
      const { description = '', ttlMs } = details
      const unsound = descriptionProblem(description) ?? limitsProblem(details)
      if (unsound) return unsound
      const { randomBytes } = core.crypto
      const token = `${randomBase62(14, randomBytes)}.catalogv1.${randomBase62(60, randomBytes)}`
      const hash = hashOf(core, token)
      return change(core, (tx, env) => {
        const account = tx.get(accounts, foldName(username))?.value
        if (account?.kind !== 'user') return notFound
        tx.put(tokens, {
          hash,
          username: account.username,
          description,
          createdAt: env.now,
          ...endAfter(ttlMs, env.now),
          ...limitsOf(details),
        })
        const value: NewToken = { description, token, tokenHash: hash, createdAt: env.now }
        return { ok: true, value, events: [{ type: 'token.created', username: account.username }] }
      })
    },
  }),
  /**
   * Returns whose token this is, and its limits; `undefined` for an unknown or expired one.
   *
   * @example await catalog.authenticate(token)
   */
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
      const at = core.env().now
      if (!account || isExpired(found, at)) return undefined
      core.lastUses.touch(now, found.hash, at)
      const { username, administrator } = account
      const { limits } = found
      return {
        kind: 'user',
        username,
        ...(administrator ? { administrator } : {}),
        ...(limits ? { limits } : {}),
      }
    },
  }),
  /**
   * Returns the accounts on which a token has a role; `undefined` for an unknown or expired one.
   *
   * @example await catalog.accessOf(token)
   */
  accessOf: operation({
    takes: [token],
    refuses: [],
    run: async (core: Core, token: string): Promise<TokenAccess | undefined> => {
      const caller = await tokenOperations.authenticate.run(core, token)
      if (!caller) return undefined
      const { username, limits } = caller
      const administrator = caller.administrator === true && limits === undefined
      if (administrator) return { username, administrator }
      const reads: string[] = []
      const publishes: string[] = []
      const now = await snapshot(core)
      for (const name of await core.search.accountsOf(username)) {
        const account = accounts.get(now, name)?.value
        const role = account && roleOf(account, caller)
        if (role !== undefined) reads.push(name)
        if (isAtLeast(role, 'publisher')) publishes.push(name)
      }
      return { username, administrator, reads, publishes }
    },
  }),
  /**
   * Revokes a token; returns whether it was valid.
   *
   * @example await catalog.deleteToken(token) // true
   */
  deleteToken: operation({
    takes: [token],
    refuses: [],
    run: async (core: Core, token: string): Promise<boolean> => {
      const hash = hashOf(core, token)
      const username = tokens.get(await snapshot(core), hash)?.value.username
      if (username === undefined) return false
      const acting = Object.assign({}, core, { caller: { kind: 'user', username } as const })
      const answer = await change(acting, (tx) =>
        deleteToken(tx, hash)
          ? { ok: true, value: undefined, events: [{ type: 'token.deleted', username }] }
          : notFound,
      )
      return answer.ok
    },
  }),
}

/** The operations of a caller on tokens: administrators manage those of all users, others their own. */
export const issuedTokenOperations = {
  /**
   * Creates a token: for the caller, or for any user as an administrator.
   *
   * @example await catalog.issueToken('ada', { description: 'CI' })
   */
  issueToken: operation({
    takes: [username, tokenDetails],
    refuses: ['unauthenticated', 'forbidden', ...tokenOperations.createToken.refuses],
    run: async (core: Core, username: string, details?: TokenDetails) => {
      const problem = callerProblem(core.caller) ?? limitedProblem(core.caller)
      if (problem) return problem
      if (!managesTokensOf(core.caller, foldName(username)))
        return refuse('forbidden', 'Only administrators may create tokens for others')
      const made = await tokenOperations.createToken.run(core, username, details)
      if (!made.ok) return made
      const { token, tokenHash } = made.value
      const now = await snapshot(core)
      const stored = tokens.get(now, tokenHash)?.value
      if (!stored) return notFound
      const value: IssuedToken = Object.assign({}, listedToken(now, stored), { token })
      return { ok: true as const, value }
    },
  }),
  /**
   * The tokens that the caller may revoke, by user and age.
   *
   * @example await catalog.listTokens({ username: 'ada' })
   */
  listTokens: operation({
    takes: [tokenList],
    refuses: ['unauthenticated', 'forbidden'],
    run: async (
      core: Core,
      { username }: TokenList = {},
    ): Promise<Answer<readonly ListedToken[], 'unauthenticated' | 'forbidden'>> => {
      const { caller } = core
      const problem = callerProblem(caller) ?? limitedProblem(caller)
      if (problem) return problem
      const asked = username === undefined ? undefined : foldName(username)
      if (asked !== undefined && !managesTokensOf(caller, asked))
        return refuse('forbidden', 'Only administrators may list the tokens of others')
      const now = await snapshot(core)
      const at = core.env().now
      const listed = tokens.list(now).flatMap(({ value }) => {
        const owner = foldName(value.username)
        if (asked !== undefined && owner !== asked) return []
        return managesTokensOf(caller, owner) && !isExpired(value, at) ? [listedToken(now, value)] : []
      })
      listed.sort((a, b) => compareText(a.username, b.username) || a.createdAt - b.createdAt)
      return { ok: true, value: listed }
    },
  }),
  /**
   * Revokes a token by its id; returns it.
   *
   * @example await catalog.revokeToken(tokenId)
   */
  revokeToken: operation({
    takes: [tokenId],
    refuses: ['unauthenticated', 'forbidden', 'not_found', 'contended'],
    run: async (
      core: Core,
      id: string,
    ): Promise<Answer<ListedToken, 'unauthenticated' | 'forbidden' | 'not_found' | 'contended'>> => {
      const { caller } = core
      const problem = callerProblem(caller) ?? limitedProblem(caller)
      if (problem) return problem
      const now = await snapshot(core)
      const found = tokens
        .list(now)
        .find(
          ({ value }) => idOfDigest(value.hash) === id && managesTokensOf(caller, foldName(value.username)),
        )?.value
      if (!found) return notFound
      return change(core, (tx) =>
        deleteToken(tx, found.hash)
          ? {
              ok: true,
              value: listedToken(now, found),
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

const listedToken = (now: Snapshot, token: Token): ListedToken => {
  const { hash, username, description, createdAt, expiresAt, limits } = token
  const lastUsedAt = lastUseOf(now, hash)
  return { id: idOfDigest(hash), username, description, createdAt, expiresAt, lastUsedAt, limits }
}

/** Deletes a token; returns whether there was one. */
export function deleteToken(tx: Tx, hash: string): boolean {
  tx.delete(tokenUses, hash)
  return tx.delete(tokens, hash)
}

function limitsOf({ role, owners }: TokenDetails): { readonly limits?: NonNullable<Token['limits']> } {
  if (role === undefined && owners === undefined) return {}
  return { limits: { role: role ?? 'admin', ...(owners ? { owners: owners.map(foldName) } : {}) } }
}

/** Returns why a token may not have these limits. */
function limitsProblem({ owners, ttlMs }: TokenDetails): Refused<'invalid_token'> | undefined {
  const problem = ttlProblem(ttlMs)
  if (problem !== undefined) return refuse('invalid_token', problem)
  if (owners === undefined) return undefined
  if (owners.length === 0 || owners.length > 1000)
    return refuse('invalid_token', 'A token is for 1 to 1000 owners: leave owners out to allow all')
  const wrong = owners.find((owner) => usernameProblem(owner))
  return wrong === undefined
    ? undefined
    : refuse('invalid_token', `${JSON.stringify(wrong.slice(0, 100))} is not a valid user name`)
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
