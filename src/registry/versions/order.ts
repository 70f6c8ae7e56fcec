import { compareVersions, isPrerelease, parseVersion, type VersionNumber } from './number.ts'

/** A stored list contains canonical numbers only; anything else in it is a bug, not a refusal. */
const read = (canonical: string): VersionNumber => {
  const version = parseVersion(canonical)
  if (!version) throw new Error(`"${canonical}" was stored as a version number but is none`)
  return version
}

/** The index for a version in a list sorted oldest first; versions of equal rank keep their order of insertion. */
export function versionPosition(
  oldestFirst: readonly { readonly number: string }[],
  version: VersionNumber,
): number {
  let low = 0
  let high = oldestFirst.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareVersions(read(oldestFirst[middle]?.number ?? ''), version) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The version that represents a module: the highest stable one that is not deprecated; or else the highest stable one,
 * or the highest prerelease.
 *
 * @param oldestFirst - versions by canonical number, oldest first
 * @returns `undefined` for a module without versions
 *
 * @example
 * ```ts
 * import { latestVersion } from 'plinth/registry'
 *
 * latestVersion([{ number: '1.9.0' }, { number: '1.10.0' }, { number: '2.0.0-beta1' }]) // { number: '1.10.0' }
 * latestVersion([{ number: '2.0.0-beta1' }, { number: '2.0.0-beta2' }]) // { number: '2.0.0-beta2' }
 * latestVersion([{ number: '1.0.0' }, { number: '1.1.0', deprecation: { reason: 'broken' } }]) // { number: '1.0.0' }
 * ```
 */
export function latestVersion<
  Entry extends { readonly number: string; readonly deprecation?: object | undefined },
>(oldestFirst: readonly Entry[]): Entry | undefined {
  const isStable = ({ number }: Entry) => !isPrerelease(read(number))
  return (
    oldestFirst.findLast((each) => each.deprecation === undefined && isStable(each)) ??
    oldestFirst.findLast(isStable) ??
    oldestFirst.at(-1)
  )
}
