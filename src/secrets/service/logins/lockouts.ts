import { type Lockout, lockoutNow, recordLogin } from '../../lockout/index.ts'
import { lockoutSettingsOf } from '../../lockout/settings.ts'
import type { Mount } from '../../mounts/index.ts'
import { atMount } from '../core/at-mount.ts'
import type { Core, Place } from '../core/core.ts'

/** The maximum number of names whose failed logins are counted; beyond it, the least recently used are dropped. */
const mostNames = 50_000

/** The failed logins of user names, counted by this process. */
export type Lockouts = ReturnType<typeof lockouts>

interface Counted {
  readonly mount: string
  readonly username: string
  readonly lockout: Lockout
}

export function lockouts(core: Core) {
  // Unknown names are counted like all others, so that an answer does not reveal which ones exist.
  const counted = new Map<string, Counted>()
  const { emit } = atMount(core)
  const keyOf = (mount: Mount, username: string) => `${mount.id}\n${username}`

  return {
    of: (mount: Mount, username: string): Lockout =>
      lockoutNow(counted.get(keyOf(mount, username))?.lockout, lockoutSettingsOf(mount), core.env().now),
    record: (place: Place, username: string, succeeded: boolean): void => {
      const { mount } = place
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
      for (const event of events) emit(place, event)
    },
    /** The locked names of a mount, sorted. */
    lockedAt: (mount: Mount): readonly string[] => {
      const settings = lockoutSettingsOf(mount)
      const { now } = core.env()
      return [...counted.values()]
        .filter((one) => one.mount === mount.id && lockoutNow(one.lockout, settings, now).status === 'locked')
        .map(({ username }) => username)
        .sort()
    },
    /** Unlocks a name; one that is not locked is not an error. */
    unlock: (place: Place, username: string): void => {
      if (counted.delete(keyOf(place.mount, username))) emit(place, { type: 'lockout.unlocked', username })
    },
  }
}
