import type { Dialect } from '../reading/read.ts'

/** The kind of a token, for highlighting. */
export type TokenKind =
  | 'field'
  | 'keyword'
  | 'operator'
  | 'string'
  | 'word'
  | 'number'
  | 'boolean'
  | 'moment'
  | 'parameter'
  | 'name'
  | 'bracket'
  | 'separator'
  | 'invalid'

/** The context of a token, from the text before it. */
export interface TokenizerState {
  /** What comes next: `collection` is a selector after `any`, `count` or `in`. */
  expected: 'operand' | 'operator' | 'value' | 'collection' | 'names'
  /** Whether a backtick string began on an earlier line. */
  isInRawString: boolean
  isInList: boolean
  /** Whether the next `and` belongs to `between`. */
  isInRange: boolean
}

/** A token: its end and its kind; no kind for whitespace. */
export interface Token {
  readonly end: number
  readonly kind: TokenKind | undefined
}

export const startOfExpression = (): TokenizerState => ({
  expected: 'operand',
  isInRawString: false,
  isInList: false,
  isInRange: false,
})

const whitespace = /\s+/y
const bracket = /[()[\]{}]/y
/** A quoted path: `"/Meta/team"`. */
const pointer = /^"(?:\/[^/"\s]+)+"$/
const quoted = /"[^"]*(?:"|$)/y
const raw = /`[^`]*(?:`|$)/y
const restOfRaw = /[^`]*(?:`|$)/y
const moment = /now(?:\s*[+-]\s*[0-9.][0-9a-zµμ.]*)?(?![\w.-])/y
const hyphenated = /\w[\w.:]*(?:-[\w.:]*)+/y
const number = /-?\d+(?:\.\d+)?(?![\w.])/y
const parameter = /\$\w*/y
const paths: Readonly<Record<Dialect, RegExp>> = {
  standard: /(?:@|[A-Za-z]\w*)(?:\.\w+|\[\s*(?:"[^"]*"|`[^`]*`)\s*\])*/y,
  bexpr: /[A-Za-z][\w/]*(?:\.[\w/]+|\[\s*(?:"[^"]*"|`[^`]*`)\s*\])*/y,
}
const fieldOperand = /@"[^"]*"|@(?:[A-Za-z]\w*)?(?:\.\w+|\[\s*(?:"[^"]*"|`[^`]*`)\s*\])*/y
const signs: Readonly<Record<Dialect, RegExp>> = { standard: /[=!]=|[<>]=?/y, bexpr: /[=!]=/y }
const name = /[A-Za-z]\w*|_/y
const word = /[A-Za-z]\w*/y
const junk = /[^\s()[\]{}"`,]+|./y

