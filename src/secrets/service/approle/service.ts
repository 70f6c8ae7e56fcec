import { toHex } from '../../../crypto/index.ts'
import { type Answer, type Refused, refuse } from '../../../kernel/index.ts'
import { prefixOf, type Tx } from '../../../store/index.ts'
import { approleRefused, loginWithApprole, secretIdStatus } from '../../approle/login.ts'
import { type ApproleSecretIdInput, makeApproleSecretId } from '../../approle/make-secret-id.ts'
import type { ApproleRole, ApproleSecretId } from '../../approle/model.ts'
import { type ApproleRoleInput, approleName, writeApproleRole } from '../../approle/write-role.ts'
import { lockoutSettingsOf } from '../../lockout/settings.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import type { RenewPolicy, Token } from '../../tokens/index.ts'
import { atMount } from '../core/at-mount.ts'
import type { Core, Namespace, Place } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountById } from '../core/mount-by-id.ts'
import { debris } from '../core/records.ts'
import type { TokenGiver } from '../logins/give-token.ts'
import type { Lockouts } from '../logins/lockouts.ts'
import type { Issued } from '../tokens/issuing.ts'
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

/** Why a login with a role ID and a secret ID was refused. */
export type ApproleFailure =
  | 'approle_refused'
  | 'approle_address_refused'
  | 'permission_denied'
  | 'login_root'
  | 'policy_internal'
  | 'past_max_ttl'
  | 'mount_gone'

/** The credentials of a login. */
interface LoginInput {
  readonly roleId: string
  readonly secretId: string
  /** The client's address, if known. */
  readonly address: string | undefined
  /** The request path, which is stored with the token. */
  readonly path: string
}

/** A new secret ID: its text is returned only once. */
export interface MadeSecretId {
  readonly text: string
  readonly secretId: ApproleSecretId
}

/** How a secret ID is identified: by its text, or by its accessor. */
export type SecretIdName = { readonly secretId: string } | { readonly accessor: string }

type NewSecretId = Omit<ApproleSecretIdInput, 'digest' | 'accessor'> & {
  /** A text chosen by the caller; random by default. */
  readonly text?: string | undefined
}

/** The AppRole methods of a service, shared by all of its AppRole mounts. */
export type ApproleService = ReturnType<typeof approleService>

