import * as z from 'zod'
import { argument, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import type { ApproleRoleInput, ApproleSecretIdInput } from '../../approle/index.ts'
import { found } from '../core/answer.ts'
import { named, seconds, texts } from '../core/arguments.ts'
import type { Sited } from '../core/context.ts'
import { isRefused } from '../core/core.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { tokenMade } from '../tokens/operations.ts'
import { tokenSettings } from '../tokens/settings-argument.ts'

/** The fields of a role; omitted fields stay unchanged. */
type RoleInput = Omit<ApproleRoleInput, 'name' | 'drawnRoleId'>

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

/** The operations on an AppRole method. */
export const approleOperations = {
  /** The names of all roles, sorted. */
  listRoles: operation({
    takes: [],
    refuses: [],
    run: async (at: Sited) => found(await at.services.approle.list(at)),
  }),
  /** A role with its role ID; `undefined` for none. */
  readRole: operation({
    takes: [name],
    refuses: [],
    run: async (at: Sited, name: string) => found(await at.services.approle.read(at, name)),
  }),
  /** Creates or changes a role. */
  writeRole: operation({
    takes: [name, role],
    refuses: ['mount_gone', 'approle_role_invalid', 'approle_role_unknown', 'token_settings_invalid'],
    run: (at: Sited, name: string, input: RoleInput) => at.services.approle.write(at, { ...input, name }),
  }),
  /** Deletes a role with its secret IDs; false if it does not exist. */
  deleteRole: operation({
    takes: [name],
    refuses: ['mount_gone'],
    run: (at: Sited, name: string) => at.services.approle.delete(at, name),
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
    run: async (at: Sited, name: string, input: SecretIdInput = {}) => {
      const made = await at.services.approle.makeSecretId(at, name, input)
      if (!made.ok) return made
      const { text, secretId } = made.value
      const { accessor, numUses, ttlSeconds, expiresAt } = secretId
      return found({ secretId: text, accessor, numUses, ttlSeconds, expiresAt })
    },
  }),
  /** The accessors of a role's living secret IDs, sorted. */
  secretIdAccessors: operation({
    takes: [name],
    refuses: ['approle_role_unknown'],
    run: async (at: Sited, name: string) => {
      const accessors = await at.services.approle.accessors(at, name)
      return isRefused(accessors) ? accessors : found(accessors)
    },
  }),
  /** Destroys a secret ID by its accessor; false if it does not exist. */
  destroySecretId: operation({
    takes: [name, accessor],
    refuses: ['mount_gone', 'approle_role_unknown'],
    run: (at: Sited, name: string, accessor: string) => at.services.approle.destroy(at, name, { accessor }),
  }),
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
    run: async (at: Sited, { roleId, secretId = '', address }: LoginInput) => {
      const path = `${at.mount.path}login`
      const result = await at.services.approle.login(at, { roleId, secretId, address, path })
      return result.ok ? found(tokenMade(result.value)) : result
    },
  }),
}

/** An AppRole method, for programs that embed the service. */
export interface ApproleHandle extends SecretsMethods<typeof approleOperations, 'mount_gone'> {}
