import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextStatus, unwrapStep } from '../../../src/index.ts'
import {
  type Lockout,
  lockoutLifecycle,
  lockoutNow,
  lockoutSettings,
  recordLogin,
} from '../../../src/secrets/userpass/index.ts'

const at = (now: number) => ({ now, newId: () => 'id' })
const fail = { username: 'ada', succeeded: false }
const settings = { ...lockoutSettings, threshold: 3, durationSeconds: 60, counterResetSeconds: 30 }
const failedTimes = (times: number, now = 0): Lockout => {
  let lockout: Lockout = { status: 'open', failures: 0, failedAt: 0 }
  for (let count = 0; count < times; count += 1)
    lockout = unwrapStep(recordLogin(lockout, fail, at(now), settings)).state
  return lockout
}

describe('the lockout of a user name', () => {
  it('begins with as many failed logins in a row as the threshold says, and tells so once', () => {
    expect(failedTimes(2).status).toBe('counting')
    const third = recordLogin(failedTimes(2), fail, at(0), settings)
    expect(third).toMatchObject({ value: true, events: [{ type: 'lockout.locked', username: 'ada' }] })
    expect(recordLogin(third.state, fail, at(0), settings)).toMatchObject({ value: true, events: [] })
  })
  it('is not prolonged by logins while it lasts', () => {
    const locked = failedTimes(3)
    const later = recordLogin(locked, fail, at(59_000), settings).state
    expect(lockoutNow(later, settings, 60_000).status).toBe('open')
  })
  it('is forgotten with a login, and with time', () => {
    const once = recordLogin(failedTimes(2), { username: 'ada', succeeded: true }, at(0), settings).state
    expect(once).toEqual({ status: 'open', failures: 0, failedAt: 0 })
    expect(lockoutNow(failedTimes(2), settings, 29_999).status).toBe('counting')
    expect(lockoutNow(failedTimes(2), settings, 30_000).status).toBe('open')
  })
  it('does not end with a right password before its time', () => {
    const right = recordLogin(failedTimes(3), { username: 'ada', succeeded: true }, at(59_999), settings)
    expect(right.value).toBe(true)
  })
  it('never begins where it is disabled', () => {
    const off = { ...settings, disabled: true }
    expect(recordLogin(failedTimes(3), fail, at(0), off)).toMatchObject({ value: false })
  })
  it('follows its table for any events at any time', () => {
    const event = fc.record({ succeeded: fc.boolean(), waitMs: fc.integer({ min: 0, max: 70_000 }) })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let lockout: Lockout | undefined
        let now = 0
        for (const { succeeded, waitMs } of events) {
          now += waitMs
          const before = lockoutNow(lockout, settings, now)
          const { state } = recordLogin(lockout, { username: 'ada', succeeded }, at(now), settings)
          const reached = (['fail', 'lock', 'succeed'] as const).map((verb) =>
            nextStatus(lockoutLifecycle, before.status, verb),
          )
          expect(before.status === 'locked' ? ['locked'] : reached).toContain(state.status)
          expect(state.failures).toBeLessThanOrEqual(settings.threshold)
          expect(state.status === 'locked').toBe(state.failures === settings.threshold)
          lockout = state
        }
      }),
    )
  })
})
