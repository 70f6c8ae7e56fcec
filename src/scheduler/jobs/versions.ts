import type { JobSpec } from './model.ts'

/** How many untagged versions of a job are kept. */
export const keptVersions = 6

/** The fields of a version that decide whether it is kept. */
export interface KeptVersion extends Pick<JobSpec, 'Version' | 'VersionTag'> {
  /** Whether it was ever deployed successfully. */
  readonly Stable: boolean
}

/**
 * The versions to drop once a new one is written: all but the newest six, tagged ones not counted. The newest
 * stable version stays, because an automatic revert would go back to it.
 *
 * @param versions - all versions, in any order
 *
 * @returns the numbers of the versions to drop, oldest first
 *
 * @example
 * ```ts
 * import { surplusVersions } from 'plinth/scheduler'
 *
 * const version = (Version: number) => ({ Version, VersionTag: null, Stable: false })
 * surplusVersions([0, 1, 2, 3].map(version), 2) // [0, 1]
 * ```
 */
export function surplusVersions(versions: readonly KeptVersion[], keep = keptVersions): readonly number[] {
  const newestFirst = [...versions].sort((a, b) => b.Version - a.Version)
  const lastStable = newestFirst.find(({ Stable }) => Stable)
  const untagged = newestFirst.filter(({ VersionTag }) => VersionTag === null)
  const kept = new Set(untagged.slice(0, keep))
  if (lastStable !== undefined && !kept.has(lastStable) && kept.size === keep) {
    const oldest = untagged[keep - 1]
    if (oldest !== undefined) kept.delete(oldest)
  }
  return untagged
    .filter((version) => !kept.has(version) && version !== lastStable)
    .map(({ Version }) => Version)
    .reverse()
}
