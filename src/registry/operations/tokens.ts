import { randomBase62, toHex } from '../../crypto/index.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import { lastUseOf, tokenUses } from '../../token/last-use.ts'
import { endAfter, idOfDigest, isExpired, ttlProblem } from '../../token/lifetime.ts'
import { isAddressPart } from '../modules/names.ts'
import { type RegistryTx, type TokenRecord, tokens } from '../records.ts'
import { isTokenName } from '../token-name.ts'
import { publishingToken, token, tokenId, tokenName } from './arguments.ts'
import type { RegistryParts } from './parts.ts'
import type { CreatedToken, CreateTokenInput, ListedToken, Publisher } from './publisher.ts'

/** The operations on the publishing tokens of a registry. */
export const tokenOperations = {
  /**
   * Creates a publishing token and returns its text: only here, because the registry stores only its digest.
   *
   * @example await registry.createToken({ name: 'ci', namespaces: ['acme'] })
   */
  createToken: operation({
    takes: [publishingToken],
    refuses: ['invalid_token'],
    run: (parts: RegistryParts, input: CreateTokenInput) => makeToken(parts, input),
  }),
  /**
   * Finds the owner and rights of a token; `undefined` for an unknown or expired one.
   *
   * @example await registry.findPublisher(token)
   */
  findPublisher: operation({
    takes: [token],
    refuses: [],
    run: async (
      { present, crypto, env, lastUses }: RegistryParts,
      token: string,
    ): Promise<Publisher | undefined> => {
      const { now } = await present()
      const found = tokens.get(now, toHex(crypto.sha256(token)))?.value
      const at = env().now
      if (!found || isExpired(found, at)) return undefined
      lastUses.touch(now, found.digest, at)
      const { name, namespaces, administrator, reads, signedIn } = found
      return { name, namespaces: namespaces ?? undefined, administrator, reads, signedIn }
    },
  }),
  /**
   * Lists the publishing tokens by name, without expired ones.
   *
   * @example await registry.listTokens()
   */
  listTokens: operation({
    takes: [],
    refuses: [],
    run: async ({ present, env }: RegistryParts): Promise<readonly ListedToken[]> => {
      const { now } = await present()
      const at = env().now
      return tokens
        .list(now)
        .flatMap(({ value }) => (isExpired(value, at) ? [] : [listed(now, value)]))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.createdAt - b.createdAt))
    },
  }),
  /**
   * Removes a token by its id; returns its name.
   *
   * @example await registry.removeToken(tokenId)
   */
  removeToken: operation({
    takes: [tokenId],
    refuses: ['token_not_found'],
    run: async (
      { present, commit, env }: RegistryParts,
      id: string,
    ): Promise<Answer<string, 'token_not_found'>> => {
      const { now } = await present()
      const at = env().now
      const found = tokens
        .list(now)
        .find(({ value }) => idOfDigest(value.digest) === id && !isExpired(value, at))?.value
      return commit((tx) =>
        found && dropToken(tx, found.digest)
          ? { ok: true, value: found.name, events: [deleted(found)] }
          : refuse('token_not_found', 'there is no token with this id: list the tokens'),
      )
    },
  }),
  /**
   * Removes all tokens of a name; returns their number.
   *
   * @example await registry.removeTokens('ci') // 1
   */
  removeTokens: operation({
    takes: [tokenName],
    refuses: [],
    run: (parts: RegistryParts, name: string): Promise<number> =>
      removeWhere(parts, (record) => record.name === name),
  }),
}

/** Creates a token; `signedIn` if it is of a person who signed in at the identity provider. */
export async function makeToken(
  { commit, crypto }: RegistryParts,
  input: CreateTokenInput,
  signedIn = false,
): Promise<Answer<CreatedToken, 'invalid_token'>> {
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
      ...(signedIn ? { signedIn } : {}),
      ...endAfter(ttlMs, env.now),
      ...(input.reads === undefined ? {} : { reads: [...new Set([...input.reads, ...(namespaces ?? [])])] }),
    }
    tx.put(tokens, record)
    const event = { type: 'token.created', token: name } as const
    return { ok: true, value: Object.assign({}, listed(tx.now, record), { token }), events: [event] }
  })
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
      if (!found || !dropToken(tx, digest)) return { ok: true, value: false, events: [] }
      return { ok: true, value: true, events: [deleted(found)] }
    })
    if (removed.ok && removed.value) count += 1
  }
  return count
}

const deleted = ({ name }: TokenRecord) => ({ type: 'token.deleted', token: name }) as const

/** Deletes a token; returns whether there was one. */
function dropToken(tx: RegistryTx, digest: string): boolean {
  tx.delete(tokenUses, digest)
  return tx.delete(tokens, digest)
}

const listed = (now: Snapshot, record: TokenRecord): ListedToken => {
  const { digest, name, namespaces, createdAt, administrator = false, expiresAt, reads } = record
  const lastUsedAt = lastUseOf(now, digest)
  return {
    id: idOfDigest(digest),
    name,
    createdAt,
    administrator,
    ...(namespaces ? { namespaces } : {}),
    ...(reads === undefined ? {} : { reads }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
  }
}

function tokenProblem({
  name,
  namespaces,
  readOnly = false,
  administrator = false,
  ttlMs,
  reads,
}: CreateTokenInput): Refused<'invalid_token'> | undefined {
  if (!isTokenName(name))
    return refuse('invalid_token', 'the name of a token has 1 to 64 letters, digits, "-", "_" and "."')
  const unlivable = ttlProblem(ttlMs)
  if (unlivable !== undefined) return refuse('invalid_token', unlivable)
  if (administrator && reads !== undefined)
    return refuse('invalid_token', 'an administrator token reads all namespaces: leave reads out')
  const unread = reads && namesProblem(reads)
  if (unread) return unread
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
  return namesProblem(namespaces)
}

function namesProblem(namespaces: readonly string[]): Refused<'invalid_token'> | undefined {
  if (namespaces.length > 1000) return refuse('invalid_token', 'a token has at most 1000 namespaces')
  const wrong = namespaces.find((namespace) => !isAddressPart('namespace', namespace))
  return wrong === undefined
    ? undefined
    : refuse('invalid_token', `${JSON.stringify(wrong.slice(0, 100))} is not a valid namespace`)
}