/** After a path: what follows may be a value. */
const isSoughtIn = /\s*(?:not\s+)?in\b(?!\s*\[)/y
/** After a keyword: it is a field after all, since nothing is reserved. */
const isCompared =
  /\s*(?:[=!]=|[<>.[])|\s+(?:is|in|not\s+in|not\s+contains|not\s+matches|contains|matches|between|starts|ends)\b(?!\s*(?:[=!]=|[<>.]))/y

const openers: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  standard: new Set(['not', 'any', 'all', 'none', 'count']),
  bexpr: new Set(['not', 'any', 'all']),
}

type Expected = TokenizerState['expected']

/** The words between operands, and what each expects next. */
const followers: Readonly<Record<string, Expected>> = {
  and: 'operand',
  or: 'operand',
  as: 'names',
  in: 'collection',
  contains: 'value',
  matches: 'value',
  is: 'operator',
  not: 'operator',
  empty: 'operator',
  nil: 'operator',
}
const standardFollowers: Readonly<Record<string, Expected>> = {
  ...followers,
  with: 'value',
  between: 'value',
  starts: 'operator',
  ends: 'operator',
  ignoring: 'operator',
  case: 'operator',
  true: 'operator',
  false: 'operator',
  missing: 'operator',
  present: 'operator',
}

const endOf = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** Reads the token at a position of a line, and updates the state for the next ones. */
export function nextToken(line: string, at: number, state: TokenizerState, dialect: Dialect): Token {
  if (state.isInRawString) {
    const end = endOf(restOfRaw, line, at) ?? line.length
    return text(line, at, end, state)
  }
  const blank = endOf(whitespace, line, at)
  if (blank !== undefined) return { end: blank, kind: undefined }
  switch (state.expected) {
    case 'operand':
      return operand(line, at, state, dialect) ?? sign(line, at, state)
    case 'operator':
      return operator(line, at, state, dialect) ?? sign(line, at, state)
    case 'value':
      return value(line, at, state, dialect) ?? sign(line, at, state)
    case 'collection':
      return collection(line, at, state, dialect) ?? sign(line, at, state)
    case 'names':
      return named(line, at, name, 'name') ?? sign(line, at, state)
    default:
      return state.expected satisfies never
  }
}

const named = (line: string, at: number, pattern: RegExp, kind: TokenKind): Token | undefined => {
  const end = endOf(pattern, line, at)
  return end === undefined || end === at ? undefined : { end, kind }
}

/** A string, which ends here or on a later line. */
function text(line: string, at: number, end: number, state: TokenizerState): Token {
  const isRaw = state.isInRawString || line.charAt(at) === '`'
  const isClosed = end > at + (state.isInRawString ? 0 : 1) && line.charAt(end - 1) === '`'
  state.isInRawString = isRaw && !isClosed
  if (!state.isInRawString) state.expected = 'operator'
  return { end, kind: 'string' }
}

/** Values that look the same on both sides of an operator. */
function literal(line: string, at: number, state: TokenizerState, dialect: Dialect): Token | undefined {
  const standard = dialect === 'standard'
  const end = endOf(quoted, line, at) ?? endOf(raw, line, at)
  if (end !== undefined) return text(line, at, end, state)
  return (
    (standard
      ? (named(line, at, moment, 'moment') ??
        named(line, at, hyphenated, 'word') ??
        named(line, at, parameter, 'parameter'))
      : undefined) ?? named(line, at, number, 'number')
  )
}

function operand(line: string, at: number, state: TokenizerState, dialect: Dialect): Token | undefined {
  const end = endOf(paths[dialect], line, at)
  const whole = end === undefined ? '' : line.slice(at, end)
  if (openers[dialect].has(whole) && endOf(isCompared, line, at + whole.length) === undefined) {
    if (whole !== 'not') state.expected = 'collection'
    return { end: at + whole.length, kind: 'keyword' }
  }
  const found = literal(line, at, state, dialect)
  if (found?.kind === 'string' && pointer.test(line.slice(at, found.end)) && !isSought(line, found.end))
    return { end: found.end, kind: 'field' }
  // `now` alone may be a field.
  if (found !== undefined && found.end !== end) {
    if (!state.isInRawString) state.expected = 'operator'
    return found
  }
  if (end === undefined) return undefined
  state.expected = 'operator'
  return { end, kind: isSought(line, end) ? (found?.kind ?? 'word') : 'field' }
}

const isSought = (line: string, end: number) => endOf(isSoughtIn, line, end) !== undefined

function operator(line: string, at: number, state: TokenizerState, dialect: Dialect): Token | undefined {
  const compared = named(line, at, signs[dialect], 'operator')
  if (compared !== undefined) {
    state.expected = 'value'
    return compared
  }
  const end = endOf(word, line, at)
  if (end === undefined) return undefined
  const whole = line.slice(at, end)
  const words = dialect === 'standard' ? standardFollowers : followers
  if (!Object.hasOwn(words, whole)) return { end, kind: 'invalid' }
  state.expected = whole === 'and' && state.isInRange ? 'value' : (words[whole] ?? 'operator')
  state.isInRange = whole === 'between'
  return { end, kind: 'keyword' }
}

function value(line: string, at: number, state: TokenizerState, dialect: Dialect): Token | undefined {
  const found =
    literal(line, at, state, dialect) ??
    (dialect === 'standard' ? named(line, at, fieldOperand, 'field') : undefined) ??
    named(line, at, paths[dialect], 'word')
  if (found === undefined) return undefined
  if (!state.isInRawString) state.expected = 'operator'
  const isBoolean = found.kind === 'word' && /^(?:true|false)$/.test(line.slice(at, found.end))
  return isBoolean ? { end: found.end, kind: 'boolean' } : found
}

function collection(line: string, at: number, state: TokenizerState, dialect: Dialect): Token | undefined {
  const pointer = endOf(quoted, line, at)
  const found =
    pointer === undefined
      ? named(line, at, paths[dialect], 'field')
      : { end: pointer, kind: 'field' as const }
  if (found !== undefined) state.expected = 'operator'
  return found
}

/** Brackets, commas, and anything invalid. */
function sign(line: string, at: number, state: TokenizerState): Token {
  const end = endOf(bracket, line, at)
  if (end === undefined) {
    if (line.charAt(at) === ',') {
      if (state.isInList) state.expected = 'value'
      return { end: at + 1, kind: 'separator' }
    }
    return { end: endOf(junk, line, at) ?? at + 1, kind: 'invalid' }
  }
  const written = line.charAt(at)
  state.isInList = written === '['
  if (written === '(' || written === '{') state.expected = 'operand'
  else state.expected = written === '[' ? 'value' : 'operator'
  return { end, kind: 'bracket' }
}
