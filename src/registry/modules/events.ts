import type { ModuleAddress } from './names.ts'

/**
 * Events of modules, for audit, metrics and indexes.
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
