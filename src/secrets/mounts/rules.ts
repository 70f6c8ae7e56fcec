import { type Refused, refuse } from '../../kernel/index.ts'
import type { Mount, MountNames, MountTable } from './model.ts'

/**
 * The mountable types, and the limits of the system.
 */
export interface MountPolicy {
  /** The existing types; `single` ones are part of every namespace and can be neither enabled nor disabled. */
  readonly types: Readonly<
    Record<string, { readonly role: 'secret' | 'auth' | 'system'; readonly single?: boolean | undefined }>
  >
  /** 768 hours by default. */
  readonly defaultLeaseTtlSeconds: number
  readonly maxLeaseTtlSeconds: number
}

/** The types every server has, and the usual bounds. */
export const mountPolicy: MountPolicy = {
  types: {
    kv: { role: 'secret' },
    idp: { role: 'auth' },
    userpass: { role: 'auth' },
    approle: { role: 'auth' },
    jwt: { role: 'auth' },
    oidc: { role: 'auth' },
    transit: { role: 'secret' },
    token: { role: 'auth', single: true },
    cubbyhole: { role: 'secret', single: true },
    identity: { role: 'secret', single: true },
    system: { role: 'system', single: true },
  },
  defaultLeaseTtlSeconds: 768 * 3600,
  maxLeaseTtlSeconds: 768 * 3600,
}

/** The reserved paths. Auth methods are mounted below `auth/`, where engines cannot be. */
const protectedPaths = ['auth/', 'sys/', 'cubbyhole/', 'identity/', 'audit/'] as const

/**
 * The stored form of a mount path: without a leading slash, with exactly one at its end. Runs in linear time, because
 * unauthenticated callers may send the path.
 */
export const canonicalPath = (path: string): string => `${path.replace(/^\/+|(?<!\/)\/+$/g, '')}/`

/** The mount that is at a path, contains it, or lies within it; `undefined` if the path is free. */
export const conflictWith = (table: MountTable, path: string): Mount | undefined =>
  Object.values(table.mounts).find((mount) => mount.path.startsWith(path) || path.startsWith(mount.path))

/** Why nothing may be mounted at a path. */
export type MountPathRefusal = 'mount_path_invalid' | 'mount_path_protected' | 'mount_path_taken'

/** Why a mount of this role cannot be at a path. */
export function placeProblem(
  table: MountTable,
  path: string,
  role: 'secret' | 'auth' | 'system',
): Refused<MountPathRefusal> | undefined {
  const within = role === 'auth' ? path.slice('auth/'.length) : path
  if (within === '' || within === '/' || within.includes('//'))
    return refuse('mount_path_invalid', 'a mount path needs a name in each of its segments')
  if (/\p{Surrogate}/u.test(within)) return refuse('mount_path_invalid', 'a mount path must be valid Unicode')
  if (/(^|\/)\.{1,2}\//.test(within) || /[\s*+\u0000-\u001f\u007f]/.test(within))
    return refuse(
      'mount_path_invalid',
      'a mount path cannot contain whitespace, "*", "+", "." or ".." segments',
    )
  if (within.length > maxPathLength)
    return refuse('mount_path_invalid', `a mount path has at most ${maxPathLength} characters`)
  if (role !== 'auth' && protectedPaths.some((taken) => path.startsWith(taken)))
    return refuse('mount_path_protected', `cannot mount "${path}"`)
  if (role === 'auth' && path === 'auth/token/')
    return refuse('mount_path_taken', `path is already in use at ${path}`)
  const other = conflictWith(table, path)
  return (
    other &&
    refuse('mount_path_taken', `path is already in use at ${other.path.slice(path.length - within.length)}`)
  )
}

const maxPathLength = 256

/** The lists of names that an input sets. */
export const givenNames = (input: Partial<MountNames>): MountNames => {
  const given: { -readonly [Name in keyof MountNames]: MountNames[Name] } = {}
  for (const name of nameLists) if (input[name] !== undefined) given[name] = [...input[name]]
  return given
}

const nameLists = [
  'auditNonHmacRequestKeys',
  'auditNonHmacResponseKeys',
  'passthroughRequestHeaders',
  'allowedResponseHeaders',
] as const satisfies readonly (keyof MountNames)[]

/** The optional fields of an input that describes a mount. */
export const describedFields = {
  description: '',
  options: {},
  tokenType: '',
  listingVisibility: '',
  userLockout: {},
  auditNonHmacRequestKeys: {},
  auditNonHmacResponseKeys: {},
  passthroughRequestHeaders: {},
  allowedResponseHeaders: {},
}

/** The lease times of a mount: its own, else the system's. */
export const leaseTimesOf = (
  mount: Pick<Mount, 'defaultLeaseTtlSeconds' | 'maxLeaseTtlSeconds'>,
  system: Pick<MountPolicy, 'defaultLeaseTtlSeconds' | 'maxLeaseTtlSeconds'>,
) => ({
  defaultTtlSeconds: mount.defaultLeaseTtlSeconds || system.defaultLeaseTtlSeconds,
  maxTtlSeconds: mount.maxLeaseTtlSeconds || system.maxLeaseTtlSeconds,
})

/** Why lease times are invalid: the default is above the maximum. */
export type TtlRefusal = 'lease_ttl_order'

/** Why the lease times of a mount contradict each other, or the system's. */
export function leaseTtlsProblem(
  {
    defaultLeaseTtlSeconds,
    maxLeaseTtlSeconds,
  }: Pick<Mount, 'defaultLeaseTtlSeconds' | 'maxLeaseTtlSeconds'>,
  policy: MountPolicy,
): Refused<TtlRefusal> | undefined {
  if (maxLeaseTtlSeconds > 0)
    return defaultLeaseTtlSeconds > maxLeaseTtlSeconds
      ? refuse('lease_ttl_order', 'given default lease TTL greater than given max lease TTL')
      : undefined
  return defaultLeaseTtlSeconds > policy.maxLeaseTtlSeconds
    ? refuse(
        'lease_ttl_order',
        `given default lease TTL of ${defaultLeaseTtlSeconds} greater than system max lease TTL of ${policy.maxLeaseTtlSeconds}`,
      )
    : undefined
}

/** The version of a key/value mount: 1 unless its options say 2. */
export const kvVersionOf = (mount: Pick<Mount, 'options'>): 1 | 2 =>
  mount.options?.['version'] === '2' ? 2 : 1

/** Why a mount cannot have the requested options. */
export type OptionsRefusal = 'mount_version_invalid' | 'mount_version_downgrade'

/** Why options do not fit a type: `version` is for `kv`, and is 1 or 2. */
export function optionsProblem(
  type: string,
  options: Readonly<Record<string, string>> | null,
): Refused<'mount_version_invalid'> | undefined {
  const version = options?.['version']
  if (version === undefined || version === '') return undefined
  if (type !== 'kv')
    return refuse('mount_version_invalid', `mounts of type "${type}" have no versions: omit options.version`)
  return version === '1' || version === '2'
    ? undefined
    : refuse('mount_version_invalid', `invalid version provided: ${version}`)
}
