import { longestPassword } from '../../../crypto/index.ts'
import { type Answer, type Refused, refuse } from '../../../kernel/index.ts'
import { lockoutSettingsOf } from '../../lockout/settings.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import type { RenewPolicy, Token, TokenSettingsInput } from '../../tokens/index.ts'
import { judgeUserpassLogin, userpassRefused, userpassRenewalProblem } from '../../userpass/login.ts'
import { userpassName, writeUserpassUser } from '../../userpass/write-user.ts'
import { atMount } from '../core/at-mount.ts'
import type { Core, Namespace, Place } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountById } from '../core/mount-by-id.ts'
import type { TokenGiver } from '../logins/give-token.ts'
import type { Lockouts } from '../logins/lockouts.ts'
import type { Issued } from '../tokens/issuing.ts'
import { passwordCheck } from './password-check.ts'
import { userpassUsers } from './records.ts'

/** Why a login with a user name and a password was refused. */
export type UserpassFailure =
  | 'userpass_refused'
  | 'userpass_busy'
  | 'permission_denied'
  | 'login_root'
  | 'policy_internal'
  | 'past_max_ttl'
  | 'mount_gone'

/** The maximum number of remembered names that logged in. */
const welcomed = 10_000

/** The credentials of a login. */
interface LoginInput {
  readonly username: string
  readonly password: string
  /** The client's address, if known. */
  readonly address: string | undefined
  /** The request path, which is stored with the token. */
  readonly path: string
}

/** The userpass methods of a service, shared by all of its userpass mounts. */
export type UserpassService = ReturnType<typeof userpassService>

export function userpassService(core: Core, give: TokenGiver, locks: Lockouts) {
  const { change, emit } = atMount(core)
  const matches = passwordCheck(core.crypto)
  /** Names that logged in from an address, the latest last. */
  const welcome = new Set<string>()
  const userNow = async ({ mount }: Place, name: string) =>
    userpassUsers.get(await core.fresh(), mount.id, userpassName(name))?.value.user

  /** Checks a password, and counts the result. */
  const judge = async (place: Place, { username, password, address }: LoginInput) => {
    const name = userpassName(username)
    const isOpen = () => locks.of(place.mount, name).status !== 'locked'
    if (!isOpen()) return userpassRefused()
    const user = await userNow(place, name)
    // A name that logged in from this address before is not queued behind guesses at other names from there.
    const own = `${address ?? ''} ${place.mount.id} ${name}`
    const checked = matches(user, password, welcome.has(own) ? own : (address ?? name), isOpen)
    if (checked === undefined)
      return refuse('userpass_busy', 'too many logins in progress: try again', {
        headers: { 'retry-after': '1' },
      })
    const right = await checked
    // It may have been changed while its password was checked.
    const same = (await userNow(place, name))?.passwordHash === user?.passwordHash
    const verdict = judgeUserpassLogin(user, { matches: right && same, address }, core.env(), {
      lockout: locks.of(place.mount, name),
      settings: lockoutSettingsOf(place.mount),
    })
    if (verdict.ok || verdict.refusal.code === 'userpass_refused') locks.record(place, name, verdict.ok)
    if (verdict.ok) {
      welcome.delete(own)
      welcome.add(own)
      const [oldest] = welcome
      if (welcome.size > welcomed && oldest !== undefined) welcome.delete(oldest)
    }
    return verdict
  }

  return {
    list: async ({ mount }: Place): Promise<readonly string[]> =>
      userpassUsers.list(await core.fresh(), mount.id).map(({ value }) => value.user.username),
    read: userNow,
    /** Creates or changes a user; `existing` refuses to create one. */
    write: async (
      place: Place,
      {
        username,
        password,
        tokens,
        existing = false,
      }: {
        readonly username: string
        readonly password?: string | undefined
        readonly tokens?: TokenSettingsInput | undefined
        readonly existing?: boolean
      },
    ) => {
      if (password !== undefined && password.length > longestPassword)
        return refuse('userpass_password_invalid', `a password has at most ${longestPassword} characters`)
      const passwordHash = password ? await core.crypto.hashPassword(password) : undefined
      return change(place, (tx, env) => {
        const before = tx.get(userpassUsers, place.mount.id, userpassName(username))?.value.user
        if (existing && before === undefined)
          return refuse('userpass_user_unknown', 'username does not exist')
        const written = writeUserpassUser(before, { username, passwordHash, tokens }, env)
        if (written.ok) tx.put(userpassUsers, { mount: place.mount.id, user: written.state })
        return written
      })
    },
    delete: (place: Place, name: string) =>
      change(place, (tx) => done(tx.delete(userpassUsers, place.mount.id, userpassName(name)))),
    login: async (place: Place, input: LoginInput): Promise<Answer<Issued, UserpassFailure>> => {
      const verdict = await judge(place, input)
      const name = userpassName(input.username)
      const result = verdict.ok
        ? await give(place, {
            path: input.path,
            user: name,
            alias: name,
            displayName: `${place.mount.path.slice('auth/'.length)}${name}`,
            meta: { username: name },
            policies: [],
            groups: [],
            settings: verdict.value.tokens,
          })
        : verdict
      emit(
        place,
        result.ok
          ? { type: 'userpass.logged_in', username: name }
          : { type: 'userpass.login_refused', username: name, reason: result.refusal.code },
      )
      return result
    },
    /** The settings for the renewal of a login's token. */
    renewal: async (
      token: Token,
      namespace: Namespace,
      { mount: id, user: name }: NonNullable<Token['login']>,
    ): Promise<RenewPolicy | Refused<'login_user_gone' | 'login_policies_changed'>> => {
      const now = await core.fresh()
      const user = userpassUsers.get(now, id, name)?.value.user
      const problem = userpassRenewalProblem(user, token)
      if (problem) return problem
      const mount = mountById(now, namespace, id)
      return { ...leaseTimesOf(mount ?? core.mountPolicy, core.mountPolicy), settings: user?.tokens }
    },
  }
}
