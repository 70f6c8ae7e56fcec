import type { LockoutSettings } from './model.ts'

/**
 * The default {@link LockoutSettings}: five failed logins lock a name for 15 minutes.
 */
export const lockoutSettings: LockoutSettings = {
  threshold: 5,
  durationSeconds: 900,
  counterResetSeconds: 900,
  disabled: false,
}

/** The settings of an auth mount, with defaults for missing ones. */
export const lockoutSettingsOf = ({
  userLockout,
}: {
  readonly userLockout?:
    | { readonly [Field in keyof LockoutSettings]?: LockoutSettings[Field] | undefined }
    | undefined
}): LockoutSettings => ({
  threshold: userLockout?.threshold ?? lockoutSettings.threshold,
  durationSeconds: userLockout?.durationSeconds ?? lockoutSettings.durationSeconds,
  counterResetSeconds: userLockout?.counterResetSeconds ?? lockoutSettings.counterResetSeconds,
  disabled: userLockout?.disabled ?? lockoutSettings.disabled,
})
