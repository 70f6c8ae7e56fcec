import { checkArguments } from '../../kernel/check-arguments.ts'

/** One part of a version number: digits without leading zeros, or letters. Digits stay text, so none is too large. */
type Segment = string

/**
 * A version number of a box: its spelling, and its identity.
 */
export interface VersionNumber {
  /** As written, without surrounding whitespace. */
  readonly text: string
  /** The same for every spelling of one version: `1`, `1.0` and `01.0.0` are all `1`. */
  readonly canonical: string
}

const grammar = /^[0-9]+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

/** Longer numbers have no use and would not fit into folder names. */
const maxLength = 128

/**
 * Reads a version number as the box client does, whose numbers are those of RubyGems: digits first, then parts of
 * letters and digits between dots, and at most one dash before a pre-release.
 *
 * @returns the number, or `undefined` for one that the client would refuse (`v1.0`, `1..0`, `1.0.0+1`, an empty
 * string): one such number in a box's metadata makes the client refuse the whole box.
 *
 * @example
 * ```ts
 * import { parseVersionNumber } from 'plinth/catalog'
 *
 * parseVersionNumber(' 1.0 ') // { text: '1.0', canonical: '1' }
 * parseVersionNumber('1.0.0-beta.1') // { text: '1.0.0-beta.1', canonical: '1.pre.beta.1' }
 * parseVersionNumber('v1.0') // undefined
 * ```
 */
export function parseVersionNumber(written: string): VersionNumber | undefined {
  checkArguments('written', written)
  const text = written.trim()
  if (text.length > maxLength || !grammar.test(text)) return undefined
  const canonical = canonicalSegments(text).join('.')
  // A number begins with digits, even if they are all zeros.
  return { text, canonical: /^[0-9]/.test(canonical) ? canonical : canonical === '' ? '0' : `0.${canonical}` }
}

/**
 * Orders two version numbers as the box client does, pre-releases before their release. Works on any spelling that
 * {@link parseVersionNumber} accepts, canonical ones included.
 *
 * @returns below 0 when `a` is the older one, above 0 when `b` is, 0 when both are one version.
 *
 * @example
 * ```ts
 * import { compareVersionNumbers } from 'plinth/catalog'
 *
 * const numbers = ['1.10', '2.0.0-alpha', '1.9', '2', '1.9.rc1']
 * numbers.toSorted(compareVersionNumbers) // ['1.9.rc1', '1.9', '1.10', '2.0.0-alpha', '2']
 * ```
 */
export function compareVersionNumbers(a: string, b: string): number {
  const left = canonicalSegments(a)
  const right = canonicalSegments(b)
  const length = Math.max(left.length, right.length)
  for (let at = 0; at < length; at += 1) {
    const order = compareSegments(left[at] ?? '0', right[at] ?? '0')
    if (order !== 0) return order
  }
  return 0
}

/**
 * A dash begins a pre-release; trailing zeros of the numbers, or of the part after the first letters, do not matter.
 */
function canonicalSegments(text: string): Segment[] {
  const segments = (text.replaceAll('-', '.pre.').match(/[0-9]+|[A-Za-z]+/g) ?? []).map((segment) =>
    isNumeric(segment) ? segment.replace(/^0+(?=.)/, '') : segment,
  )
  const letters = segments.findIndex((segment) => !isNumeric(segment))
  const split = letters < 0 ? segments.length : letters
  return [...withoutZeroEnd(segments.slice(0, split)), ...withoutZeroEnd(segments.slice(split))]
}

function withoutZeroEnd(segments: readonly Segment[]): readonly Segment[] {
  const last = segments.findLastIndex((segment) => segment !== '0')
  return segments.slice(0, last + 1)
}

const isNumeric = (segment: Segment): boolean => segment.charCodeAt(0) <= 0x39

/** Numbers by size; letters before any number, among themselves by character code. */
function compareSegments(a: Segment, b: Segment): number {
  if (a === b) return 0
  const numeric = isNumeric(a)
  if (numeric !== isNumeric(b)) return numeric ? 1 : -1
  if (numeric && a.length !== b.length) return a.length - b.length
  return a < b ? -1 : 1
}