export function approleService(
  core: Core,
  give: TokenGiver,
  locks: Lockouts,
  sweepAt: (instant: number) => void,
) {
  const { change, emit } = atMount(core)
  const roleUnknown = (name: string) =>
    refuse('approle_role_unknown', `role ${JSON.stringify(name)} does not exist`)
  const roleIn = (tx: Tx, { mount }: Place, name: string) =>
    tx.get(approleRoles, mount.id, approleName(name))?.value.role
  const roleNow = async ({ mount }: Place, name: string) =>
    approleRoles.get(await core.fresh(), mount.id, approleName(name))?.value.role

  /** The stored digest of a secret ID, which finds it in one role only. */
  const digestOf = (role: Pick<ApproleRole, 'incarnation'>, text: string): string =>
    toHex(
      core.crypto.hmac(
        'sha256',
        core.barrier.enter().keyring.derive('approle'),
        `${role.incarnation}\n${text}`,
      ),
    )

  const find = async (
    place: Place,
    role: ApproleRole,
    name: SecretIdName,
  ): Promise<ApproleSecretId | undefined> => {
    const now = await core.fresh()
    const at = { mount: place.mount.id, role: role.incarnation }
    const found =
      'accessor' in name
        ? secretIdByAccessor(now, at, name.accessor)
        : approleSecretIds.get(now, at.mount, at.role, digestOf(role, name.secretId))?.value.secretId
    return found && secretIdStatus(found, core.env().now) === 'active' ? found : undefined
  }

  /**
   * Decides a login and counts the use of its secret ID in one commit, so that two logins cannot share its last use.
   */
  const judge = async (place: Place, { roleId, secretId: text, address }: LoginInput) => {
    const now = await core.fresh()
    const name = approleRoleIds.get(now, place.mount.id, roleId)?.value.name
    const role = name === undefined ? undefined : approleRoles.get(now, place.mount.id, name)?.value.role
    // A missing role takes as much time as a wrong secret ID.
    const digest = digestOf(role ?? { incarnation: '' }, text)
    if (role === undefined) return approleRefused()
    const stored = approleSecretIds.get(now, place.mount.id, role.incarnation, digest)?.value.secretId
    const judged = loginWithApprole(stored, { role, address }, core.env())
    if (!judged.ok || judged.state === stored) return judged
    return change(place, (tx, env) => {
      const known = tx.get(approleSecretIds, place.mount.id, role.incarnation, digest)?.value.secretId
      const verdict = loginWithApprole(known, { role, address }, env)
      if (!verdict.ok || known === undefined) return verdict
      const at = { mount: place.mount.id, role: role.incarnation }
      if (verdict.state === undefined) deleteSecretId(tx, at, known)
      else if (verdict.state !== known) putSecretId(tx, at, verdict.state)
      return done(verdict.value)
    })
  }

  return {
    list: async ({ mount }: Place): Promise<readonly string[]> =>
      approleRoles.list(await core.fresh(), mount.id).map(({ value }) => value.role.name),
    read: roleNow,
    /** Creates or changes a role; `existing` refuses to create one. */
    write: (
      place: Place,
      { existing = false, ...input }: Omit<ApproleRoleInput, 'drawnRoleId'> & { readonly existing?: boolean },
    ) => {
      const drawnRoleId = uuidOf(core.crypto.randomBytes)
      return change(place, (tx, env) => {
        const before = roleIn(tx, place, input.name)
        if (existing && before === undefined) return roleUnknown(input.name)
        const written = writeApproleRole(before, { ...input, drawnRoleId }, env)
        if (!written.ok) return written
        const { state: role } = written
        const mount = place.mount.id
        const holder = tx.get(approleRoleIds, mount, role.roleId)?.value.name
        if (holder !== undefined && holder !== role.name)
          return refuse('approle_role_invalid', 'role_id is already in use by another role')
        if (before && before.roleId !== role.roleId) tx.delete(approleRoleIds, mount, before.roleId)
        if (holder === undefined) tx.put(approleRoleIds, { mount, roleId: role.roleId, name: role.name })
        tx.put(approleRoles, { mount, role })
        return written
      })
    },
    /** Deletes a role with its secret IDs; a missing one is not an error. */
    delete: async (place: Place, name: string) => {
      const result = await change(place, (tx, env) => {
        const role = roleIn(tx, place, name)
        if (role === undefined) return done(false)
        const mount = place.mount.id
        tx.delete(approleRoles, mount, role.name)
        tx.delete(approleRoleIds, mount, role.roleId)
        const prefixes = [approleSecretIds, approleAccessors].map((kept) =>
          prefixOf(kept.name, mount, role.incarnation),
        )
        tx.put(debris, { id: env.newId('debris'), prefixes })
        return done(true)
      })
      sweepAt(core.env().now)
      return result
    },
    makeSecretId: async (place: Place, name: string, { text, ...input }: NewSecretId) => {
      const role = await roleNow(place, name)
      if (role === undefined) return roleUnknown(name)
      const drawn = text ?? uuidOf(core.crypto.randomBytes)
      const names = { digest: digestOf(role, drawn), accessor: uuidOf(core.crypto.randomBytes) }
      const { maxTtlSeconds } = leaseTimesOf(place.mount, core.mountPolicy)
      const made = await change(place, (tx, env) => {
        const present = roleIn(tx, place, name)
        if (present?.incarnation !== role.incarnation) return roleUnknown(name)
        const at = { mount: place.mount.id, role: role.incarnation }
        const holder = tx.get(approleSecretIds, at.mount, at.role, names.digest)?.value.secretId
        if (holder !== undefined && secretIdStatus(holder, env.now) === 'active')
          return refuse('approle_secret_id_taken', 'SecretID is already registered')
        if (holder !== undefined) deleteSecretId(tx, at, holder)
        const outcome = makeApproleSecretId(undefined, { ...input, ...names }, env, {
          role: present,
          maxTtlSeconds,
        })
        if (!outcome.ok) return outcome
        putSecretId(tx, at, outcome.state)
        return { ...outcome, value: { text: drawn, secretId: outcome.state } satisfies MadeSecretId }
      })
      const expiresAt = made.ok ? made.value.secretId.expiresAt : null
      if (expiresAt !== null) sweepAt(expiresAt)
      return made
    },
    /** The accessors of a role's living secret IDs, sorted. */
    accessors: async (
      place: Place,
      name: string,
    ): Promise<readonly string[] | Refused<'approle_role_unknown'>> => {
      const role = await roleNow(place, name)
      if (role === undefined) return roleUnknown(name)
      const { now } = core.env()
      return approleSecretIds
        .list(await core.fresh(), place.mount.id, role.incarnation)
        .map(({ value }) => value.secretId)
        .filter((secretId) => secretIdStatus(secretId, now) === 'active')
        .map(({ accessor }) => accessor)
        .sort()
    },
    find: async (
      place: Place,
      name: string,
      by: SecretIdName,
    ): Promise<Answer<ApproleSecretId | undefined, 'approle_role_unknown'>> => {
      const role = await roleNow(place, name)
      return role === undefined ? roleUnknown(name) : { ok: true, value: await find(place, role, by) }
    },
    /** Destroys a secret ID; false when there is none. */
    destroy: async (place: Place, name: string, by: SecretIdName) => {
      const role = await roleNow(place, name)
      if (role === undefined) return roleUnknown(name)
      const found = await find(place, role, by)
      return change(place, (tx) => {
        const at = { mount: place.mount.id, role: role.incarnation }
        const known = found && tx.get(approleSecretIds, at.mount, at.role, found.digest)?.value.secretId
        if (known) deleteSecretId(tx, at, known)
        return done(known !== undefined)
      })
    },
    login: async (place: Place, input: LoginInput): Promise<Answer<Issued, ApproleFailure>> => {
      // A role ID is not secret, so any caller that knows it could lock its machines out: only if the mount enables it.
      const counts = place.mount.userLockout !== undefined && !lockoutSettingsOf(place.mount).disabled
      const isLocked = counts && locks.of(place.mount, input.roleId).status === 'locked'
      const verdict = isLocked ? approleRefused() : await judge(place, input)
      if (counts && (verdict.ok || verdict.refusal.code === 'approle_refused'))
        locks.record(place, input.roleId, verdict.ok)
      const result = verdict.ok
        ? await give(place, {
            path: input.path,
            user: verdict.value.role.name,
            alias: verdict.value.role.roleId,
            displayName: place.mount.path.slice('auth/'.length),
            meta: { ...verdict.value.metadata, role_name: verdict.value.role.name },
            policies: [],
            groups: [],
            settings: verdict.value.settings,
          })
        : verdict
      emit(
        place,
        result.ok && verdict.ok
          ? { type: 'approle.logged_in', role: verdict.value.role.name }
          : { type: 'approle.login_refused', reason: result.ok ? '' : result.refusal.code },
      )
      return result
    },
    /** The settings for the renewal of a login's token. */
    renewal: async (
      _token: Token,
      namespace: Namespace,
      { mount: id, user: name }: NonNullable<Token['login']>,
    ): Promise<RenewPolicy | Refused<'login_user_gone'>> => {
      const now = await core.fresh()
      const role = approleRoles.get(now, id, name)?.value.role
      if (role === undefined)
        return refuse('login_user_gone', 'the role of this token no longer exists, not renewing')
      const mount = mountById(now, namespace, id)
      return { ...leaseTimesOf(mount ?? core.mountPolicy, core.mountPolicy), settings: role.tokens }
    },
  }
}
