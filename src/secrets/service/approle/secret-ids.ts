import * as z from 'zod'
import { toHex } from '../../../crypto/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { argument, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation, routeOperation } from '../../../operation/operation.ts'
import type { ApproleSecretIdInput } from '../../approle/index.ts'
import { secretIdStatus } from '../../approle/login.ts'
import { makeApproleSecretId } from '../../approle/make-secret-id.ts'
import type { ApproleRole, ApproleSecretId } from '../../approle/model.ts'
import { approleName } from '../../approle/write-role.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { found } from '../core/answer.ts'
import { named, seconds, texts } from '../core/arguments.ts'
import { changeAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { membersOf } from '../logins/members.ts'
import { approleRoles, approleSecretIds, deleteSecretId, putSecretId, secretIdByAccessor } from './records.ts'
import { uuidOf } from './uuid.ts'

/** The roles of a method. */
export const roles = membersOf(approleRoles, approleName, ({ role }) => role)
const { memberIn: roleIn, memberNow: roleNow } = roles

export const roleUnknown = (name: string) =>
  refuse('approle_role_unknown', `role ${JSON.stringify(name)} does not exist`)

/** The options of a new secret ID. */
export type SecretIdInput = Omit<ApproleSecretIdInput, 'digest' | 'accessor'> & {
  /** The text of the secret ID; random by default. */
  readonly text?: string | undefined
}

const name = named('name')
const accessor = named('accessor')
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
/** How a secret ID is identified: by its text, or by its accessor. */
export type SecretIdName = { readonly secretId: string } | { readonly accessor: string }

/** The stored digest of a secret ID, which finds it in one role only. */
export const digestOf = (core: Core, role: Pick<ApproleRole, 'incarnation'>, text: string): string =>
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

/** The operations on secret IDs that have no typed method. */
export const secretIdRouteOperations = {
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

/** The operations on the secret IDs of a role. */
export const secretIdOperations = {
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
  destroySecretId: operation({
    takes: [name, accessor],
    refuses: ['mount_gone', 'approle_role_unknown'],
    run: (at: Sited, name: string, accessor: string) => destroy(at, name, { accessor }),
  }),
}
