import {
  type Collection,
  collection,
  type Part,
  prefixOf,
  type Snapshot,
  type Stored,
  type Tx,
} from '../../../store/index.ts'
import { isAlive, type Token, type TokenRole } from '../../tokens/index.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { type KeptPath, pathParts } from '../core/path-key.ts'
import { debris, mountTables, namespaceTables } from '../core/records.ts'

const noScopes = () => []

/** Tokens by the keyed digest of their text, which cannot be used as a token. */
export const tokenRecords = collection<Token>({
  name: 'token',
  key: ({ digest }) => [digest],
  unique: { accessor: ({ accessor }) => [accessor] },
  scopes: noScopes,
})

/** The children of each token, for revoking a tree. */
export const tokenChildren = collection<{
  readonly parent: string
  readonly incarnation: string
  readonly digest: string
}>({
  name: 'tokenchild',
  key: ({ parent, incarnation, digest }) => [parent, incarnation, digest],
  scopes: noScopes,
})

/** Tokens by their expiry: a sweep reads only the expired ones. */
export const tokenExpiries = collection<{ readonly at: number; readonly digest: string }>({
  name: 'tokenexpiry',
  key: ({ at, digest }) => [at, digest],
  scopes: noScopes,
})

/** Revoked tokens whose children may still be stored: these are invalid already, and swept later. */
export const deadTokens = collection<{ readonly digest: string; readonly incarnation: string }>({
  name: 'tokendead',
  key: ({ digest, incarnation }) => [digest, incarnation],
  scopes: noScopes,
})

/** The private data of each token, under the token's incarnation: unreachable once the token is revoked. */
export const cubbyholes = collection<KeptPath & { readonly owner: string; readonly json: string }>({
  name: 'cubbyhole',
  key: (record) => [record.owner, ...pathParts(record)],
  scopes: () => [],
})

/** Templates for tokens. */
export const tokenRoles = collection<{ readonly namespace: string; readonly role: TokenRole }>({
  name: 'tokenrole',
  key: ({ namespace, role }) => [namespace, role.name],
  scopes: noScopes,
})

/** The replicated collections about tokens. */
export const heldTokenRecords = [tokenRecords, tokenChildren, tokenExpiries, deadTokens, tokenRoles]

/** Writes a token with its index records, and removes those of its former state. */
export function putToken(tx: Tx, token: Token): void {
  const before = tx.get(tokenRecords, token.digest)?.value
  tx.put(tokenRecords, token)
  if (before?.expiresAt !== token.expiresAt) {
    if (before && before.expiresAt !== null) tx.delete(tokenExpiries, before.expiresAt, token.digest)
    if (token.expiresAt !== null) tx.put(tokenExpiries, { at: token.expiresAt, digest: token.digest })
  }
  const [was, is] = [before?.parent, token.parent]
  if (was?.incarnation === is?.incarnation) return
  if (was) tx.delete(tokenChildren, was.digest, was.incarnation, token.digest)
  if (is) tx.put(tokenChildren, { parent: is.digest, incarnation: is.incarnation, digest: token.digest })
}

/** Removes a token with its index records. */
export function deleteToken(tx: Tx, token: Token): void {
  tx.delete(tokenRecords, token.digest)
  if (token.expiresAt !== null) tx.delete(tokenExpiries, token.expiresAt, token.digest)
  if (token.parent) tx.delete(tokenChildren, token.parent.digest, token.parent.incarnation, token.digest)
}

/** Revokes a token: it is invalid with this commit, and so are its descendants. */
export function endToken(tx: Tx, token: Token): void {
  deleteToken(tx, token)
  markRemains(tx, token)
}

/** Marks the remains of a revoked token for the sweep. */
function markRemains(tx: Tx, token: Token): void {
  const { digest, incarnation } = token
  if (childrenOf(tx.now, token, 1).length > 0) tx.put(deadTokens, { digest, incarnation })
  // Its cubbyhole is unreachable now, and swept later.
  const kept = prefixOf(cubbyholes.name, incarnation)
  if (tx.now.scan({ prefix: kept, limit: 1 }).length > 0)
    tx.put(debris, { id: incarnation, prefixes: [kept] })
}

