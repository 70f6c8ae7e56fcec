import { newestFirst } from './current.ts'
import type { Version } from './model.ts'

/**
 * The versions of a box below its `keep` highest active ones, newest first, and the latest. Unreleased versions stay: their
 * images may still be arriving.
 */
export function surplusVersions(
  all: readonly Version[],
  keep: number,
): { readonly surplus: readonly Version[]; readonly latest: Version | undefined } {
  const released = newestFirst(all).filter(({ status }) => status !== 'unreleased')
  const active = released.filter(({ status }) => status === 'active')
  const lowest = active[keep - 1]
  const surplus = lowest === undefined ? [] : released.slice(released.indexOf(lowest) + 1)
  return { surplus, latest: active[0] }
}
