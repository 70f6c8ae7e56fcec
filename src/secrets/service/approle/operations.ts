import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation, routeOperation, showing } from '../../../operation/operation.ts'
import { prefixOf } from '../../../store/index.ts'
import type { ApproleRoleInput } from '../../approle/index.ts'
import { approleRefused, loginWithApprole } from '../../approle/login.ts'
import { writeApproleRole } from '../../approle/write-role.ts'
import { lockoutSettingsOf } from '../../lockout/settings.ts'
import { named, seconds, texts } from '../core/arguments.ts'
import { changeAt, emitAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
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
} from './records.ts'
import { digestOf, roles, roleUnknown, secretIdOperations } from './secret-ids.ts'
import { uuidOf } from './uuid.ts'

/** The fields of a role; omitted fields stay unchanged. */
export type RoleInput = Omit<ApproleRoleInput, 'name' | 'drawnRoleId'>

interface LoginInput {
  readonly roleId: string
  /** Omitted if the role requires none. */
  readonly secretId?: string | undefined
  /** The client's IP address, where role or secret ID are bound to networks. */
  readonly address?: string | undefined
}

const name = named('name')
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
const login = argument<LoginInput>(
  'input',
  fields({ roleId: z.string(), secretId: z.string().optional(), address: z.string().optional() }),
)

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
    const before = roles.memberIn(tx, at, name)
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

/** Changes an existing role. */
export const changeRole = routeOperation({
  refuses: writeRefusals,
  run: (at: Sited, name: string, input: RoleInput) => write(at, name, input, true),
})

/** The operations on an AppRole method. */
export const approleOperations = {
  /**
   * The names of all roles, sorted.
   *
   * @example await secrets.approle().listRoles()
   */
  listRoles: roles.list,
  /**
   * A role with its role ID; `undefined` for none.
   *
   * @example await secrets.approle().readRole('ci')
   */
  readRole: roles.read,
  /**
   * Creates or changes a role.
   *
   * @example await secrets.approle().writeRole('ci', { secretIdNumUses: 1, tokens: { policies: ['reader'] } })
   */
  writeRole: operation({
    takes: [name, role],
    refuses: writeRefusals,
    run: (at: Sited, name: string, input: RoleInput) => write(at, name, input, false),
  }),
  /**
   * Deletes a role with its secret IDs; false if it does not exist.
   *
   * @example await secrets.approle().deleteRole('ci')
   */
  deleteRole: operation({
    takes: [name],
    refuses: ['mount_gone'],
    run: async (at: Sited, name: string) => {
      const result = await changeAt(at, (tx, env) => {
        const role = roles.memberIn(tx, at, name)
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
  // Said here, because a spread loses the docstrings of another file in declarations.
  /**
   * Generates a secret ID of a role: its text is returned once and not stored.
   *
   * @example await secrets.approle().makeSecretId('ci', { ttlSeconds: 600 })
   */
  makeSecretId: secretIdOperations.makeSecretId,
  /**
   * The accessors of a role's living secret IDs, sorted.
   *
   * @example await secrets.approle().secretIdAccessors('ci')
   */
  secretIdAccessors: secretIdOperations.secretIdAccessors,
  /**
   * Destroys a secret ID by its accessor; false if it does not exist.
   *
   * @example await secrets.approle().destroySecretId('ci', accessor)
   */
  destroySecretId: secretIdOperations.destroySecretId,
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
