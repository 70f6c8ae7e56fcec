import * as z from 'zod'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import type { TokenSettingsInput } from '../../tokens/index.ts'
import type { UserpassUser } from '../../userpass/model.ts'
import { found } from '../core/answer.ts'
import { named } from '../core/arguments.ts'
import type { Sited } from '../core/context.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { tokenMade } from '../tokens/operations.ts'
import { tokenSettings } from '../tokens/settings-argument.ts'

/** The fields of a user; omitted fields stay unchanged. */
interface UserInput {
  /** Required for a new user. */
  readonly password?: string | undefined
  readonly tokens?: TokenSettingsInput | undefined
}

interface LoginInput {
  readonly username: string
  readonly password: string
  /** The client's IP address, if the user is bound to networks. */
  readonly address?: string | undefined
}

const username = named('username')
const user = argument<UserInput>(
  'input',
  fields(z.object({ password: z.string(), tokens: tokenSettings }).partial().shape),
)
const login = argument<LoginInput>(
  'input',
  fields({ username: z.string(), password: z.string(), address: z.string().optional() }),
)

/** The readable fields of a user: all but the hash of the password. */
const shown = ({ passwordHash: _never, ...user }: UserpassUser) => user

/** The operations on a userpass method. */
export const userpassOperations = {
  /** The names of all users, sorted. */
  listUsers: operation({
    takes: [],
    refuses: [],
    run: async (at: Sited) => found(await at.services.userpass.list(at)),
  }),
  /** A user, without its password; `undefined` for none. */
  readUser: operation({
    takes: [username],
    refuses: [],
    run: async (at: Sited, username: string) => {
      const user = await at.services.userpass.read(at, username)
      return found(user && shown(user))
    },
  }),
  /** Creates or changes a user. */
  writeUser: operation({
    takes: [username, user],
    refuses: [
      'mount_gone',
      'userpass_name_invalid',
      'userpass_password_missing',
      'userpass_password_invalid',
      'userpass_user_unknown',
      'token_settings_invalid',
    ],
    run: (at: Sited, username: string, input: UserInput) =>
      at.services.userpass.write(at, { ...input, username }),
  }),
  /** Deletes a user; false if it does not exist. */
  deleteUser: operation({
    takes: [username],
    refuses: ['mount_gone'],
    run: (at: Sited, username: string) => at.services.userpass.delete(at, username),
  }),
  /**
   * Logs a user in.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.mounts.enable({ path: 'auth/userpass/', type: 'userpass' })
   * await service.userpass().writeUser('ada', { password: 'correct horse', tokens: { policies: ['dev'] } })
   * const login = await service.userpass().login({ username: 'ada', password: 'correct horse' })
   * login.ok && login.value.policies // ['default', 'dev']
   * const wrong = await service.userpass().login({ username: 'ada', password: 'hunter2' })
   * wrong.ok || wrong.refusal.code // 'userpass_refused'
   * await service.close()
   * ```
   */
  login: operation({
    takes: [login],
    refuses: [
      'mount_gone',
      'permission_denied',
      'userpass_refused',
      'userpass_busy',
      'login_root',
      'policy_internal',
      'past_max_ttl',
    ],
    run: async (at: Sited, { username, password, address }: LoginInput) => {
      const path = `${at.mount.path}login/${username}`
      const result = await at.services.userpass.login(at, { username, password, address, path })
      return result.ok ? found(tokenMade(result.value)) : result
    },
  }),
}

/** A userpass method, for programs that embed the service. */
export interface UserpassHandle extends SecretsMethods<typeof userpassOperations, 'mount_gone'> {}
