import type { ServiceEvent } from '../kernel/index.ts'

/**
 * What happened in a catalog, for audit and metrics; no event holds a secret. A service says beside it when, by whom
 * and to which box.
 *
 * @public
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
  | { readonly type: 'account.created' | 'account.updated' | 'login.refused'; readonly username: string }
  | { readonly type: 'token.created' | 'token.deleted'; readonly username: string }

/**
 * Something that happened in a catalog, when, by whom and to which box: what `onEvent` hears.
 *
 * @public
 */
export type CatalogReport = ServiceEvent<CatalogEvent> & {
  /** The user who did it; null for the embedding program and for anonymous downloads. */
  readonly by: string | null
  /** The box it happened to, `username/name`; null where it happened to none. */
  readonly box: string | null
}
