import { type Refused, refuse } from '../../kernel/index.ts'
import type { Module } from '../modules/model.ts'
import { formatAddress } from '../modules/names.ts'
import type { VersionContents } from './model.ts'

/**
 * Size limits: for objects that one answer contains as a whole, and for namespaces.
 */
export interface ModuleLimits {
  /** The maximum size of a version's documentation in characters of JSON; 2,000,000 by default. */
  readonly charactersPerVersion: number
  /** The approximate maximum size of a module's version list in characters of JSON; 8,000,000 by default. */
  readonly charactersPerModule: number
  /** How many bytes the archives of a namespace may have together; not limited by default. */
  readonly bytesPerNamespace?: number | undefined
  /**
   * How many modules a namespace may have; not limited by default. Administrators set it for each one, too
   * (`putQuota`).
   */
  readonly modulesPerNamespace?: number | undefined
  /** How many versions all modules of a namespace may have together; not limited by default. */
  readonly versionsPerNamespace?: number | undefined
}

/**
 * The default {@link ModuleLimits}: a module may have some ten thousand versions.
 */
export const moduleLimits: ModuleLimits = {
  charactersPerVersion: 2_000_000,
  charactersPerModule: 8_000_000,
}

/**
 * Returns why a version is too large, or makes its module too large.
 *
 * @param characters - its size in version lists
 *
 * @returns `undefined` if it may be added
 */
export function sizeProblem(
  module: Module,
  contents: VersionContents,
  characters: number,
  { charactersPerVersion, charactersPerModule }: ModuleLimits,
): Refused<'version_too_large' | 'module_too_large'> | undefined {
  const size = JSON.stringify(contents).length
  if (size > charactersPerVersion)
    return refuse(
      'version_too_large',
      `version ${contents.number} is too large: its documentation has ${size} characters of JSON, and the maximum is ${charactersPerVersion}`,
    )
  const total = module.versions.reduce((sum, known) => sum + (known.characters ?? 0), characters)
  if (total > charactersPerModule)
    return refuse(
      'module_too_large',
      `${formatAddress(module)} is too large: its version list would have ${total} characters of JSON, and the maximum is ${charactersPerModule}: remove old versions first`,
    )
  return undefined
}
