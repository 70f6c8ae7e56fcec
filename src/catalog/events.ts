import type { ServiceEvent } from '../kernel/index.ts'
import type { Role } from './accounts/role.ts'

/**
 * Events of a catalog, for audit and metrics; they contain no secrets. A service adds the time, the actor and the box.
 */
export type CatalogEvent =
  | { readonly type: 'box.created' | 'box.updated' | 'box.deleted' | 'image.downloaded' }
  | {
      readonly type:
        | 'version.created'
        | 'version.updated'
        | 'version.released'
        | 'version.revoked'
        | 'version.deleted'
      readonly version: string
    }
  | {
      readonly type: 'provider.created' | 'provider.updated' | 'provider.deleted' | 'image.uploaded'
      readonly version: string
      readonly provider: string
      readonly architecture: string
    }
  | {
      readonly type: 'account.created' | 'account.updated' | 'account.deleted' | 'login.refused'
      readonly username: string
    }
  | {
      readonly type: 'member.set' | 'member.removed'
      /** The account. */
      readonly username: string
      readonly member: string
      readonly role: Role
    }
  | {
      readonly type: 'quota.set'
      /** The owner. */
      readonly username: string
      /** The changes, as JSON. */
      readonly quota: string
    }
  | {
      readonly type: 'webhook.created' | 'webhook.deleted'
      readonly webhook: string
      /** The origin of its URL. */
      readonly to: string
    }
  | { readonly type: 'token.created' | 'token.deleted'; readonly username: string }

/**
 * An event of a catalog with its time, actor and box: the argument of `onEvent`.
 */
export type CatalogReport = ServiceEvent<CatalogEvent> & {
  /** The acting user; null for the embedding program and for anonymous downloads. */
  readonly by: string | null
  /** The box it concerns, `username/name`; null if it concerns none. */
  readonly box: string | null
}
