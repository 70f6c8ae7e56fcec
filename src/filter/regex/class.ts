import type { Cursor } from './cursor.ts'
import { RegexSyntaxError } from './error.ts'
import { readEscape } from './escape.ts'
import { foldClosure } from './folding.ts'
import { property } from './property.ts'
import { complement, normalise, type Ranges } from './ranges.ts'

/** Classes by name, each written as the first and last characters of its ranges. */
const classes = (spans: Readonly<Record<string, string>>): ReadonlyMap<string, Ranges> =>
  new Map(
    Object.entries(spans).map(([name, text]) => [name, Array.from(text, (bound) => bound.charCodeAt(0))]),
  )

/** The classes written with a letter; upper case negates them. */
const PERL = /* @__PURE__ */ classes({ d: '09', s: '\t\n\f\r  ', w: '09AZ__az' })

/** The classes written as `[:name:]` inside brackets. */
const POSIX = /* @__PURE__ */ classes({
  alnum: '09AZaz',
  alpha: 'AZaz',
  ascii: '\0\x7f',
  blank: '\t\t  ',
  cntrl: '\0\x1f\x7f\x7f',
  digit: '09',
  graph: '!~',
  lower: 'az',
  print: ' ~',
  punct: '!/:@[`{~',
  space: '\t\r  ',
  upper: 'AZ',
  word: '09AZ__az',
  xdigit: '09AFaf',
})

/** Applies the flags and the negation to a set: case folding first, then negation. */
export const adapt = (set: Ranges, fold: boolean, negated: boolean): Ranges => {
  const folded = fold ? foldClosure(set) : set
  return negated ? complement(folded) : folded
}

/** Reads `\d`, `\W`, `\pL`, `\P{Greek}`; undefined, with nothing consumed, if there is no such class here. */
export function readEscapedClass(cursor: Cursor, fold: boolean): Ranges | undefined {
  const start = cursor.at
  const letter = cursor.pattern[start + 1] ?? ''
  if (cursor.here !== '\\') return undefined
  const perl = PERL.get(letter.toLowerCase())
  const negated = letter < 'a'
  if (perl !== undefined) {
    cursor.at += 2
    return adapt(perl, fold, negated)
  }
  if (letter !== 'p' && letter !== 'P') return undefined
  cursor.at += 2
  let name = cursor.next()
  if (name === '{') {
    const end = cursor.pattern.indexOf('}', start)
    if (end < 0)
      throw new RegexSyntaxError('invalid character class range', cursor.pattern.slice(start), start)
    name = cursor.pattern.slice(cursor.at, end)
    cursor.at = end + 1
  }
  const inverted = name.startsWith('^')
  const set = property(inverted ? name.slice(1) : name)
  if (set === undefined) throw cursor.fault('invalid character class range', start)
  return adapt(set, fold, negated !== inverted)
}

/** Reads a bracket expression. */
export function readClass(cursor: Cursor, fold: boolean): Ranges {
  const start = cursor.at
  cursor.next()
  const negated = cursor.skip('^')
  const plain: number[] = []
  const whole: number[] = []
  for (let first = true; first || cursor.here !== ']'; first = false) {
    const named = readPosix(cursor, fold) ?? readEscapedClass(cursor, fold)
    if (named !== undefined) for (const bound of named) whole.push(bound)
    else plain.push(...readSpan(cursor, start))
  }
  cursor.next()
  if (plain.length > 0) for (const bound of adapt(normalise(plain), fold, false)) whole.push(bound)
  const set = normalise(whole)
  return negated ? complement(set) : set
}

function readPosix(cursor: Cursor, fold: boolean): Ranges | undefined {
  const start = cursor.at
  const end = cursor.pattern.indexOf(':]', start + 2)
  if (!cursor.pattern.startsWith('[:', start) || end < 0) return undefined
  cursor.at = end + 2
  const inverted = cursor.pattern[start + 2] === '^'
  const set = POSIX.get(cursor.pattern.slice(start + (inverted ? 3 : 2), end))
  if (set === undefined) throw cursor.fault('invalid character class range', start)
  return adapt(set, fold, inverted)
}

/** Reads `a` or `a-z`. */
function readSpan(cursor: Cursor, classStart: number): readonly [number, number] {
  const start = cursor.at
  const first = readMember(cursor, classStart)
  const after = cursor.pattern[cursor.at + 1]
  if (cursor.here !== '-' || after === undefined || after === ']') return [first, first]
  cursor.next()
  const last = readMember(cursor, classStart)
  if (last < first) throw cursor.fault('invalid character class range', start)
  return [first, last]
}

function readMember(cursor: Cursor, classStart: number): number {
  if (cursor.done) throw cursor.fault('missing closing ]', classStart)
  return cursor.here === '\\' ? readEscape(cursor) : (cursor.next().codePointAt(0) ?? 0)
}
