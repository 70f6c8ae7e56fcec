/** A version number: its segments, and the pre-release part after the hyphen. */
interface Version {
  readonly segments: readonly number[]
  /** The number of segments in the text; the others are zeros. */
  readonly given: number
  readonly prerelease: readonly string[]
}

/** `lenient` accepts `v1.2`, `1.2.3.4` and `1.2-rc1`; `semver` only what Semantic Versioning 2.0 defines. */
export type VersionDialect = 'lenient' | 'semver'

const patterns: Readonly<Record<VersionDialect, RegExp>> = {
  lenient:
    /^v?(\d{1,15}(?:\.\d{1,15}){0,8})(?:-?([A-Za-z~][0-9A-Za-z~-]*(?:\.[0-9A-Za-z~-]+)*)|-([0-9A-Za-z~.-]+))?(?:\+[0-9A-Za-z.-]+)?$/,
  semver:
    /^((?:0|[1-9]\d{0,14})\.(?:0|[1-9]\d{0,14})\.(?:0|[1-9]\d{0,14}))(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z.-]+)?$/,
}

/** The maximum length of a version or a list of them. */
const longest = 1024

/** A bound may leave numbers out: `>= 1.0`. */
const semverBound = new RegExp(
  patterns.semver.source.replace(/\\\.(\(\?:0\|\[1-9\]\\d\{0,14\}\))/g, '(?:\\.$1)?'),
)

function readVersion(text: string, pattern: RegExp): Version | undefined {
  const match = text.length > longest ? null : pattern.exec(text.trim())
  if (match === null) return undefined
  const segments = (match[1] ?? '').split('.').map(Number)
  const given = segments.length
  while (segments.length < 3) segments.push(0)
  const prerelease = match[2] ?? match[3]
  return { segments, given, prerelease: prerelease === undefined ? [] : prerelease.split('.') }
}

type Comparison = '=' | '!=' | '>' | '<' | '>=' | '<=' | '~>'

/** The conditions on a version; all must hold. */
export type VersionRange = readonly { readonly comparison: Comparison; readonly version: Version }[]

/**
 * Parses a version constraint, such as `>= 1.2, < 2.0` or `~> 1.4`.
 *
 * @returns `undefined` where the text is not such a list; `~>` is not part of `semver`
 */
export function readVersionRange(text: string, dialect: VersionDialect): VersionRange | undefined {
  if (text.length > longest) return undefined
  const range: { comparison: Comparison; version: Version }[] = []
  for (const part of text.split(',')) {
    const match = /^\s*(=|!=|>=|<=|>|<|~>)?\s*(\S+)\s*$/.exec(part)
    const version =
      match === null
        ? undefined
        : readVersion(match[2] ?? '', dialect === 'semver' ? semverBound : patterns.lenient)
    if (match === null || version === undefined) return undefined
    const comparison = (match[1] ?? '=') as Comparison // one of those in the pattern
    if (comparison === '~>' && dialect === 'semver') return undefined
    range.push({ comparison, version })
  }
  return range
}

/** Whether a text is a version within a range. */
export function isInRange(text: string, range: VersionRange, dialect: VersionDialect): boolean {
  const version = readVersion(text, patterns[dialect])
  return (
    version !== undefined &&
    range.every(({ comparison, version: bound }) => compares(comparison, version, bound, dialect))
  )
}

function compares(
  comparison: Comparison,
  version: Version,
  bound: Version,
  dialect: VersionDialect,
): boolean {
  const order = compareVersions(version, bound)
  if (comparison === '=') return order === 0
  if (comparison === '!=') return order !== 0
  if (dialect === 'lenient' && !mayCompare(version, bound)) return false
  switch (comparison) {
    case '>':
      return order > 0
    case '<':
      return order < 0
    case '>=':
      return order >= 0
    case '<=':
      return order <= 0
    case '~>':
      return order >= 0 && isPessimistic(version, bound)
    default:
      return comparison satisfies never
  }
}

/** A pre-release satisfies only a bound that is one itself, of the same numbers: pre-releases are opt-in. */
const mayCompare = (version: Version, bound: Version): boolean =>
  version.prerelease.length === 0 ||
  (bound.prerelease.length > 0 && compareSegments(version.segments, bound.segments) === 0)

/** `~> 1.2.3` allows higher values of the last number only, `~> 1.2` of the second, `~> 1` of the first. */
function isPessimistic(version: Version, bound: Version): boolean {
  if (bound.prerelease.length > 0 && version.prerelease.length === 0) return false
  for (let at = 0; at < bound.given - 1; at += 1)
    if (version.segments[at] !== bound.segments[at]) return false
  return true
}

function compareVersions(a: Version, b: Version): number {
  const order = compareSegments(a.segments, b.segments)
  if (order !== 0) return order
  // A release comes after its pre-releases.
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Number(a.prerelease.length === 0) - Number(b.prerelease.length === 0)
  const length = Math.max(a.prerelease.length, b.prerelease.length)
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.prerelease[at], b.prerelease[at]]
    if (left === right) continue
    if (left === undefined) return -1
    if (right === undefined) return 1
    const [isLeft, isRight] = [/^\d+$/.test(left), /^\d+$/.test(right)]
    if (isLeft && isRight && Number(left) !== Number(right)) return Number(left) < Number(right) ? -1 : 1
    // Numbers come before words.
    if (isLeft !== isRight) return isLeft ? -1 : 1
    if (!isLeft) return left < right ? -1 : 1
  }
  return 0
}

function compareSegments(a: readonly number[], b: readonly number[]): number {
  const length = Math.max(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const order = (a[at] ?? 0) - (b[at] ?? 0)
    if (order !== 0) return order < 0 ? -1 : 1
  }
  return 0
}
