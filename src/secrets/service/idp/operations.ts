import * as z from 'zod'
import type { Refused } from '../../../kernel/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { asRead, fields } from '../../../operation/known-fields.ts'
import { type MethodsOf, operation } from '../../../operation/operation.ts'
import type { IdpConfigInput } from '../../idp/index.ts'
import { IdpConfig, IdpUser } from '../../idp/model.ts'
import { found } from '../core/answer.ts'
import { isTexts, named, text } from '../core/arguments.ts'
import type { Sited } from '../core/context.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { authMountAt } from '../core/mount-of-type.ts'
import type { Services } from '../services.ts'
import { tokenMade } from '../tokens/operations.ts'
import { tokenSettings } from '../tokens/settings-argument.ts'

/** The groups and policies of a user; an omitted list is emptied. */
interface UserInput {
  readonly groups?: readonly string[] | undefined
  readonly policies?: readonly string[] | undefined
}

interface LoginInput {
  readonly username: string
  readonly password: string
  /** A passcode of an authenticator app. */
  readonly passcode?: string
  /** The factor provider of the passcode: `GOOGLE`, or the method's own name. */
  readonly provider?: string
  readonly nonce?: string
  /** The client's IP address, if the method is bound to networks. */
  readonly address?: string
  readonly signal?: AbortSignal
}

const username = named('username')
const groupName = named('name')
const config = argument<IdpConfigInput>(
  'input',
  fields(
    IdpConfig.extend({
      tokens: tokenSettings,
    }).partial().shape,
  ),
)
const user = argument<UserInput>(
  'input',
  fields({ ...asRead(IdpUser), ...IdpUser.omit({ username: true }).partial().shape }),
)
const login = argument<LoginInput>(
  'input',
  fields({
    ...z
      .object({ passcode: z.string(), provider: z.string(), nonce: z.string(), address: z.string() })
      .extend({ signal: z.instanceof(AbortSignal) })
      .partial().shape,
    username: z.string(),
    password: z.string(),
  }),
)

/** The operations on a mounted identity-provider method. */
export const idpOperations = {
  /** The configuration of the method, without its secret; `undefined` before it is configured. */
  readConfig: operation({
    takes: [],
    refuses: [],
    run: async (at: Sited) => {
      const config = await at.services.idp.readConfig(at)
      if (config === undefined) return found(undefined)
      const { apiToken: _never, ...shown } = config
      return found(shown)
    },
  }),
  /** Configures the method; omitted fields keep their values. Returns warnings. */
  configure: operation({
    takes: [config],
    refuses: ['mount_gone', 'idp_org_missing', 'idp_base_url_invalid', 'token_settings_invalid'],
    run: (at: Sited, input: IdpConfigInput) => at.services.idp.writeConfig(at, input),
  }),
  /** Reads the settings of a user; `undefined` if there are none. */
  readUser: operation({
    takes: [username],
    refuses: [],
    run: async (at: Sited, username: string) => found(await at.services.idp.readUser(at, username)),
  }),
  /** Writes the groups and policies of a user, replacing the previous ones. */
  writeUser: operation({
    takes: [username, user],
    refuses: ['mount_gone', 'idp_name_invalid'],
    run: (at: Sited, username: string, input: UserInput) =>
      at.services.idp.writeUser(at, { ...input, username }),
  }),
  /** Reads the settings of a group; `undefined` if there are none. */
  readGroup: operation({
    takes: [groupName],
    refuses: [],
    run: async (at: Sited, name: string) => found(await at.services.idp.readGroup(at, name)),
  }),
  /** Writes the policies of a group, replacing the previous ones. */
  writeGroup: operation({
    takes: [groupName, argument<readonly string[]>('policies', isTexts)],
    refuses: ['mount_gone', 'idp_name_invalid'],
    run: (at: Sited, name: string, policies: readonly string[]) =>
      at.services.idp.writeGroup(at, { name, policies }),
  }),
  /**
   * Logs a user in. While the user has to choose a number, {@link IdpHandle.answerOf} returns it.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   * import { scriptedProvider } from 'plinth/testing'
   *
   * const idpProvider = scriptedProvider({ users: { ada: { password: 'hunter2', groups: ['dev'] } } })
   * const { service } = await devSecrets({ idpProvider })
   * await service.idp().configure({ orgName: 'acme', apiToken: 'any' })
   * await service.idp().writeGroup('dev', ['developers'])
   * const login = await service.idp().login({ username: 'ada', password: 'hunter2' })
   * login.ok && login.value.policies // ['default', 'developers']
   * await service.close()
   * ```
   */
  login: operation({
    takes: [login],
    refuses: [
      'mount_gone',
      'permission_denied',
      'idp_not_configured',
      'idp_provider_unknown',
      'idp_refused',
      'idp_enrollment',
      'idp_factor_missing',
      'idp_passcode_missing',
      'idp_nonce_missing',
      'idp_factor_denied',
      'idp_factor_timeout',
      'idp_unavailable',
      'login_root',
      'policy_internal',
      'past_max_ttl',
    ],
    run: async (
      at: Sited,
      { username, password, passcode = '', provider = '', nonce = '', address, signal }: LoginInput,
    ) => {
      const result = await at.services.idp.login(at, {
        username,
        password,
        passcode,
        provider,
        nonce,
        address,
        path: `${at.mount.path}login/${username}`,
        signal: signal ?? new AbortController().signal,
      })
      return result.ok ? found(tokenMade(result.value)) : result
    },
  }),
}

/** The state of a login in progress at an identity-provider method, if it is mounted and the service is unsealed. */
export const loginOperations = {
  /** The number that the login with this nonce asks to choose, while it is in progress. */
  answerOf: operation({
    takes: [text('nonce')],
    refuses: [],
    run: async (find: () => Promise<Sited | Refused<string>>, nonce: string) => {
      const at = await find()
      return 'ok' in at ? undefined : at.services.idp.answerOf(at, nonce)
    },
  }),
}

/** An identity-provider method, for programs that embed the service. */
export interface IdpHandle
  extends SecretsMethods<typeof idpOperations, 'mount_gone'>,
    MethodsOf<typeof loginOperations> {}

/** The identity-provider method at a path, `auth/` included or not. */
export const idpMountAt = (services: Services, mount: string): Promise<Sited | Refused<'mount_gone'>> =>
  authMountAt(services, mount, services.core.idpWords, 'identity-provider')
