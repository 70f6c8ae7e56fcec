/**
 * The parts of a pattern. A trailing `*` makes a prefix; `*` elsewhere is an ordinary character; `+` matches one
 * segment only if it is the whole segment.
 */
export interface Pattern {
  readonly text: string
  readonly kind: 'exact' | 'prefix' | 'segments'
  /** The pattern without the trailing `*` that makes it a prefix. */
  readonly stem: string
  readonly endsOpen: boolean
  /** The position of the first wildcard, and the number of `+` segments. */
  readonly firstWildcard: number
  readonly pluses: number
}

/** Splits a pattern into its parts. */
export function patternOf(text: string): Pattern {
  const endsOpen = text.endsWith('*')
  const stem = endsOpen ? text.slice(0, -1) : text
  const segments = stem.split('/')
  const pluses = segments.filter((segment) => segment === '+').length
  if (pluses === 0) {
    return { text, kind: endsOpen ? 'prefix' : 'exact', stem, endsOpen, firstWildcard: stem.length, pluses }
  }
  const before = segments.slice(0, segments.indexOf('+'))
  const firstWildcard = before.reduce((length, segment) => length + segment.length + 1, 0)
  return { text, kind: 'segments', stem, endsOpen, firstWildcard, pluses }
}

/**
 * Compares patterns with wildcards that match the same path; the greater one decides. In turn: the later first
 * wildcard, not ending in `*`, fewer `+`, longer, lexicographically greater.
 */
export function comparePatterns(left: Pattern, right: Pattern): number {
  return (
    left.firstWildcard - right.firstWildcard ||
    Number(right.endsOpen) - Number(left.endsOpen) ||
    right.pluses - left.pluses ||
    left.text.length - right.text.length ||
    (left.text < right.text ? -1 : Number(left.text > right.text))
  )
}
