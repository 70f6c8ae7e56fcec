import { type Lockout, lockoutNow, recordLogin } from '../../lockout/index.ts'
import { lockoutSettingsOf } from '../../lockout/settings.ts'
import type { Mount } from '../../mounts/index.ts'
import { emitAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import { type Core, stateOf } from '../core/core.ts'

/** The maximum number of names whose failed logins are counted; beyond it, the least recently used are dropped. */
const mostNames = 50_000

interface Counted {
  readonly mount: string
  readonly username: string
  readonly lockout: Lockout
}

/**
 * The failed logins of user names, counted by this process. Unknown names are counted like all others, so that an
 * answer does not reveal which ones exist.
 */
const countedBy = stateOf(() => new Map<string, Counted>())

const keyOf = (mount: Mount, username: string) => `${mount.id}\n${username}`

export const lockoutOf = ({ core, mount }: Sited, username: string): Lockout =>
  lockoutNow(countedBy(core).get(keyOf(mount, username))?.lockout, lockoutSettingsOf(mount), core.env().now)

/** Counts a login. */
export function countLogin(at: Sited, username: string, succeeded: boolean): void {
  const { core, mount } = at
  const counted = countedBy(core)
  const key = keyOf(mount, username)
  const { state, events } = recordLogin(
    counted.get(key)?.lockout,
    { username, succeeded },
    core.env(),
    lockoutSettingsOf(mount),
  )
  counted.delete(key)
  if (state.status !== 'open') counted.set(key, { mount: mount.id, username, lockout: state })
  const [oldest] = counted.keys()
  if (oldest !== undefined && counted.size > mostNames) counted.delete(oldest)
  for (const event of events) emitAt(at, event)
}

/** The locked names of a mount, sorted. */
export function lockedAt(core: Core, mount: Mount): readonly string[] {
  const settings = lockoutSettingsOf(mount)
  const { now } = core.env()
  return [...countedBy(core).values()]
    .filter((one) => one.mount === mount.id && lockoutNow(one.lockout, settings, now).status === 'locked')
    .map(({ username }) => username)
    .sort()
}

/** Unlocks a name; one that is not locked is not an error. */
export function unlock(at: Sited, username: string): void {
  if (countedBy(at.core).delete(keyOf(at.mount, username))) emitAt(at, { type: 'lockout.unlocked', username })
}
