import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import type { Mount, MountEvent, MountNames, MountTable, TokenType } from './model.ts'
import {
  canonicalPath,
  describedFields,
  givenNames,
  kvVersionOf,
  leaseTtlsProblem,
  type MountPolicy,
  mountPolicy,
  type OptionsRefusal,
  optionsProblem,
  type TtlRefusal,
} from './rules.ts'

/**
 * The changes of a mount; omitted fields stay unchanged.
 */
export interface TuneInput extends Partial<MountNames> {
  readonly path: string
  readonly description?: string | undefined
  /** `'system'` restores the system's. */
  readonly defaultLeaseTtlSeconds?: number | 'system' | undefined
  /** `'system'` restores the system's. */
  readonly maxLeaseTtlSeconds?: number | 'system' | undefined
  readonly options?: Readonly<Record<string, string>> | null | undefined
  readonly tokenType?: TokenType | undefined
  readonly listingVisibility?: Mount['listingVisibility'] | undefined
  /** The lockout settings of an auth method; omitted fields stay unchanged. */
  readonly userLockout?: Mount['userLockout'] | undefined
}

/** The optional fields of {@link TuneInput}. */
export const tuneFields = {
  ...describedFields,
  defaultLeaseTtlSeconds: undefined,
  maxLeaseTtlSeconds: undefined,
}

/** Why a mount was not tuned. */
export type TuneRefusal = 'mount_not_found' | TtlRefusal | OptionsRefusal

/** The result of tuning. */
export interface Tuned {
  readonly mount: Mount
  /** Whether a key/value mount must be rewritten for version 2; it is marked `upgrading` until that is done. */
  readonly upgrade: boolean
}

/**
 * Changes a mount's settings. This includes upgrading a key/value mount from version 1 to 2, which cannot be undone.
 */
export function tuneMount(
  table: MountTable,
  input: TuneInput,
  _env: Env,
  policy: MountPolicy = mountPolicy,
): Outcome<MountTable, Tuned, MountEvent, TuneRefusal> {
  checkInput(input, { path: '' }, tuneFields)
  const path = canonicalPath(input.path)
  const mount = ownValue(table.mounts, path)
  if (mount === undefined)
    return refuse('mount_not_found', `tune of path "${path}" failed: no mount entry found`)
  const ttl = (given: number | 'system' | undefined, present: number) =>
    given === 'system' ? 0 : (given ?? present)
  const tuned: Mount = {
    ...mount,
    description: input.description ?? mount.description,
    defaultLeaseTtlSeconds: ttl(input.defaultLeaseTtlSeconds, mount.defaultLeaseTtlSeconds),
    maxLeaseTtlSeconds: ttl(input.maxLeaseTtlSeconds, mount.maxLeaseTtlSeconds),
    options: input.options ? { ...mount.options, ...input.options } : mount.options,
    tokenType: input.tokenType ?? mount.tokenType,
    listingVisibility: input.listingVisibility ?? mount.listingVisibility,
    ...(input.userLockout ? { userLockout: { ...mount.userLockout, ...input.userLockout } } : {}),
    ...givenNames(input),
  }
  const refused =
    leaseTtlsProblem(tuned, policy) ??
    optionsProblem(mount.type, tuned.options) ??
    versionProblem(mount, tuned)
  if (refused) return refused
  const upgrade = mount.type === 'kv' && kvVersionOf(mount) === 1 && kvVersionOf(tuned) === 2
  const next: Mount = { ...tuned, upgrading: mount.upgrading || upgrade }
  return step(table, (draft, emit) => {
    draft.mounts[path] = next
    emit({ type: 'mount.tuned', path })
    return { mount: next, upgrade }
  })
}

const versionProblem = (mount: Mount, tuned: Mount) =>
  mount.type === 'kv' && kvVersionOf(mount) > kvVersionOf(tuned)
    ? refuse('mount_version_downgrade', `cannot downgrade mount from version ${kvVersionOf(mount)}`)
    : undefined

/**
 * Ends an upgrade: the mount answers again.
 */
export function finishUpgrade(
  table: MountTable,
  input: { readonly id: string },
  _env?: Env,
): Outcome<MountTable, boolean, MountEvent> {
  checkInput(input, { id: '' }, {})
  const found = Object.values(table.mounts).find(({ id, upgrading }) => upgrading && id === input.id)
  return step(table, (draft) => {
    const mount = found && draft.mounts[found.path]
    if (mount) mount.upgrading = false
    return found !== undefined
  })
}
