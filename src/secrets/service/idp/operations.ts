import * as z from 'zod'
import type { Refused } from '../../../kernel/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { asRead, fields } from '../../../operation/known-fields.ts'
import { type MethodsOf, operation, routeOperation, showing } from '../../../operation/operation.ts'
import type { IdpConfigInput } from '../../idp/index.ts'
import { IdpConfig, IdpUser } from '../../idp/model.ts'
import { writeIdpConfig } from '../../idp/write-config.ts'
import { groupName as canonicalGroup, writeIdpGroup, writeIdpUser } from '../../idp/write-user.ts'
import { found } from '../core/answer.ts'
import { isTexts, named, text } from '../core/arguments.ts'
import { changeAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { authMountAt } from '../core/find-mounts.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { tokenMade } from '../tokens/operations.ts'
import { tokenSettings } from '../tokens/settings-argument.ts'
import { login } from './login.ts'
import { loginFlows } from './login-flow.ts'
import { idpConfigs, idpGroups, idpUsers } from './records.ts'

/** The groups and policies of a user; an omitted list is emptied. */
interface UserInput {
  readonly groups?: readonly string[] | undefined
  readonly policies?: readonly string[] | undefined
}

interface LoginInput {
  readonly username: string
  readonly password: string
  /** A passcode of an authenticator app. */
  readonly passcode?: string | undefined
  /** The factor provider of the passcode: `GOOGLE`, or the method's own name. */
  readonly provider?: string | undefined
  readonly nonce?: string | undefined
  /** The client's IP address, if the method is bound to networks. */
  readonly address?: string | undefined
  readonly signal?: AbortSignal | undefined
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
const credentials = argument<LoginInput>(
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

const configNow = async ({ core, mount }: Sited) => idpConfigs.get(await core.fresh(), mount.id)?.value.config

/** The operations on a mounted identity-provider method. */
export const idpOperations = {
  readConfig: operation({
    takes: [],
    refuses: [],
    run: async (at: Sited) => found(await configNow(at)),
  }),
  /**
   * Configures the method; omitted fields keep their values. Returns warnings.
   *
   * @example await secrets.idp().configure({ orgName: 'acme', apiToken: 'of the provider' })
   */
  configure: operation({
    takes: [config],
    refuses: ['mount_gone', 'idp_org_missing', 'idp_base_url_invalid', 'token_settings_invalid'],
    run: (at: Sited, input: IdpConfigInput) =>
      changeAt(at, (tx, env) => {
        const before = tx.get(idpConfigs, at.mount.id)?.value.config
        const written = writeIdpConfig(before, input, env, { word: at.core.idpWords[0] })
        if (written.ok) tx.put(idpConfigs, { mount: at.mount.id, config: written.state })
        return written
      }),
  }),
  /**
   * Reads the settings of a user; `undefined` if there are none.
   *
   * @example await secrets.idp().readUser('ada')
   */
  readUser: operation({
    takes: [username],
    refuses: [],
    run: async ({ core, mount }: Sited, username: string) =>
      found(idpUsers.get(await core.fresh(), mount.id, username)?.value.user),
  }),
  /**
   * Writes the groups and policies of a user, replacing the previous ones.
   *
   * @example await secrets.idp().writeUser('ada', { groups: ['dev'], policies: ['reader'] })
   */
  writeUser: operation({
    takes: [username, user],
    refuses: ['mount_gone', 'idp_name_invalid'],
    run: (at: Sited, username: string, input: UserInput) =>
      changeAt(at, (tx, env) => {
        const before = tx.get(idpUsers, at.mount.id, username)?.value.user
        const written = writeIdpUser(before, { ...input, username }, env)
        if (written.ok) tx.put(idpUsers, { mount: at.mount.id, user: written.state })
        return written
      }),
  }),
  /**
   * Reads the settings of a group; `undefined` if there are none.
   *
   * @example await secrets.idp().readGroup('dev')
   */
  readGroup: operation({
    takes: [groupName],
    refuses: [],
    run: async ({ core, mount }: Sited, name: string) =>
      found(idpGroups.get(await core.fresh(), mount.id, canonicalGroup(name))?.value.group),
  }),
  /**
   * Writes the policies of a group, replacing the previous ones.
   *
   * @example await secrets.idp().writeGroup('dev', ['reader'])
   */
  writeGroup: operation({
    takes: [groupName, argument<readonly string[]>('policies', isTexts)],
    refuses: ['mount_gone', 'idp_name_invalid'],
    run: (at: Sited, name: string, policies: readonly string[]) =>
      changeAt(at, (tx, env) => {
        const before = tx.get(idpGroups, at.mount.id, canonicalGroup(name))?.value.group
        const written = writeIdpGroup(before, { name, policies }, env)
        if (written.ok) tx.put(idpGroups, { mount: at.mount.id, group: written.state })
        return written
      }),
  }),
  login: operation({
    takes: [credentials],
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
    run: (at: Sited, { passcode = '', provider = '', nonce = '', address, signal, ...who }: LoginInput) =>
      login(at, {
        ...who,
        passcode,
        provider,
        nonce,
        address,
        signal: signal ?? new AbortController().signal,
      }),
  }),
}

/** The operations that have no typed method. */
export const idpRouteOperations = {
  listUsers: routeOperation({
    refuses: [],
    run: async ({ core, mount }: Sited) =>
      found(idpUsers.list(await core.fresh(), mount.id).map(({ value }) => value.user.username)),
  }),
  deleteUser: routeOperation({
    refuses: ['mount_gone'],
    run: (at: Sited, username: string) =>
      changeAt(at, (tx) => done(tx.delete(idpUsers, at.mount.id, username))),
  }),
  listGroups: routeOperation({
    refuses: [],
    run: async ({ core, mount }: Sited) =>
      found(idpGroups.list(await core.fresh(), mount.id).map(({ value }) => value.group.name)),
  }),
  deleteGroup: routeOperation({
    refuses: ['mount_gone'],
    run: (at: Sited, name: string) =>
      changeAt(at, (tx) => done(tx.delete(idpGroups, at.mount.id, canonicalGroup(name)))),
  }),
  /** The number that the login with this nonce asks to choose, while it is in progress. */
  answerOf: routeOperation({
    refuses: [],
    run: async (at: Sited, nonce: string) =>
      found(
        answerOf(at, nonce) ??
          // Samples of the API also write `verify/nonce/<value>`.
          (nonce.startsWith('nonce/') ? answerOf(at, nonce.slice('nonce/'.length)) : undefined),
      ),
  }),
}

const answerOf = ({ core, mount }: Sited, nonce: string): number | undefined =>
  loginFlows(core).board.answerOf(`${mount.id}\n${nonce}`, core.env().now)

/** The state of a login in progress at an identity-provider method, if it is mounted and the service is unsealed. */
export const loginOperations = {
  /**
   * The number that the login with this nonce asks to choose, while it is in progress.
   *
   * @example await secrets.idp().answerOf('the nonce of the login')
   */
  answerOf: operation({
    takes: [text('nonce')],
    refuses: [],
    run: async (find: () => Promise<Sited | Refused<string>>, nonce: string) => {
      const at = await find()
      return 'ok' in at ? undefined : answerOf(at, nonce)
    },
  }),
}

/** The operations as typed methods. */
export const idpMethods = {
  ...idpOperations,
  /**
   * The configuration of the method, without its secret; `undefined` before it is configured.
   *
   * @example await secrets.idp().readConfig()
   */
  readConfig: showing(idpOperations.readConfig, (config) => {
    if (config === undefined) return undefined
    const { apiToken: _never, ...shown } = config
    return shown
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
  login: showing(idpOperations.login, tokenMade),
}

/** An identity-provider method, for programs that embed the service. */
export interface IdpHandle
  extends SecretsMethods<typeof idpMethods, 'mount_gone'>,
    MethodsOf<typeof loginOperations> {}

/** The identity-provider method at a path, `auth/` included or not. */
export const idpMountAt = (core: Core, mount: string): Promise<Sited | Refused<'mount_gone'>> =>
  authMountAt(core, mount, core.idpWords, 'identity-provider')
