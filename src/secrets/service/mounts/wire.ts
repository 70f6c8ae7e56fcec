import * as z from 'zod'
import { lockoutSettingsOf } from '../../lockout/settings.ts'
import type { Mount } from '../../mounts/index.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import {
  body,
  booleanField,
  integerField,
  listField,
  pairsField,
  secondsField,
  textField,
} from '../core/fields.ts'
import { enveloped, twice } from '../core/reply-shapes.ts'

const TokenTypeField = z
  .enum(['', 'default', 'default-service', 'default-batch', 'service', 'batch'])
  .nullish()
  .transform((type) => (type === 'default' ? 'default-service' : type || undefined))

const VisibilityField = z.enum(['', 'hidden', 'unauth']).nullish()

/** A lease time; `system` resets it to the system's, an empty string keeps it. */
const LeaseField = z.preprocess(
  (value) => (value === '' || value === null ? undefined : value),
  z
    .unknown()
    .meta({ type: ['integer', 'string'] })
    .transform((value, context): number | 'system' | undefined => {
      if (value === 'system') return value
      const read = secondsField.safeParse(value)
      if (read.success) return read.data
      context.addIssue({ code: 'custom', message: read.error.issues[0]?.message ?? 'expected a duration' })
      return z.NEVER
    })
    .optional(),
)

/** Whole seconds of at least one. */
const lasting = secondsField.refine((seconds) => seconds !== 0, { error: 'expected at least one second' })

/** The lockout settings of a method. */
const LockoutField = z
  .object(
    {
      lockout_threshold: integerField.refine((count) => count === undefined || count > 0, {
        error: 'expected at least 1',
      }),
      lockout_duration: lasting,
      lockout_counter_reset_duration: lasting,
      lockout_counter_reset: lasting,
      lockout_disable: booleanField,
    },
    { error: 'expected a map' },
  )
  .nullish()
  .transform((given) => {
    if (!given) return undefined
    const settings = {
      threshold: given.lockout_threshold,
      durationSeconds: given.lockout_duration,
      counterResetSeconds: given.lockout_counter_reset_duration ?? given.lockout_counter_reset,
      disabled: given.lockout_disable,
    }
    return Object.fromEntries(
      Object.entries(settings).filter(([, value]) => value !== undefined),
    ) as NonNullable<Mount['userLockout']>
  })

const LeaseSettings = {
  user_lockout_config: LockoutField,
  default_lease_ttl: LeaseField,
  max_lease_ttl: LeaseField,
  listing_visibility: VisibilityField,
  token_type: TokenTypeField,
  audit_non_hmac_request_keys: listField,
  audit_non_hmac_response_keys: listField,
  passthrough_request_headers: listField,
  allowed_response_headers: listField,
}

/** One body serves enabling a mount and tuning it. */
export const MountBody = body({
  type: textField,
  description: textField,
  options: pairsField,
  local: booleanField,
  seal_wrap: booleanField,
  config: z.object(LeaseSettings, { error: 'expected a map' }).nullish(),
  ...LeaseSettings,
})

export const RemountBody = body({ from: textField, to: textField })

/** A mount as lists show it. */
export const mountWire = (mount: Mount, version: string) => ({
  accessor: mount.accessor,
  config: {
    default_lease_ttl: mount.defaultLeaseTtlSeconds,
    force_no_cache: false,
    max_lease_ttl: mount.maxLeaseTtlSeconds,
    ...(mount.listingVisibility === '' ? {} : { listing_visibility: mount.listingVisibility }),
    ...(mount.path.startsWith('auth/') ? { token_type: mount.tokenType } : {}),
    ...namesWire(mount),
  },
  description: mount.description,
  external_entropy_access: false,
  local: mount.local,
  options: mount.options,
  seal_wrap: mount.sealWrap,
  type: mount.type,
  uuid: mount.id,
  plugin_version: '',
  running_plugin_version: `v${version}+builtin.plinth`,
  running_sha256: '',
  deprecation_status: 'supported',
})

/** The lists of names of a mount that are set. */
const namesWire = (mount: Mount) =>
  Object.fromEntries(
    Object.entries({
      audit_non_hmac_request_keys: mount.auditNonHmacRequestKeys,
      audit_non_hmac_response_keys: mount.auditNonHmacResponseKeys,
      passthrough_request_headers: mount.passthroughRequestHeaders,
      allowed_response_headers: mount.allowedResponseHeaders,
    }).filter(([, names]) => names !== undefined && names.length > 0),
  )

/** The lockout settings of a mount, as tuning returns them; no fields if it has none. */
const lockoutWire = (mount: Mount) => {
  if (mount.userLockout === undefined) return {}
  const settings = lockoutSettingsOf(mount)
  return {
    user_lockout_config: {
      lockout_counter_reset_duration: settings.counterResetSeconds,
      lockout_disable: settings.disabled,
      lockout_duration: settings.durationSeconds,
      lockout_threshold: settings.threshold,
    },
  }
}

/** A mount's settings with the system's filled in, as tuning reads them. */
export const tuneWire = (
  mount: Mount,
  system: { readonly defaultLeaseTtlSeconds: number; readonly maxLeaseTtlSeconds: number },
) => ({
  default_lease_ttl: leaseTimesOf(mount, system).defaultTtlSeconds,
  description: mount.description,
  force_no_cache: false,
  max_lease_ttl: leaseTimesOf(mount, system).maxTtlSeconds,
  ...(mount.options ? { options: mount.options } : {}),
  ...(mount.listingVisibility === '' ? {} : { listing_visibility: mount.listingVisibility }),
  ...(mount.path.startsWith('auth/') ? { token_type: mount.tokenType } : {}),
  ...namesWire(mount),
  ...lockoutWire(mount),
})

const text = z.string()
const number = z.int()
const yes = z.boolean()

const options = z.record(text, text).nullable()
const names = z.array(text).optional()
const lists = {
  audit_non_hmac_request_keys: names,
  audit_non_hmac_response_keys: names,
  passthrough_request_headers: names,
  allowed_response_headers: names,
}
const mount = {
  accessor: text,
  config: z.object({
    default_lease_ttl: number,
    force_no_cache: yes,
    max_lease_ttl: number,
    listing_visibility: text.optional(),
    token_type: text.optional(),
    ...lists,
  }),
  description: text,
  external_entropy_access: yes,
  local: yes,
  options,
  seal_wrap: yes,
  type: text,
  uuid: text,
  plugin_version: text,
  running_plugin_version: text,
  running_sha256: text,
  deprecation_status: text,
}
const tuning = {
  default_lease_ttl: number,
  description: text,
  force_no_cache: yes,
  max_lease_ttl: number,
  options: options.optional(),
  listing_visibility: text.optional(),
  token_type: text.optional(),
  ...lists,
}
const MountShape = z.object(mount).meta({ id: 'Mount' })
export const Mounts = enveloped(z.record(text, MountShape)).catchall(MountShape.or(z.unknown()))
export const MountOrTuning = twice(mount).or(twice(tuning))
const Signboards = z.record(text, z.union([MountShape, z.object({ type: text, description: text, options })]))
export const UiMounts = enveloped(z.object({ secret: Signboards, auth: Signboards }))
export const UiMount = enveloped(z.object({ ...mount, path: text }))
export const Moved = twice({ migration_id: text })
export const MoveStatus = twice({
  migration_id: text,
  migration_info: z.object({ source_mount: text, target_mount: text, status: text }),
})
