import { randomBase62, toHex } from '../../crypto/index.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { isAddressPart } from '../modules/names.ts'
import { type TokenRecord, tokens } from '../records.ts'
import { isTokenName } from '../token-name.ts'
import { publishingToken, token, tokenId, tokenName } from './arguments.ts'
import type { RegistryParts } from './parts.ts'
import type { CreatedToken, CreateTokenInput, ListedToken, Publisher } from './publisher.ts'

/** Ten years: a longer TTL is probably in another unit. */
const longestTtlMs = 10 * 366 * 86_400_000

/** The operations on the publishing tokens of a registry. */
export const tokenOperations = {
  /** Creates a publishing token and returns its text: only here, because the registry stores only its digest. */
  createToken: operation({
    takes: [publishingToken],
    refuses: ['invalid_token'],
    run: async (
      { commit, crypto }: RegistryParts,
      input: CreateTokenInput,
    ): Promise<Answer<CreatedToken, 'invalid_token'>> => {
      const problem = tokenProblem(input)
      if (problem) return problem
      const { name, readOnly = false, administrator = false, ttlMs } = input
      const namespaces = readOnly ? [] : input.namespaces
      const token = `rt.${randomBase62(32, crypto.randomBytes)}`
      const digest = toHex(crypto.sha256(token))
      return commit((tx, env) => {
        const record: TokenRecord = {
          digest,
          name,
          namespaces: namespaces ? [...namespaces] : null,
          createdAt: env.now,
          ...(administrator ? { administrator } : {}),
          ...(ttlMs === undefined ? {} : { expiresAt: env.now + Math.ceil(ttlMs) }),
        }
        tx.put(tokens, record)
        const event = { type: 'token.created', token: name } as const
        return { ok: true, value: { ...listed(record), token }, events: [event] }
      })
    },
  }),
  /** Finds the owner and rights of a token; `undefined` for an unknown or expired one. */
  findPublisher: operation({
    takes: [token],
    refuses: [],
    run: async ({ present, crypto, env }: RegistryParts, token: string): Promise<Publisher | undefined> => {
      const { now } = await present()
      const found = tokens.get(now, toHex(crypto.sha256(token)))?.value
      if (!found || isExpired(found, env().now)) return undefined
      const { name, namespaces, administrator } = found
      return { name, namespaces: namespaces ?? undefined, administrator }
    },
  }),
  /** Lists the publishing tokens by name, without expired ones. */
  listTokens: operation({
    takes: [],
    refuses: [],
    run: async ({ present, env }: RegistryParts): Promise<readonly ListedToken[]> => {
      const { now } = await present()
      const at = env().now
      return tokens
        .list(now)
        .flatMap(({ value }) => (isExpired(value, at) ? [] : [listed(value)]))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.createdAt - b.createdAt))
    },
  }),
  /** Removes a token by its id; returns its name. */
  removeToken: operation({
    takes: [tokenId],
    refuses: ['token_not_found'],
    run: async (
      { present, commit, env }: RegistryParts,
      id: string,
    ): Promise<Answer<string, 'token_not_found'>> => {
      const { now } = await present()
      const at = env().now
      const found = tokens.list(now).find(({ value }) => idOf(value) === id && !isExpired(value, at))?.value
      return commit((tx) =>
        found && tx.delete(tokens, found.digest)
          ? { ok: true, value: found.name, events: [deleted(found)] }
          : refuse('token_not_found', 'there is no token with this id: list the tokens'),
      )
    },
  }),
  /** Removes all tokens of a name; returns their number. */
  removeTokens: operation({
    takes: [tokenName],
    refuses: [],
    run: (parts: RegistryParts, name: string): Promise<number> =>
      removeWhere(parts, (record) => record.name === name),
  }),
}

/** Deletes expired tokens; returns their number. */
export const sweepTokens = (parts: RegistryParts): Promise<number> => {
  const { now } = parts.env()
  return removeWhere(parts, (record) => isExpired(record, now))
}

async function removeWhere(
  { present, commit }: RegistryParts,
  goes: (record: TokenRecord) => boolean,
): Promise<number> {
  const { now } = await present()
  const digests = tokens.list(now).flatMap(({ value }) => (goes(value) ? [value.digest] : []))
  let count = 0
  for (const digest of digests) {
    const removed = await commit<boolean>((tx) => {
      const found = tx.get(tokens, digest)?.value
      if (!found || !tx.delete(tokens, digest)) return { ok: true, value: false, events: [] }
      return { ok: true, value: true, events: [deleted(found)] }
    })
    if (removed.ok && removed.value) count += 1
  }
  return count
}

const deleted = ({ name }: TokenRecord) => ({ type: 'token.deleted', token: name }) as const

const isExpired = ({ expiresAt }: TokenRecord, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now

/** An ID for a token that cannot be shown: a part of its digest does not reveal the token. */
const idOf = ({ digest }: TokenRecord): string => digest.slice(0, 16)

const listed = (record: TokenRecord): ListedToken => {
  const { name, namespaces, createdAt, administrator = false, expiresAt } = record
  return {
    id: idOf(record),
    name,
    createdAt,
    administrator,
    ...(namespaces ? { namespaces } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

function tokenProblem({
  name,
  namespaces,
  readOnly = false,
  administrator = false,
  ttlMs,
}: CreateTokenInput): Refused<'invalid_token'> | undefined {
  if (!isTokenName(name))
    return refuse('invalid_token', 'the name of a token has 1 to 64 letters, digits, "-", "_" and "."')
  if (ttlMs !== undefined && !(ttlMs > 0 && ttlMs <= longestTtlMs))
    return refuse('invalid_token', 'the TTL of a token must be positive and at most ten years')
  if (readOnly && (administrator || namespaces !== undefined))
    return refuse('invalid_token', 'a read-only token has no namespaces and is not an administrator')
  if (namespaces === undefined) return undefined
  if (administrator)
    return refuse(
      'invalid_token',
      'an administrator token has access to all namespaces: leave namespaces out',
    )
  if (namespaces.length === 0)
    return refuse(
      'invalid_token',
      'a token with no namespaces cannot publish: leave namespaces out to allow all, or make it read-only',
    )
  if (namespaces.length > 1000) return refuse('invalid_token', 'a token has at most 1000 namespaces')
  const wrong = namespaces.find((namespace) => !isAddressPart('namespace', namespace))
  return wrong === undefined
    ? undefined
    : refuse('invalid_token', `${JSON.stringify(wrong.slice(0, 100))} is not a valid namespace`)
}
