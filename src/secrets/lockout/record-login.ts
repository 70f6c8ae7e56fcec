import { checkInput } from '../../kernel/check-input.ts'
import { type Env, nextStatus, type Step } from '../../kernel/index.ts'
import { type LockoutVerb, lockoutLifecycle } from './lifecycle.ts'
import type { Lockout, LockoutEvent, LockoutSettings } from './model.ts'
import { lockoutSettings } from './settings.ts'

const open: Lockout = { status: 'open', failures: 0, failedAt: 0 }

/**
 * The current lockout: time alone ends a lock, or resets the count.
 *
 * @example
 * ```ts
 * import { lockoutNow, lockoutSettings } from 'plinth/userpass'
 *
 * const locked = { status: 'locked', failures: 5, failedAt: 0 } as const
 * lockoutNow(locked, lockoutSettings, 899_999).status // 'locked'
 * lockoutNow(locked, lockoutSettings, 900_000).status // 'open'
 * ```
 */
export function lockoutNow(lockout: Lockout | undefined, settings: LockoutSettings, now: number): Lockout {
  if (lockout === undefined || settings.disabled) return open
  const sinceMs = now - lockout.failedAt
  switch (lockout.status) {
    case 'open':
      return open
    case 'counting':
      return sinceMs < settings.counterResetSeconds * 1000 ? lockout : moved(lockout, 'forget', open)
    case 'locked':
      return sinceMs < settings.durationSeconds * 1000 ? lockout : moved(lockout, 'expire', open)
    default:
      return lockout.status satisfies never
  }
}

/**
 * Counts the result of a login of a user name. A login of a locked name does not count.
 *
 * @returns whether the name is locked now; the event reports that it just became locked
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { lockoutSettings, recordLogin } from 'plinth/userpass'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const failed = { username: 'ada', succeeded: false }
 * const settings = { ...lockoutSettings, threshold: 2 }
 * const once = unwrapStep(recordLogin(undefined, failed, env, settings))
 * once.value // false
 * unwrapStep(recordLogin(once.state, failed, env, settings)).value // true
 * ```
 */
export function recordLogin(
  lockout: Lockout | undefined,
  input: { readonly username: string; readonly succeeded: boolean },
  env: Env,
  settings: LockoutSettings = lockoutSettings,
): Step<Lockout, boolean, LockoutEvent> {
  checkInput(input, { username: '', succeeded: false }, {}, env)
  const present = lockoutNow(lockout, settings, env.now)
  const stays = (state: Lockout): Step<Lockout, boolean, LockoutEvent> => ({
    ok: true,
    state,
    value: state.status === 'locked',
    events: [],
  })
  if (present.status === 'locked' || settings.disabled) return stays(present)
  if (input.succeeded) return stays(moved(present, 'succeed', open))
  const failures = present.failures + 1
  const counted = { failures, failedAt: env.now }
  if (failures < settings.threshold) return stays(moved(present, 'fail', counted))
  return {
    ok: true,
    state: moved(present, 'lock', counted),
    value: true,
    events: [{ type: 'lockout.locked', username: input.username }],
  }
}

/** A lockout after a move of the table, with the counts that follow. */
function moved(
  from: Lockout,
  verb: LockoutVerb,
  { failures, failedAt }: Pick<Lockout, 'failures' | 'failedAt'>,
): Lockout {
  const status = nextStatus(lockoutLifecycle, from.status, verb)
  if (status === undefined) throw new Error(`a lockout that is ${from.status} does not ${verb}`)
  return { status, failures, failedAt }
}