/**
 * Marks the children of ended tokens that were created while their end was decided: they ended with them, and no other
 * commit knew of them. There are no later ones, because a commit expects the token that it was created with.
 */
export async function markLate(
  { fresh, commit }: Pick<Core, 'fresh' | 'commit'>,
  ended: readonly Token[],
): Promise<void> {
  const now = await fresh()
  const left = ended.filter((token) => hasRemains(now, token))
  if (left.length === 0) return
  await commit((tx) => {
    for (const token of left) markRemains(tx, token)
    return done(undefined)
  })
}

/** Whether a revoked token has remains that are not marked. */
const hasRemains = (now: Snapshot, token: Token): boolean =>
  (childrenOf(now, token, 1).length > 0 &&
    deadTokens.get(now, token.digest, token.incarnation) === undefined) ||
  (now.scan({ prefix: prefixOf(cubbyholes.name, token.incarnation), limit: 1 }).length > 0 &&
    debris.get(now, token.incarnation) === undefined)

/** Some of the stored children of a token. */
export const childrenOf = (
  now: Snapshot,
  { digest, incarnation }: Pick<Token, 'digest' | 'incarnation'>,
  limit: number,
): readonly Token[] =>
  now.scan({ prefix: prefixOf(tokenChildren.name, digest, incarnation), limit }).flatMap((entry) => {
    const child = tokenRecords.get(now, tokenChildren.stored(entry).value.digest)?.value
    return child ? [child] : []
  })

/** Reads a record: from a snapshot, or in a decision whose commit then expects it unchanged. */
type Get = <T>(from: Collection<T>, ...key: readonly Part[]) => Stored<T> | undefined

/**
 * Whether a token is valid at an instant: neither it nor an ancestor has expired, and the namespace and auth mount of
 * each still exist. Otherwise it is invalid immediately, and swept later.
 */
export const isLiving = (now: Snapshot, token: Token, instant: number): boolean =>
  livesBy((from, ...key) => from.get(now, ...key), token, instant)

/** How many records of a token's ancestry a commit expects unchanged; later ones are only read. */
const mostExpected = 64

/** The same for a new token, which is stored only if all of that still holds at its commit. */
export const wouldLive = (tx: Tx, token: Token, instant: number): boolean => {
  let read = 0
  const get: Get = (from, ...key) => {
    read += 1
    return read > mostExpected ? from.get(tx.now, ...key) : tx.get(from, ...key)
  }
  return livesBy(get, token, instant)
}

function livesBy(get: Get, token: Token, instant: number, known?: ReadonlyMap<string, Token>): boolean {
  const find = (digest: string) => {
    const parent = known?.get(digest) ?? get(tokenRecords, digest)?.value
    return parent && stands(get, parent) ? parent : undefined
  }
  return stands(get, token) && isAlive(token, instant, find)
}

/**
 * The same check for many stored tokens in turn, for lists: the walk up the parents stops at a token known to be live,
 * so that long chains of child tokens cost no more.
 */
export function livingOf(now: Snapshot, instant: number): (token: Token) => boolean {
  const known = new Map<string, Token>()
  return (token) => {
    const lives = livesBy((from, ...key) => from.get(now, ...key), token, instant, known)
    if (lives) known.set(token.digest, { ...token, parent: null })
    return lives
  }
}

/** Whether the namespace of a token and, after a login, its auth mount still exist. */
function stands(get: Get, { namespace, namespaceId, login }: Token): boolean {
  if (namespace !== '') {
    const entry = get(namespaceTables, 'all')?.value.table.namespaces[namespace]
    if (entry?.id !== namespaceId) return false
  }
  if (login === null) return true
  const mounts = get(mountTables, namespaceId)?.value.table.mounts ?? {}
  return Object.values(mounts).some(({ id, moves = 0 }) => id === login.mount && moves === (login.moves ?? 0))
}
