import type { PublishedVersion } from '../modules/model.ts'
import type { ModuleRow } from '../search/row.ts'
import type { VersionContents } from './model.ts'

/**
 * One version of a module with all its data.
 */
export interface ModuleDetails {
  /** The module as lists show it, at its latest version. */
  readonly row: ModuleRow
  /** The requested version. */
  readonly version: PublishedVersion
  /** Its documentation. */
  readonly contents: VersionContents
  /** Every provider for which a module of this name exists. */
  readonly providers: readonly string[]
  /** Every version number, oldest first. */
  readonly versions: readonly string[]
}
