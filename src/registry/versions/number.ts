import { checkArguments } from '../../kernel/check-arguments.ts'

/**
 * A parsed version number, with the parts that determine identity and order.
 */
export interface VersionNumber {
  /** The number as the registry writes it: at least three segments, no `v`, `1.0.0-beta.1+build`. */
  readonly canonical: string
  /** The dotted numbers; three or more, without needless zeros after the third. */
  readonly segments: readonly number[]
  /** The identifiers after `-`; empty for a stable version. */
  readonly prerelease: readonly string[]
  /** The text after `+`, which does not affect the order; empty if there is none. */
  readonly build: string
}

/**
 * The syntax that clients accept: an optional `v`, dotted numbers, an optional prerelease (its dash may be missing), a
 * build.
 */
const grammar =
  /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z~-][0-9A-Za-z~.-]*)|([A-Za-z~][0-9A-Za-z~.-]*))?(?:\+([0-9A-Za-z~.-]+))?$/

/** Longer texts are not real versions, only work for comparisons. */
const maxLength = 128

/**
 * Parses a version number as module clients do.
 *
 * @returns `undefined` if the text is not a version number: `latest`, `1..0`, an empty identifier, a numeric
 * prerelease identifier with leading zeros (`1.0.0-a.01`, as Semantic Versioning and module registries refuse it), more
 * than 128 characters, or a segment beyond 2^53.
 *
 * @remarks
 * `v1.0.0`, `1.0`, `01.0.0` and `1.0.0` are one version: missing segments are zero, a leading `v` and leading zeros of
 * segments are ignored, as Terraform does, so that tags such as `2026.01.15` can be published. Two builds of one number
 * are two versions, although neither is newer.
 *
 * @example
 * ```ts
 * import { parseVersion } from 'plinth/registry'
 *
 * parseVersion('v1.2')?.canonical // '1.2.0'
 * parseVersion('1.0.0-beta.2')?.prerelease // ['beta', '2']
 * parseVersion('latest') // undefined
 * ```
 */
export function parseVersion(text: string): VersionNumber | undefined {
  checkArguments('text', text)
  if (text.length > maxLength) return undefined
  const match = grammar.exec(text)
  if (!match) return undefined
  const segments = (match[1] ?? '').split('.').map(Number)
  if (!segments.every(Number.isSafeInteger)) return undefined
  while (segments.length < 3) segments.push(0)
  while (segments.length > 3 && segments.at(-1) === 0) segments.pop()
  const prerelease = identifiers(match[2] ?? match[3])
  const build = match[4] ?? ''
  if (!prerelease || prerelease.some(hasLeadingZero) || !identifiers(build)) return undefined
  const canonical = `${segments.join('.')}${prerelease.length > 0 ? `-${prerelease.join('.')}` : ''}${build && `+${build}`}`
  return { canonical, segments, prerelease, build }
}

const hasLeadingZero = (identifier: string): boolean => /^0\d+$/.test(identifier)

const identifiers = (text = ''): readonly string[] | undefined => {
  if (text === '') return []
  const parts = text.split('.')
  return parts.includes('') ? undefined : parts
}

/**
 * Compares two version numbers: negative if `a` is older, 0 if neither is newer.
 *
 * @remarks
 * Segments count as numbers; a prerelease comes before its stable version; its identifiers are compared one by
 * one, numbers as numbers and before words; a shorter list comes before a longer one. Builds do not count.
 *
 * @example
 * ```ts
 * import { compareVersions, parseVersion } from 'plinth/registry'
 *
 * const [rc, stable] = [parseVersion('1.10.0-rc.1'), parseVersion('1.9.0')]
 * rc && stable && compareVersions(rc, stable) > 0 // true
 * ```
 */
export function compareVersions(a: VersionNumber, b: VersionNumber): number {
  const length = Math.max(a.segments.length, b.segments.length)
  for (let at = 0; at < length; at += 1) {
    const difference = (a.segments[at] ?? 0) - (b.segments[at] ?? 0)
    if (difference !== 0) return difference
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length
  const shared = Math.min(a.prerelease.length, b.prerelease.length)
  for (let at = 0; at < shared; at += 1) {
    const difference = compareIdentifiers(a.prerelease[at] ?? '', b.prerelease[at] ?? '')
    if (difference !== 0) return difference
  }
  return a.prerelease.length - b.prerelease.length
}

const numeric = /^\d+$/

function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [numeric.test(a), numeric.test(b)]
  if (aIsNumber && bIsNumber) return compareDigits(a, b)
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1
  return compareTexts(a, b)
}

/** Digits, without leading zeros, are kept as text, so that no number is too large. */
const compareDigits = (a: string, b: string): number => a.length - b.length || compareTexts(a, b)

const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * Whether a version is a prerelease, which clients install only when asked for it by its exact number.
 *
 * @example
 * ```ts
 * import { isPrerelease, parseVersion } from 'plinth/registry'
 *
 * const version = parseVersion('2.0.0-beta1')
 * version && isPrerelease(version) // true
 * ```
 */
export const isPrerelease = (version: VersionNumber): boolean => version.prerelease.length > 0
