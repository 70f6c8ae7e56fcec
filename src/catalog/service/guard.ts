import { type Refused, refuse } from '../../kernel/index.ts'
import type { Collection, Part, Snapshot, Stored } from '../../store/index.ts'
import { type Caller, isAtLeast, roleOf } from '../accounts/access.ts'
import type { Account } from '../accounts/model.ts'
import type { Role } from '../accounts/role.ts'
import type { Box } from '../boxes/model.ts'
import { foldName } from '../boxes/names.ts'
import { accounts, boxes, grants, versions } from '../records.ts'
import type { Version } from '../versions/model.ts'
import { parseVersionNumber } from '../versions/number.ts'

/**
 * A box by the names in its address; the case of ASCII letters does not matter.
 */
export interface BoxAddress {
  readonly username: string
  readonly name: string
}

/**
 * A version by its number, in any spelling.
 */
export interface VersionAddress extends BoxAddress {
  readonly version: string
}

/** The refusals of every read of a box. */
export const seeing = ['not_found', 'delinquent'] as const

/** The refusals of every change of a box. */
export const changing = [...seeing, 'unauthenticated', 'forbidden', 'contended'] as const

/**
 * Why a caller may not see a resource.
 */
export type SeeRefusal = (typeof seeing)[number]

/**
 * Why a caller may not see or change a resource.
 */
export type AccessRefusal = Exclude<(typeof changing)[number], 'contended'>

/** Looks records up: within a transaction, or in a snapshot. */
export interface Lookup {
  get<T>(from: Collection<T>, ...key: readonly Part[]): Stored<T> | undefined
  find<T>(from: Collection<T>, index: string, ...value: readonly Part[]): Stored<T> | undefined
}

export const lookupIn = (now: Snapshot): Lookup => ({
  get: (from, ...key) => from.get(now, ...key),
  find: (from, index, ...value) => from.find(now, index, ...value),
})

/** The message of the original service, which is the same for missing and hidden resources. */
export const notFound = refuse('not_found', 'Resource not found!')

const unauthenticated = refuse(
  'unauthenticated',
  'Authentication is required: send an access token in the Authorization header',
)

const forbidden = (username: string, role: Role | undefined) => {
  switch (role) {
    case undefined:
      return refuse('forbidden', `You may not change the boxes of ${username}`)
    case 'reader':
      return refuse(
        'forbidden',
        `You may only read the boxes of ${username}: changes need the role publisher`,
      )
    case 'publisher':
      return refuse(
        'forbidden',
        `This needs the role admin on ${username}: yours, or your token's, is publisher`,
      )
    case 'admin':
      return refuse('forbidden', `You may not change the boxes of ${username}`)
    default: {
      const never: never = role
      return never
    }
  }
}

const delinquent = (username: string) =>
  refuse('delinquent', `The account ${username} is delinquent on billing`)

/** Refuses anonymous callers. */
export const callerProblem = (caller: Caller): Refused<'unauthenticated'> | undefined =>
  caller.kind === 'anonymous' ? unauthenticated : undefined

/** Refuses tokens with limits: they manage neither accounts nor tokens. */
export const limitedProblem = (caller: Caller): Refused<'forbidden'> | undefined =>
  caller.kind === 'user' && caller.limits
    ? refuse('forbidden', 'This token is limited: use one without limits to manage accounts and tokens')
    : undefined

/** Refuses all callers except administrators and the embedding program. */
export const administratorProblem = (
  caller: Caller,
  doing: string,
): Refused<'unauthenticated' | 'forbidden'> | undefined =>
  callerProblem(caller) ??
  limitedProblem(caller) ??
  (caller.kind === 'user' && !caller.administrator
    ? refuse('forbidden', `Only administrators may ${doing}`)
    : undefined)

/** An account on whose boxes the caller has a role. */
export function locateOwner(
  from: Lookup,
  username: string,
  caller: Caller,
  needed: Role,
): { readonly ok: true; readonly owner: Account } | Refused<AccessRefusal> {
  const problem = callerProblem(caller)
  if (problem) return problem
  const owner = from.get(accounts, foldName(username))?.value
  if (!owner) return notFound
  const role = roleOf(owner, caller)
  if (!isAtLeast(role, needed)) return forbidden(owner.username, role)
  return owner.delinquent ? delinquent(owner.username) : { ok: true, owner }
}

export interface Located {
  readonly ok: true
  readonly box: Box
  readonly owner: Account
  /** The caller's role on the box. */
  readonly role: Role | undefined
}

/** A box, unless it is private and hidden from the caller, which then counts as missing. */
function findBox(from: Lookup, { username, name }: BoxAddress, caller: Caller): Located | typeof notFound {
  const box = from.get(boxes, foldName(username), foldName(name))?.value
  const owner = box && from.get(accounts, foldName(box.username))?.value
  if (!box || !owner) return notFound
  const role = roleOnBox(from, owner, box, caller)
  return box.private && role === undefined ? notFound : { ok: true, box, owner, role }
}

/** The role of a caller on a box, and on all boxes of its owner. */
export const roleOnBox = (from: Lookup, owner: Account, box: Box, caller: Caller): Role | undefined =>
  roleOf(
    owner,
    caller,
    caller.kind === 'user' ? from.get(grants, box.id, foldName(caller.username))?.value.role : undefined,
  )

const unlessDelinquent = (located: Located): Located | Refused<'delinquent'> =>
  located.owner.delinquent ? delinquent(located.owner.username) : located

/** A box that the caller may see. */
export function locateBox(from: Lookup, address: BoxAddress, caller: Caller): Located | Refused<SeeRefusal> {
  const found = findBox(from, address, caller)
  return found.ok ? unlessDelinquent(found) : found
}

/** A box on which the caller has a role. Callers must authenticate before they learn what exists. */
export function locateOwnBox(
  from: Lookup,
  address: BoxAddress,
  caller: Caller,
  needed: Role,
): Located | Refused<AccessRefusal> {
  const problem = callerProblem(caller)
  if (problem) return problem
  const found = findBox(from, address, caller)
  if (!found.ok) return found
  const { owner, role } = found
  return isAtLeast(role, needed) ? unlessDelinquent(found) : forbidden(owner.username, role)
}

export type LocatedVersion = Located & { readonly version: Version }

/** The version of a box that an address names. */
export function versionOf(
  from: Lookup,
  located: Located,
  { version: number }: VersionAddress,
): LocatedVersion | typeof notFound {
  const canonical = parseVersionNumber(number)?.canonical
  const version = canonical === undefined ? undefined : from.get(versions, located.box.id, canonical)?.value
  return version ? { ...located, version } : notFound
}
