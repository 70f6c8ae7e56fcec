import { compareText } from '../../kernel/compare-text.ts'
import { StoreError } from './errors.ts'
import { limits } from './port.ts'

/**
 * One part of a key: text, or a whole number from 0 to 2^53 - 1, which sorts by size.
 */
export type Part = string | number

/** Separates the parts of a key. It sorts below every character of a part, so `a` sorts before `a-b`. */
export const separator = '\u0001'

/**
 * The key of a record: its collection's name and its parts, in an encoding that keeps their order part by part.
 *
 * @example
 * ```ts
 * import { keyOf } from 'plinth/store'
 *
 * keyOf('job', 'default', 'web') === 'job\u0001default\u0001web' // true
 * ```
 */
export const keyOf = (name: string, ...parts: readonly Part[]): string => {
  let key = name
  for (const part of parts) key += separator + encodePart(part)
  return key
}

/**
 * The prefix shared by exactly the keys whose first parts are these.
 *
 * @example
 * ```ts
 * import { keyOf, prefixOf } from 'plinth/store'
 *
 * keyOf('job', 'default', 'web').startsWith(prefixOf('job', 'default')) // true
 * keyOf('job', 'default-2', 'web').startsWith(prefixOf('job', 'default')) // false
 * ```
 */
export const prefixOf = (name: string, ...parts: readonly Part[]): string => keyOf(name, ...parts) + separator

/**
 * The key of a mark: of a whole table, or of a scope in it. Touch it with every change below it, expect it in a
 * decision that depends on the whole list, and wait for it to learn that the list changed.
 *
 * @example
 * ```ts
 * import { isMark, markOf, memoryStore } from 'plinth/store'
 *
 * const store = memoryStore()
 * const pools = markOf('pool')
 * isMark(pools) // true
 * await store.commit([{ id: '1', put: [{ key: 'pool', value: 'gpu' }], touch: [pools] }])
 * store.snapshot().get(pools)?.modified // 1
 * ```
 */
export const markOf = (table: string, ...scope: readonly Part[]): string => keyOf('~', table, ...scope)

/**
 * The prefix of every mark.
 */
export const marks: string = prefixOf('~')

/**
 * Whether a key names a mark rather than a record.
 *
 * @example
 * ```ts
 * import { isMark, keyOf, markOf } from 'plinth/store'
 *
 * isMark(markOf('job')) // true
 * isMark(keyOf('job', 'default', 'web')) // false
 * ```
 */
export const isMark = (key: string): boolean => key.charCodeAt(0) === 0x7e

/** Whether a key can exist at all: for others, engines have no answer, or that of another key. */
export const canBeKey = (key: string): boolean =>
  key !== '' && key.length <= limits.keyBytes && !/\p{Cs}|\0/u.test(key)

/**
 * Encodes one part of a key. The encoding preserves order and prefixes: that of `we` is a prefix of that of `web`.
 *
 * @example
 * ```ts
 * import { encodePart } from 'plinth/store'
 *
 * encodePart('web') // 'web'
 * encodePart(9) < encodePart(10) // true
 * ```
 */
export const encodePart = (part: Part): string => {
  if (typeof part === 'string') return needsEscape.test(part) ? part.replace(escapable, escaped) : part
  if (!Number.isSafeInteger(part) || part < 0)
    throw new StoreError(
      'invalid',
      `a part of a key is a string or a whole number from 0 to 2^53 - 1, not ${String(part)}`,
    )
  return part.toString(16).padStart(14, '0')
}

/**
 * The parts of a key as text, its collection's name first. A number comes back as its fourteen hex digits.
 *
 * @example
 * ```ts
 * import { keyOf, partsOf } from 'plinth/store'
 *
 * partsOf(keyOf('job', 'default', 'web')) // ['job', 'default', 'web']
 * ```
 */
export const partsOf = (key: string): string[] => key.split(separator).map(decodePart)

const needsEscape = /[\u0000-\u0002]/
const escapable = /[\u0000-\u0002]/g
const escaped = (char: string): string => `\u0002${String.fromCharCode(char.charCodeAt(0) + 0x10)}`

const decodePart = (part: string): string =>
  part.includes('\u0002')
    ? part.replace(/\u0002([\u0010-\u0012])/g, (_, char: string) =>
        String.fromCharCode(char.charCodeAt(0) - 0x10),
      )
    : part

/**
 * Refuses a key that some adapter could not store: empty, longer than 1,024 bytes, or not valid Unicode.
 *
 * @throws {@link StoreError} of code `invalid`
 */
export function checkKey(key: string): void {
  if (typeof key !== 'string' || key.length === 0)
    throw new StoreError('invalid', 'a key must be a string of at least one character')
  if (key.length <= limits.keyBytes && plainText.test(key)) return
  if (key.length * 3 > limits.keyBytes && utf8Length(key) > limits.keyBytes)
    throw new StoreError(
      'invalid',
      `a key has at most ${limits.keyBytes} bytes, not ${utf8Length(key)}: ${shown(key)}`,
    )
  if (key.includes('\u0000')) throw new StoreError('invalid', `a key cannot contain U+0000: ${shown(key)}`)
  if (/\p{Cs}/u.test(key)) throw new StoreError('invalid', `a key must be valid Unicode: ${shown(key)}`)
}

/** A fast path: most keys are plain. */
const plainText = /^[\u0001-\u007f]+$/

/** A key for a message: with `/` between the parts, and truncated. */
export const shown = (key: string): string =>
  JSON.stringify(key.slice(0, 80).replaceAll(separator, '/')) + (key.length > 80 ? '…' : '')

/** On hosts with Node's buffers, they count and convert several times as fast. */
export const buffers = typeof Buffer === 'function' ? Buffer : undefined

/** The number of bytes of a string in UTF-8. */
export function utf8Length(text: string): number {
  if (buffers) return buffers.byteLength(text, 'utf8')
  let bytes = text.length
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // A surrogate pair is two units and four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2
  }
  return bytes
}

/**
 * Orders keys as every store does: by their UTF-8 bytes, which is by code points and not JavaScript's `<`.
 *
 * @example
 * ```ts
 * import { compareKeys } from 'plinth/store'
 *
 * compareKeys('job', 'job-2') < 0 // true
 * compareKeys('\u{1f600}', '\uffee') > 0 // true
 * '\u{1f600}' > '\uffee' // false
 * ```
 */
export const compareKeys: (a: string, b: string) => number = compareText

/**
 * The smallest text after every text that begins with `prefix`; `undefined` if there is none.
 *
 * @example
 * ```ts
 * import { prefixEnd } from 'plinth/store'
 *
 * prefixEnd('job') // 'joc'
 * prefixEnd('') // undefined
 * ```
 */
export function prefixEnd(prefix: string): string | undefined {
  const unit = prefix.charCodeAt(prefix.length - 1)
  if (unit < 0xd7ff) return prefix.slice(0, -1) + String.fromCharCode(unit + 1)
  const points = Array.from(prefix)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0
    if (point === 0x10ffff) continue
    return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1)
  }
  return undefined
}
