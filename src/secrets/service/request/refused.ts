import type { MethodRefusal } from '../handles.ts'
import { statusOf as rows } from '../refusals/refusal-codes.ts'
import type { MountTypeRefusal } from './mount-types.ts'

/** Refusals before a request reaches its route; common to all routes. */
export type EarlyRefusal =
  | 'sealed'
  | 'permission_denied'
  | 'rate_limit_exceeded'
  | 'page_invalid'
  | 'audit_failed'
  | 'no_mount'
  | 'unsupported_path'
  | 'unsupported_operation'
  | 'unsupported_login_operation'
  | 'unknown_verb'
  | 'relative_path'
  | 'path_unprintable'
  | 'write_to_folder'
  | 'list_not_boolean'
  | 'trailing_period'
  | 'mount_upgrading'
  | 'not_in_namespaces'
  | 'namespace_not_found'
  | 'wrap_ttl_invalid'
  | 'origin_refused'
  | 'origin_method'

/** Refusal → status: each has a row, or the service does not compile. */
export const statusOf = rows satisfies Readonly<
  Record<EarlyRefusal | MountTypeRefusal | MethodRefusal, number>
>
