import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import type { Mount, MountEvent, MountNames, MountTable, TokenType } from './model.ts'
import {
  canonicalPath,
  describedFields,
  givenNames,
  leaseTtlsProblem,
  type MountPathRefusal,
  type MountPolicy,
  mountPolicy,
  optionsProblem,
  placeProblem,
  type TtlRefusal,
} from './rules.ts'

/**
 * The mount to create, and its path.
 */
export interface EnableInput extends Partial<MountNames> {
  /** The path; that of an auth method begins with `auth/`. */
  readonly path: string
  /** `kv`, or `kv-v1` (also `generic`) and `kv-v2` for a version of it; any type of the policy's. */
  readonly type: string
  readonly description?: string | undefined
  readonly options?: Readonly<Record<string, string>> | null | undefined
  readonly defaultLeaseTtlSeconds?: number | undefined
  readonly maxLeaseTtlSeconds?: number | undefined
  readonly tokenType?: TokenType | undefined
  readonly listingVisibility?: Mount['listingVisibility'] | undefined
  /** The lockout settings of an auth method; omitted fields take the defaults. */
  readonly userLockout?: Mount['userLockout'] | undefined
  readonly local?: boolean | undefined
  readonly sealWrap?: boolean | undefined
  /** Random letters and digits from the caller: the end of the accessor. */
  readonly accessorTail: string
}

/** Why nothing was mounted. */
export type EnableRefusal =
  | 'mount_type_missing'
  | 'mount_type_unknown'
  | 'mount_version_invalid'
  | MountPathRefusal
  | TtlRefusal

/** Types that include a version; `generic` is an old name of version 1. */
const versionedTypes: Readonly<Record<string, string>> = { 'kv-v1': '1', 'kv-v2': '2', generic: '1' }

/**
 * Mounts a secrets engine or an auth method. Paths may be nested, but no mount can be within another.
 *
 * @returns the mount; or a refusal that says which path or setting is in the way
 */
export function enableMount(
  table: MountTable,
  input: EnableInput,
  env: Env,
  policy: MountPolicy = mountPolicy,
): Outcome<MountTable, Mount, MountEvent, EnableRefusal> {
  checkInput(
    input,
    { path: '', type: '', accessorTail: '' },
    { ...describedFields, defaultLeaseTtlSeconds: 0, maxLeaseTtlSeconds: 0, local: false, sealWrap: false },
    env,
  )
  if (input.type === '') return refuse('mount_type_missing', 'backend type must be specified as a string')
  const version = ownValue(versionedTypes, input.type)
  const type = version === undefined ? input.type : 'kv'
  const path = canonicalPath(input.path)
  const auth = path.startsWith('auth/') && path !== 'auth/'
  const known = ownValue(policy.types, type)
  if (known === undefined || known.single || (known.role === 'auth') !== auth)
    return refuse('mount_type_unknown', `plugin not found in the catalog: ${input.type}`)
  const options = version === undefined ? (input.options ?? null) : { ...input.options, version }
  const ttls = {
    defaultLeaseTtlSeconds: input.defaultLeaseTtlSeconds ?? 0,
    maxLeaseTtlSeconds: input.maxLeaseTtlSeconds ?? 0,
  }
  const refused =
    placeProblem(table, path, known.role) ?? leaseTtlsProblem(ttls, policy) ?? optionsProblem(type, options)
  if (refused) return refused
  const mount: Mount = {
    id: env.newId('mount'),
    path,
    type,
    description: input.description ?? '',
    accessor: `${auth ? 'auth_' : ''}${type}_${input.accessorTail}`,
    options,
    ...ttls,
    tokenType: input.tokenType ?? 'default-service',
    listingVisibility: input.listingVisibility ?? '',
    local: input.local ?? false,
    sealWrap: input.sealWrap ?? false,
    createdAt: env.now,
    upgrading: false,
    ...(input.userLockout ? { userLockout: { ...input.userLockout } } : {}),
    ...givenNames(input),
  }
  return step(table, (draft, emit) => {
    draft.mounts[path] = mount
    emit({ type: 'mount.enabled', path, mountType: type })
    return mount
  })
}
