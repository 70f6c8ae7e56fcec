import type { ServiceEvent } from '../../../kernel/index.ts'
import type { PolicyEvent } from '../../acl/index.ts'
import type { ApproleEvent } from '../../approle/index.ts'
import type { IdentityEvent } from '../../identity/model.ts'
import type { IdpEvent } from '../../idp/index.ts'
import type { JwtEvent } from '../../jwt/model.ts'
import type { KvEvent } from '../../kv2/index.ts'
import type { LockoutEvent } from '../../lockout/index.ts'
import type { MountEvent } from '../../mounts/index.ts'
import type { NamespaceEvent } from '../../namespaces/model.ts'
import type { QuotaEvent } from '../../quotas/model.ts'
import type { TokenEvent } from '../../tokens/index.ts'
import type { TransitEvent } from '../../transit/model.ts'
import type { UserpassEvent } from '../../userpass/index.ts'

/** An event without its time. */
export type Happening = {
  /** The namespace's path; empty for the root. */
  readonly namespace: string
} & (
  | ({ readonly mount: string; readonly path: string } & (KvEvent | { readonly type: 'kv.removed' }))
  | ({ readonly mount: string } & (
      | IdpEvent
      | UserpassEvent
      | ApproleEvent
      | JwtEvent
      | LockoutEvent
      | TransitEvent
    ))
  | IdentityEvent
  | MountEvent
  | NamespaceEvent
  | PolicyEvent
  | QuotaEvent
  | TokenEvent
  | { readonly type: 'seal.initialized' }
  | { readonly type: 'seal.unsealed' }
  | { readonly type: 'seal.sealed' }
  /** The key shares were changed: earlier ones no longer unseal the service. */
  | { readonly type: 'seal.rekeyed' }
)

/**
 * An event of a secrets service, for audit and metrics. Contains paths, numbers and accessors, never a secret.
 */
export type SecretsEvent = ServiceEvent<Happening>
