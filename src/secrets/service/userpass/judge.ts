import { refuse } from '../../../kernel/index.ts'
import { lockoutSettingsOf } from '../../lockout/settings.ts'
import { judgeUserpassLogin, userpassRefused } from '../../userpass/login.ts'
import { userpassName } from '../../userpass/write-user.ts'
import type { Sited } from '../core/context.ts'
import { stateOf } from '../core/core.ts'
import { countLogin, lockoutOf } from '../logins/lockouts.ts'
import { passwordCheck } from './password-check.ts'
import { userpassUsers } from './records.ts'

/** The maximum number of remembered names that signed in. */
const mostKnown = 10_000

/** The credentials of a login. */
interface Credentials {
  readonly username: string
  readonly password: string
  /** The client's address, if known. */
  readonly address?: string | undefined
}

const loginsOf = stateOf((core) => ({
  matches: passwordCheck(core.crypto),
  /** Names that signed in from an address, the latest last. */
  known: new Set<string>(),
}))

const userNow = async ({ core, mount }: Sited, name: string) =>
  userpassUsers.get(await core.fresh(), mount.id, name)?.value.user

/** Checks a password, and counts the result. */
export async function judge(at: Sited, { username, password, address }: Credentials) {
  const { core, mount } = at
  const { matches, known } = loginsOf(core)
  const name = userpassName(username)
  const wasOpen = lockoutOf(at, name).status !== 'locked'
  // The password of a locked name is checked against none, which takes as long as any other check.
  const user = wasOpen ? await userNow(at, name) : undefined
  // A name that signed in from this address before is not queued behind guesses at other names from there.
  const own = `${address ?? ''} ${mount.id} ${name}`
  const checked = matches(user, password, known.has(own) ? own : (address ?? name))
  if (checked === undefined)
    return refuse('userpass_busy', 'too many logins in progress: try again', {
      headers: { 'retry-after': '1' },
    })
  const right = await checked
  if (!wasOpen) return userpassRefused()
  // It may have been changed while its password was checked.
  const same = (await userNow(at, name))?.passwordHash === user?.passwordHash
  const verdict = judgeUserpassLogin(user, { matches: right && same, address }, core.env(), {
    lockout: lockoutOf(at, name),
    settings: lockoutSettingsOf(mount),
  })
  if (verdict.ok || verdict.refusal.code === 'userpass_refused') countLogin(at, name, verdict.ok)
  if (verdict.ok) {
    known.delete(own)
    known.add(own)
    const [oldest] = known
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  }
  return verdict
}
