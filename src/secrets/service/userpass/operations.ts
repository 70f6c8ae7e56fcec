import * as z from 'zod'
import { longestPassword } from '../../../crypto/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation, routeOperation, showing } from '../../../operation/operation.ts'
import type { TokenSettingsInput } from '../../tokens/index.ts'
import { userpassName, writeUserpassUser } from '../../userpass/write-user.ts'
import { named } from '../core/arguments.ts'
import { changeAt, emitAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { giveToken } from '../logins/give-token.ts'
import { membersOf } from '../logins/members.ts'
import { tokenMade } from '../tokens/operations.ts'
import { tokenSettings } from '../tokens/settings-argument.ts'
import { judge } from './judge.ts'
import { userpassUsers } from './records.ts'

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

const users = membersOf(userpassUsers, userpassName, ({ user }) => user)

/** Creates or changes a user; `existing` refuses to create one. */
async function write(at: Sited, username: string, { password, tokens }: UserInput, existing: boolean) {
  if (password !== undefined && password.length > longestPassword)
    return refuse('userpass_password_invalid', `a password has at most ${longestPassword} characters`)
  const passwordHash = password ? await at.core.crypto.hashPassword(password) : undefined
  return changeAt(at, (tx, env) => {
    const before = users.memberIn(tx, at, username)
    if (existing && before === undefined) return refuse('userpass_user_unknown', 'username does not exist')
    const written = writeUserpassUser(before, { username, passwordHash, tokens }, env)
    if (written.ok) tx.put(userpassUsers, { mount: at.mount.id, user: written.state })
    return written
  })
}

const writeRefusals = [
  'mount_gone',
  'userpass_name_invalid',
  'userpass_password_missing',
  'userpass_password_invalid',
  'userpass_user_unknown',
  'token_settings_invalid',
] as const

/** Changes an existing user. */
export const changeUser = routeOperation({
  refuses: writeRefusals,
  run: (at: Sited, username: string, input: UserInput) => write(at, username, input, true),
})

/** The operations on a userpass method. */
export const userpassOperations = {
  /**
   * The names of all users, sorted.
   *
   * @example await secrets.userpass().listUsers()
   */
  listUsers: users.list,
  readUser: users.read,
  /**
   * Creates or changes a user.
   *
   * @example await secrets.userpass().writeUser('ada', { password: 'correct horse' })
   */
  writeUser: operation({
    takes: [username, user],
    refuses: writeRefusals,
    run: (at: Sited, username: string, input: UserInput) => write(at, username, input, false),
  }),
  /**
   * Deletes a user; false if it does not exist.
   *
   * @example await secrets.userpass().deleteUser('ada')
   */
  deleteUser: users.delete,
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
    run: async (at: Sited, input: LoginInput) => {
      const verdict = await judge(at, input)
      const name = userpassName(input.username)
      const result = verdict.ok
        ? await giveToken(at, {
            path: `${at.mount.path}login/${input.username}`,
            user: name,
            alias: name,
            displayName: `${at.mount.path.slice('auth/'.length)}${name}`,
            meta: { username: name },
            policies: [],
            groups: [],
            settings: verdict.value.tokens,
          })
        : verdict
      emitAt(
        at,
        result.ok
          ? { type: 'userpass.logged_in', username: name }
          : { type: 'userpass.login_refused', username: name, reason: result.refusal.code },
      )
      return result
    },
  }),
}

/** The operations as typed methods. */
export const userpassMethods = {
  ...userpassOperations,
  /**
   * A user, without its password; `undefined` for none.
   *
   * @example await secrets.userpass().readUser('ada')
   */
  readUser: showing(userpassOperations.readUser, (user) => {
    if (user === undefined) return undefined
    const { passwordHash: _never, ...shown } = user
    return shown
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
  login: showing(userpassOperations.login, tokenMade),
}

/** A userpass method, for programs that embed the service. */
export interface UserpassHandle extends SecretsMethods<typeof userpassMethods, 'mount_gone'> {}
