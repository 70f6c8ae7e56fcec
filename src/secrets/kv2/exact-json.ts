import { checkArguments } from '../../kernel/check-arguments.ts'

/**
 * A JSON value that keeps the text of its numbers, so that no digit is lost, and whose objects are maps, so that no
 * name is special (`__proto__`).
 */
export type ExactJson =
  | null
  | boolean
  | string
  | ExactNumber
  | readonly ExactJson[]
  | ReadonlyMap<string, ExactJson>

/** A number of {@link ExactJson}. */
export interface ExactNumber {
  /** The number as written, including `1.0` and `1e3`. */
  readonly digits: string
}

/** The maximum nesting depth of a document. Deeper ones would overflow the stack of functions that walk them. */
const maxDepth = 500

const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const blank = /[ \t\n\r]*/y
/** What JSON escapes in a string. */
const special = /["\\\0-\x1f\ud800-\udfff]/

/**
 * Parses a JSON text without losing digits. Of a repeated name, the last value counts.
 *
 * @throws SyntaxError for text that is not JSON, or is nested deeper than 500 levels. It never quotes the text.
 *
 * @example
 * ```ts
 * import { readExact, writeExact } from 'plinth/kv'
 *
 * writeExact(readExact('{"id": 12345678901234567890, "price": 1.10}')) // '{"id":12345678901234567890,"price":1.10}'
 * ```
 */
export function readExact(text: string): ExactJson {
  checkArguments('text', text)
  const reader = readerOf(text)
  const whole = valueIn(reader, 0)
  return reader.mark() === undefined ? whole : reader.fail()
}

/** Reads the value at the place of a reader. */
function valueIn(reader: Reader, depth: number): ExactJson {
  if (depth > maxDepth) throw new SyntaxError(`the JSON is nested deeper than ${maxDepth} levels`)
  const { next, fail } = reader
  switch (reader.mark()) {
    case '{': {
      next('{')
      const members = new Map<string, ExactJson>()
      if (next('}')) return members
      do {
        const name = reader.mark() === '"' ? reader.string() : fail()
        if (!next(':')) fail()
        members.set(name, valueIn(reader, depth + 1))
      } while (next(','))
      return next('}') ? members : fail()
    }
    case '[': {
      next('[')
      const items: ExactJson[] = []
      if (next(']')) return items
      do items.push(valueIn(reader, depth + 1))
      while (next(','))
      return next(']') ? items : fail()
    }
    case '"':
      return reader.string()
    case 't':
      return reader.word('true', true)
    case 'f':
      return reader.word('false', false)
    case 'n':
      return reader.word('null', null)
    default:
      return { digits: reader.take(numberToken) }
  }
}

type Reader = ReturnType<typeof readerOf>

/** Reads a text from token to token. */
function readerOf(text: string) {
  let at = 0
  const fail = (): never => {
    throw new SyntaxError(`not valid JSON at offset ${at}`)
  }
  const take = (token: RegExp): string => {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) return fail()
    at = token.lastIndex
    return match[0]
  }
  /** The next character that is not blank. */
  const mark = (): string | undefined => {
    if (text.charCodeAt(at) <= 32) take(blank)
    return text[at]
  }
  return {
    fail,
    take,
    mark,
    /** Steps over a character, if it is the next one. */
    next: (wanted: string): boolean => {
      if (mark() !== wanted) return false
      at += 1
      return true
    },
    word: <V>(spelling: string, value: V): V => {
      if (!text.startsWith(spelling, at)) fail()
      at += spelling.length
      return value
    },
    // Finds the closing quote with a loop, because a pattern would overflow the stack on long strings; the host
    // validates escapes and control characters.
    string: (): string => {
      let end = at
      do {
        end = text.indexOf('"', end + 1)
        if (end < 0) fail()
      } while (isEscaped(text, end))
      const start = at
      at = end + 1
      try {
        return JSON.parse(text.slice(start, at)) as string
      } catch {
        at = start
        return fail()
      }
    },
  }
}

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, place: number): boolean {
  let before = place - 1
  while (text[before] === '\\') before -= 1
  return (place - before) % 2 === 0
}

/**
 * Writes a value as compact JSON; numbers are unchanged.
 *
 * @example
 * ```ts
 * import { writeExact } from 'plinth/kv'
 *
 * writeExact({ digits: '10000000000000000.01' }) // '10000000000000000.01'
 * writeExact(new Map([['price', { digits: '1.10' }]])) // '{"price":1.10}'
 * ```
 */
export function writeExact(value: ExactJson): string {
  // Texts are put together without copies: a long one would be copied once for each level around it, and most strings
  // are as they are written.
  if (typeof value === 'string' && !special.test(value)) return `"${value}"`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if ('digits' in value) return value.digits
  let inner = ''
  if (isExactObject(value)) {
    for (const [name, member] of value) inner += `${inner && ','}${writeExact(name)}:${writeExact(member)}`
    return `{${inner}}`
  }
  for (const item of value) inner += `${inner && ','}${writeExact(item)}`
  return `[${inner}]`
}

/** Whether a value is an object, as `{…}` in JSON. */
export const isExactObject = (value: ExactJson | undefined): value is ReadonlyMap<string, ExactJson> =>
  value instanceof Map
