export { type LockoutStatus, type LockoutVerb, lockoutLifecycle } from './lifecycle.ts'
export type { Lockout, LockoutEvent, LockoutSettings } from './model.ts'
export { lockoutNow, recordLogin } from './record-login.ts'
export { lockoutSettings } from './settings.ts'
