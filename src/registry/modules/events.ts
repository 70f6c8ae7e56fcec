import type { ServiceEvent } from '../../kernel/index.ts'
import type { ModuleAddress } from './names.ts'

/**
 * Events of modules and tokens, for audit, metrics and indexes; they contain no secrets.
 */
export type RegistryEvent =
  | { readonly type: 'module.published'; readonly module: ModuleAddress }
  | { readonly type: 'module.updated'; readonly module: ModuleAddress }
  | { readonly type: 'module.renamed'; readonly from: ModuleAddress; readonly to: ModuleAddress }
  | { readonly type: 'module.removed'; readonly module: ModuleAddress }
  | { readonly type: 'version.published'; readonly module: ModuleAddress; readonly version: string }
  | { readonly type: 'version.deprecated'; readonly module: ModuleAddress; readonly version: string }
  | { readonly type: 'version.reinstated'; readonly module: ModuleAddress; readonly version: string }
  | { readonly type: 'version.removed'; readonly module: ModuleAddress; readonly version: string }
  | {
      readonly type: 'quota.set'
      readonly namespace: string
      /** The changes, as JSON. */
      readonly quota: string
    }
  | {
      readonly type: 'webhook.created' | 'webhook.deleted'
      readonly webhook: string
      /** The origin of its URL. */
      readonly to: string
    }
  | { readonly type: 'token.created' | 'token.deleted'; readonly token: string }

/**
 * An event of a registry with its time and actor: the argument of `onEvent`.
 */
export type RegistryReport = ServiceEvent<RegistryEvent> & {
  /** The name of the acting token's owner; null for the embedding program. */
  readonly by: string | null
}
