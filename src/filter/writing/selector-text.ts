import { FilterError } from '../error.ts'
import { pointerSegments } from '../reading/text.ts'

/**
 * Formats a selector: `Meta.team`, `Tags.0`, `Meta["region.zone"]`, or as a pointer if its first segment is not a name.
 */
export function selectorText(path: readonly string[]): string {
  const [first = '', ...rest] = path
  // The element of a quantifier without names.
  if (first === '@') return `@${rest.map(segmentText).join('')}`
  if (!name.test(first) || (rest.length === 0 && ambiguous.test(first))) return quotedPointer(path)
  return first + rest.map(segmentText).join('')
}

const name = /^[a-zA-Z][a-zA-Z0-9_]*$/
/** Alone, these could be read as the keyword they spell. */
const ambiguous = /^(?:not|any|all)$/

const segmentText = (segment: string): string =>
  name.test(segment) || /^\d+$/.test(segment) ? `.${segment}` : `[${stringText(segment)}]`

/** A path as a JSON pointer. */
export const pointerText = (path: readonly string[]): string =>
  path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function quotedPointer(path: readonly string[]): string {
  const text = pointerText(path)
  if (pointerSegments(text) !== null) return `"${text}"`
  if (path.length === 1 && path[0] === '') return '""'
  throw new FilterError('parse', `no selector can express ${JSON.stringify(path)}`, '', { start: 0, end: 0 })
}

/** How a text is written as a string that both dialects read back unchanged. */
export function stringText(text: string): string {
  // bexpr takes a leading slash off a double-quoted value.
  if (text.startsWith('/') && !/[`\r]/.test(text)) return `\`${text}\``
  const escaped = text.replace(/[\\"\u0000-\u001f\u007f]|^\//g, escapeUnit)
  return `"${escaped}"`
}

const escapeUnit = (unit: string): string =>
  /[\\\n\r\t]/.test(unit)
    ? JSON.stringify(unit).slice(1, -1)
    : `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0')}`
