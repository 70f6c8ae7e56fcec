import * as z from 'zod'
import { toHex } from '../../../crypto/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { argument, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation, routeOperation, showing } from '../../../operation/operation.ts'
import { prefixOf, type Tx } from '../../../store/index.ts'
import type { ApproleRoleInput, ApproleSecretIdInput } from '../../approle/index.ts'
import { approleRefused, loginWithApprole, secretIdStatus } from '../../approle/login.ts'
import { makeApproleSecretId } from '../../approle/make-secret-id.ts'
import type { ApproleRole, ApproleSecretId } from '../../approle/model.ts'
import { approleName, writeApproleRole } from '../../approle/write-role.ts'
import { lockoutSettingsOf } from '../../lockout/settings.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { found } from '../core/answer.ts'
import { named, seconds, texts } from '../core/arguments.ts'
import { changeAt, emitAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { debris } from '../core/records.ts'
import { giveToken } from '../logins/give-token.ts'
import { countLogin, lockoutOf } from '../logins/lockouts.ts'
import { tokenMade } from '../tokens/operations.ts'
import { tokenSettings } from '../tokens/settings-argument.ts'
import {
  approleAccessors,
  approleRoleIds,
  approleRoles,
  approleSecretIds,
  deleteSecretId,
  putSecretId,
  secretIdByAccessor,
} from './records.ts'
import { uuidOf } from './uuid.ts'

/** The fields of a role; omitted fields stay unchanged. */
export type RoleInput = Omit<ApproleRoleInput, 'name' | 'drawnRoleId'>

/** The options of a new secret ID. */
type SecretIdInput = Omit<ApproleSecretIdInput, 'digest' | 'accessor'> & {
  /** The text of the secret ID; random by default. */
  readonly text?: string | undefined
}

interface LoginInput {
  readonly roleId: string
  /** Omitted if the role requires none. */
  readonly secretId?: string | undefined
  /** The client's IP address, where role or secret ID are bound to networks. */
  readonly address?: string | undefined
}

const name = named('name')
const accessor = named('accessor')
const role = argument<RoleInput>(
  'input',
  fields(
    z
      .object({
        roleId: z.string(),
        bindSecretId: z.boolean(),
        secretIdBoundCidrs: texts,
        secretIdNumUses: z.int(),
        secretIdTtlSeconds: seconds,
        localSecretIds: z.boolean(),
        tokens: tokenSettings,
      })
      .partial().shape,
  ),
)
const secretId = optionalArgument(
  argument<SecretIdInput>(
    'input',
    fields(
      z
        .object({
          text: z.string(),
          metadata: z.record(z.string(), z.string()),
          cidrList: texts,
          tokenBoundCidrs: texts,
          numUses: z.int(),
          ttlSeconds: seconds,
        })
        .partial().shape,
    ),
  ),
)
const login = argument<LoginInput>(
  'input',
  fields({ roleId: z.string(), secretId: z.string().optional(), address: z.string().optional() }),
)

/** A new secret ID: its text is returned only once. */
export interface MadeSecretId {
  readonly text: string
  readonly secretId: ApproleSecretId
}

/** How a secret ID is identified: by its text, or by its accessor. */
export type SecretIdName = { readonly secretId: string } | { readonly accessor: string }

const roleUnknown = (name: string) =>
  refuse('approle_role_unknown', `role ${JSON.stringify(name)} does not exist`)
const roleIn = (tx: Tx, { mount }: Sited, name: string) =>
  tx.get(approleRoles, mount.id, approleName(name))?.value.role
const roleNow = async ({ core, mount }: Sited, name: string) =>
  approleRoles.get(await core.fresh(), mount.id, approleName(name))?.value.role

/** The stored digest of a secret ID, which finds it in one role only. */
const digestOf = (core: Core, role: Pick<ApproleRole, 'incarnation'>, text: string): string =>
  toHex(
    core.crypto.hmac(
      'sha256',
      core.barrier.enter().keyring.derive('approle'),
      `${role.incarnation}\n${text}`,
    ),
  )

const find = async (
  { core, mount }: Sited,
  role: ApproleRole,
  name: SecretIdName,
): Promise<ApproleSecretId | undefined> => {
  const now = await core.fresh()
  const at = { mount: mount.id, role: role.incarnation }
  const found =
    'accessor' in name
      ? secretIdByAccessor(now, at, name.accessor)
      : approleSecretIds.get(now, at.mount, at.role, digestOf(core, role, name.secretId))?.value.secretId
  return found && secretIdStatus(found, core.env().now) === 'active' ? found : undefined
}

/**
 * Decides a login and counts the use of its secret ID in one commit, so that two logins cannot share its last use.
 */
const judge = async (place: Sited, { roleId, secretId: text = '', address }: LoginInput) => {
  const { core } = place
  const now = await core.fresh()
  const name = approleRoleIds.get(now, place.mount.id, roleId)?.value.name
  const role = name === undefined ? undefined : approleRoles.get(now, place.mount.id, name)?.value.role
  // A missing role takes as much time as a wrong secret ID.
  const digest = digestOf(core, role ?? { incarnation: '' }, text)
  if (role === undefined) return approleRefused()
  const stored = approleSecretIds.get(now, place.mount.id, role.incarnation, digest)?.value.secretId
  const judged = loginWithApprole(stored, { role, address }, core.env())
  if (!judged.ok || judged.state === stored) return judged
  return changeAt(place, (tx, env) => {
    const known = tx.get(approleSecretIds, place.mount.id, role.incarnation, digest)?.value.secretId
    const verdict = loginWithApprole(known, { role, address }, env)
    if (!verdict.ok || known === undefined) return verdict
    const at = { mount: place.mount.id, role: role.incarnation }
    if (verdict.state === undefined) deleteSecretId(tx, at, known)
    else if (verdict.state !== known) putSecretId(tx, at, verdict.state)
    return done(verdict.value)
  })
}

/** Creates or changes a role; `existing` refuses to create one. */
function write(at: Sited, name: string, input: RoleInput, existing: boolean) {
  const drawnRoleId = uuidOf(at.core.crypto.randomBytes)
  return changeAt(at, (tx, env) => {
    const before = roleIn(tx, at, name)
    if (existing && before === undefined) return roleUnknown(name)
    const written = writeApproleRole(before, { ...input, name, drawnRoleId }, env)
    if (!written.ok) return written
    const { state: role } = written
    const mount = at.mount.id
    const holder = tx.get(approleRoleIds, mount, role.roleId)?.value.name
    if (holder !== undefined && holder !== role.name)
      return refuse('approle_role_invalid', 'role_id is already in use by another role')
    if (before && before.roleId !== role.roleId) tx.delete(approleRoleIds, mount, before.roleId)
    if (holder === undefined) tx.put(approleRoleIds, { mount, roleId: role.roleId, name: role.name })
    tx.put(approleRoles, { mount, role })
    return written
  })
}

const writeRefusals = [
  'mount_gone',
  'approle_role_invalid',
  'approle_role_unknown',
  'token_settings_invalid',
] as const

/** The operations that have no typed method. */
export const approleRouteOperations = {
  /** Changes an existing role. */
  changeRole: routeOperation({
    refuses: writeRefusals,
    run: (at: Sited, name: string, input: RoleInput) => write(at, name, input, true),
  }),
  findSecretId: routeOperation({
    refuses: ['approle_role_unknown', 'approle_accessor_unknown'],
    run: async (at: Sited, name: string, by: SecretIdName) => {
      const role = await roleNow(at, name)
      if (role === undefined) return roleUnknown(name)
      const secretId = await find(at, role, by)
      return secretId === undefined ? unknownName(by) : found<ApproleSecretId | undefined>(secretId)
    },
  }),
  destroySecretId: routeOperation({
    refuses: ['mount_gone', 'approle_role_unknown', 'approle_accessor_unknown'],
    run: async (at: Sited, name: string, by: SecretIdName) => {
      const destroyed = await destroy(at, name, by)
      if (!destroyed.ok) return destroyed
      return destroyed.value ? found(undefined) : unknownName(by)
    },
  }),
}

/** Destroys a secret ID; false when there is none. */
async function destroy(at: Sited, name: string, by: SecretIdName) {
  const role = await roleNow(at, name)
  if (role === undefined) return roleUnknown(name)
  const named = await find(at, role, by)
  return changeAt(at, (tx) => {
    const within = { mount: at.mount.id, role: role.incarnation }
    const known = named && tx.get(approleSecretIds, within.mount, within.role, named.digest)?.value.secretId
    if (known) deleteSecretId(tx, within, known)
    return done(known !== undefined)
  })
}

/** An unknown accessor is refused; an unknown secret ID gets an empty answer. */
const unknownName = (by: SecretIdName) =>
  'accessor' in by
    ? refuse(
        'approle_accessor_unknown',
        `failed to find accessor entry for secret_id_accessor: ${JSON.stringify(by.accessor)}`,
      )
    : found(undefined)

/** The operations on an AppRole method. */
export const approleOperations = {
  /** The names of all roles, sorted. */
  listRoles: operation({
    takes: [],
    refuses: [],
    run: async ({ core, mount }: Sited) =>
      found(approleRoles.list(await core.fresh(), mount.id).map(({ value }) => value.role.name)),
  }),
  /** A role with its role ID; `undefined` for none. */
  readRole: operation({
    takes: [name],
    refuses: [],
    run: async (at: Sited, name: string) => found(await roleNow(at, name)),
  }),
  /** Creates or changes a role. */
  writeRole: operation({
    takes: [name, role],
    refuses: writeRefusals,
    run: (at: Sited, name: string, input: RoleInput) => write(at, name, input, false),
  }),
  /** Deletes a role with its secret IDs; false if it does not exist. */
  deleteRole: operation({
    takes: [name],
    refuses: ['mount_gone'],
    run: async (at: Sited, name: string) => {
      const result = await changeAt(at, (tx, env) => {
        const role = roleIn(tx, at, name)
        if (role === undefined) return done(false)
        const mount = at.mount.id
        tx.delete(approleRoles, mount, role.name)
        tx.delete(approleRoleIds, mount, role.roleId)
        const prefixes = [approleSecretIds, approleAccessors].map((kept) =>
          prefixOf(kept.name, mount, role.incarnation),
        )
        tx.put(debris, { id: env.newId('debris'), prefixes })
        return done(true)
      })
      at.core.sweeper.at(at.core.env().now)
      return result
    },
  }),
  /** Generates a secret ID of a role: its text is returned once and not stored. */
  makeSecretId: operation({
    takes: [name, secretId],
    refuses: [
      'mount_gone',
      'approle_role_unknown',
      'approle_secret_id_unused',
      'approle_secret_id_invalid',
      'approle_secret_id_taken',
    ],
    run: async (at: Sited, name: string, { text, ...input }: SecretIdInput = {}) => {
      const { core, mount } = at
      const role = await roleNow(at, name)
      if (role === undefined) return roleUnknown(name)
      const drawn = text ?? uuidOf(core.crypto.randomBytes)
      const names = { digest: digestOf(core, role, drawn), accessor: uuidOf(core.crypto.randomBytes) }
      const { maxTtlSeconds } = leaseTimesOf(mount, core.mountPolicy)
      const made = await changeAt(at, (tx, env) => {
        const present = roleIn(tx, at, name)
        if (present?.incarnation !== role.incarnation) return roleUnknown(name)
        const within = { mount: mount.id, role: role.incarnation }
        const holder = tx.get(approleSecretIds, within.mount, within.role, names.digest)?.value.secretId
        if (holder !== undefined && secretIdStatus(holder, env.now) === 'active')
          return refuse('approle_secret_id_taken', 'SecretID is already registered')
        if (holder !== undefined) deleteSecretId(tx, within, holder)
        const outcome = makeApproleSecretId(undefined, { ...input, ...names }, env, {
          role: present,
          maxTtlSeconds,
        })
        if (!outcome.ok) return outcome
        putSecretId(tx, within, outcome.state)
        const { accessor, numUses, ttlSeconds, expiresAt } = outcome.state
        return { ...outcome, value: { secretId: drawn, accessor, numUses, ttlSeconds, expiresAt } }
      })
      const expiresAt = made.ok ? made.value.expiresAt : null
      if (expiresAt !== null) core.sweeper.at(expiresAt)
      return made
    },
  }),
  /** The accessors of a role's living secret IDs, sorted. */
  secretIdAccessors: operation({
    takes: [name],
    refuses: ['approle_role_unknown'],
    run: async (at: Sited, name: string) => {
      const role = await roleNow(at, name)
      if (role === undefined) return roleUnknown(name)
      const { now } = at.core.env()
      return found(
        approleSecretIds
          .list(await at.core.fresh(), at.mount.id, role.incarnation)
          .map(({ value }) => value.secretId)
          .filter((secretId) => secretIdStatus(secretId, now) === 'active')
          .map(({ accessor }) => accessor)
          .sort(),
      )
    },
  }),
  /** Destroys a secret ID by its accessor; false if it does not exist. */
  destroySecretId: operation({
    takes: [name, accessor],
    refuses: ['mount_gone', 'approle_role_unknown'],
    run: (at: Sited, name: string, accessor: string) => destroy(at, name, { accessor }),
  }),
  login: operation({
    takes: [login],
    refuses: [
      'mount_gone',
      'permission_denied',
      'approle_refused',
      'approle_address_refused',
      'login_root',
      'policy_internal',
      'past_max_ttl',
    ],
    run: async (at: Sited, input: LoginInput) => {
      // A role ID is not secret, so any caller that knows it could lock its machines out: only if the mount enables it.
      const counts = at.mount.userLockout !== undefined && !lockoutSettingsOf(at.mount).disabled
      const isLocked = counts && lockoutOf(at, input.roleId).status === 'locked'
      const verdict = isLocked ? approleRefused() : await judge(at, input)
      if (counts && (verdict.ok || verdict.refusal.code === 'approle_refused'))
        countLogin(at, input.roleId, verdict.ok)
      const result = verdict.ok
        ? await giveToken(at, {
            path: `${at.mount.path}login`,
            user: verdict.value.role.name,
            alias: verdict.value.role.roleId,
            displayName: at.mount.path.slice('auth/'.length),
            meta: { ...verdict.value.metadata, role_name: verdict.value.role.name },
            policies: [],
            groups: [],
            settings: verdict.value.settings,
          })
        : verdict
      emitAt(
        at,
        result.ok && verdict.ok
          ? { type: 'approle.logged_in', role: verdict.value.role.name }
          : { type: 'approle.login_refused', reason: result.ok ? '' : result.refusal.code },
      )
      return result
    },
  }),
}

/** The operations as typed methods. */
export const approleMethods = {
  ...approleOperations,
  /**
   * Logs a machine in.
   *
   * @example
   * ```ts
   * import { unwrap } from 'plinth'
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.mounts.enable({ path: 'auth/approle/', type: 'approle' })
   * const roles = service.approle()
   * await roles.writeRole('ci', { roleId: 'ci-runner', secretIdNumUses: 1, tokens: { policies: ['deploy'] } })
   * const { secretId } = unwrap(await roles.makeSecretId('ci'))
   * const login = await roles.login({ roleId: 'ci-runner', secretId })
   * login.ok && login.value.policies // ['default', 'deploy']
   * const again = await roles.login({ roleId: 'ci-runner', secretId })
   * again.ok || again.refusal.message // 'invalid role or secret ID'
   * await service.close()
   * ```
   */
  login: showing(approleOperations.login, tokenMade),
}

/** An AppRole method, for programs that embed the service. */
export interface ApproleHandle extends SecretsMethods<typeof approleMethods, 'mount_gone'> {}
