/** What helps somebody who made a mistake of syntax: what stands there instead, or a word of advice. */
export interface SyntaxHint {
  readonly suggestion?: string
  readonly advice?: string
}

/**
 * What was probably meant at a place where reading broke off, in the order of how sure one can be; in `bexpr` nothing
 * that only `standard` knows.
 */
export function hintOf(
  source: string,
  at: number,
  expected: ReadonlySet<string>,
  bexpr: boolean,
): SyntaxHint {
  const before = source.slice(Math.max(0, at - nearby), at)
  const rest = source.slice(at, at + nearby)
  const suggestion =
    quoted(rest) ??
    (expected.has('==') ? operatorAt(before, rest) : undefined) ??
    turned(before, rest, expected) ??
    symbolAt(source, at) ??
    indexed(before, rest) ??
    keywordAt(before, rest, expected) ??
    unusualName(before, rest, expected)
  if (suggestion !== undefined) return bexpr && /[<>]|ignoring/.test(suggestion) ? {} : { suggestion }
  const advice = adviceAt(before, rest, expected)
  return advice === undefined ? {} : { advice: bexpr ? advice.replace(/;.*/, '') : advice }
}

/** What lies further off is not looked at, however long the text. */
const nearby = 120

/** Single and typographic quotes. */
const quoted = (rest: string): string | undefined => {
  const text = /^['‘’“”„«»]([^'"‘’“”„«»\\]*)['"‘’“”„«»]/.exec(rest)?.[1]
  return text === undefined ? undefined : JSON.stringify(text)
}

/** What other languages write; the longest first. */
const symbols: readonly (readonly [RegExp, string])[] = [
  [/===/y, '=='],
  [/!==/y, '!='],
  [/&&?/y, 'and'],
  [/\|\|?/y, 'or'],
  [/=>/y, '>='],
  [/=</y, '<='],
  [/<>/y, '!='],
  [/!(?=[a-z])/y, 'not'],
  [/!~\*?/y, 'not matches'],
  [/!(?!=)/y, 'not'],
  [/=~|~=|~\*?/y, 'matches'],
  [/(?<![=!<>])=(?!=)/y, '=='],
]

function symbolAt(source: string, at: number): string | undefined {
  for (const [symbol, word] of symbols) {
    // `===` fails at its third sign, `<>` at its second.
    for (const start of [at, at - 1, at - 2]) {
      symbol.lastIndex = Math.max(0, start)
      const hit = symbol.exec(source)
      if (hit !== null && hit.index + hit[0].length > at && hit[0] !== word) return word
    }
  }
  return undefined
}

const operators: Readonly<Record<string, string>> = {
  eq: '==',
  equals: '==',
  ne: '!=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  like: 'matches',
  ilike: 'matches',
  startswith: 'matches "^…"',
  starts: 'matches "^…"',
  endswith: 'matches "…$"',
  ends: 'matches "…$"',
  has: 'contains',
  includes: 'contains',
  does: 'not contains',
  contain: 'contains',
  between: '>= … and … <= …',
}

/** Where an operator must stand: another language's word for one, or `:`. */
function operatorAt(before: string, rest: string): string | undefined {
  if (/^:\s*["\w]/.test(rest)) return '=='
  const word = /^[A-Za-z]+/.exec(rest)?.[0].toLowerCase() ?? ''
  const operator = Object.hasOwn(operators, word) ? operators[word] : undefined
  if (operator === undefined || !operator.startsWith('>= …')) return operator
  const [, low, high] = /^\w+\s+(\S+)\s+and\s+(\S+)/i.exec(rest) ?? []
  const field = lastWord(before)
  return `${field} >= ${low ?? '…'} and ${field} <= ${high ?? '…'}`
}

/** What stands the wrong way round: `5 < Priority`, `Tags in "web"`, `Name not == "a"`. */
function turned(before: string, rest: string, expected: ReadonlySet<string>): string | undefined {
  const value = /("[^"]*"|`[^`]*`|-?[\d.]+)\s*$/.exec(before)?.[1]
  const [, sign, field] = /^(==|!=|<=?|>=?)\s*([A-Za-z][\w.]*)/.exec(rest) ?? []
  if (value !== undefined && sign !== undefined && field !== undefined && expected.has('in')) {
    return `${field} ${turnedSigns[sign] ?? sign} ${value}`
  }
  if (/\bnot\s*$/.test(before) && /^==?/.test(rest)) return '!='
  const [, list, not = ''] = /([A-Za-z][\w.]*)\s+(not\s+)?in\s*$/.exec(before) ?? []
  const text = /^"[^"]*"/.exec(rest)?.[0]
  return list === undefined || text === undefined ? undefined : `${text} ${not}in ${list}`
}

const turnedSigns: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/** `Tags[0]` and `Meta[team]`. */
function indexed(before: string, rest: string): string | undefined {
  const path = /([A-Za-z][\w.]*)\[\s*$/.exec(before)?.[1]
  const key = /^([\w-]+)\s*\]/.exec(rest)?.[1]
  if (path === undefined || key === undefined) return undefined
  return /^\d+$/.test(key) ? `${path}.${key}` : `${path}["${key}"]`
}

const keywords = ['and', 'or', 'not', 'in', 'contains', 'matches', 'is', 'empty', 'nil', 'any', 'all', 'as']

function keywordAt(before: string, rest: string, expected: ReadonlySet<string>): string | undefined {
  const word = /^[A-Za-z]+/.exec(rest)?.[0] ?? ''
  const lower = word.toLowerCase()
  if (word !== lower && keywords.includes(lower)) return lower
  if (expected.has('nil') && /^(?:null|none|undefined)$/.test(lower)) return 'nil'
  if (/^ignor(?:e|ecase)$/.test(lower)) return 'ignoring case'
  // `Stable is true`, `Name is not "a"`.
  const not = /\bis\s+(not\s+)?$/.exec(before)
  if (expected.has('empty') && not !== null) {
    const value = /^(?:"[^"]*"|[\w.-]+)/.exec(rest)?.[0]
    if (value !== undefined) return `${not[1] === undefined ? '==' : '!='} ${value}`
  }
  // `NOT Name == "a"` reads `NOT` as a name.
  const [, last = ''] = /(?:^|[\s(])([A-Z]+)\s+$/.exec(before) ?? []
  return expected.has('==') && keywords.includes(last.toLowerCase()) ? last.toLowerCase() : undefined
}

/** `Größe == 5`: a pointer takes what a name does not. */
function unusualName(before: string, rest: string, expected: ReadonlySet<string>): string | undefined {
  if (!expected.has('==') && !expected.has('(')) return undefined
  const more = /^(?:[^\0-\x7f]|_)[\p{L}\p{N}_.-]*/u.exec(rest)?.[0]
  const start = /[\w.]*$/.exec(before)?.[0] ?? ''
  return more !== undefined && /^[\p{L}\p{N}_]/u.test(more) ? `"/${start}${more}"` : undefined
}

function adviceAt(before: string, rest: string, expected: ReadonlySet<string>): string | undefined {
  const ends = /^\s*(?:$|[)}]|(?:and|or)\b)/.test(rest)
  const last = lastWord(before)
  if (expected.has('==')) {
    if (last === 'and' || last === 'or') return `"${last}" stands between two comparisons`
    if (ends) return `a field is compared with something, as in ${last} == true or ${last} is not empty`
    if (rest.startsWith('(')) return 'there are no functions'
  }
  if (expected.has('in') && ends) {
    return 'each side of "and" and "or" is a comparison of its own; a field is compared with several values as in Name in ["a", "b"]'
  }
  if (expected.has('[') && rest.startsWith('(')) return 'a list is written ["a", "b"]'
  if (expected.has('as') || expected.has('{')) return 'it is written any Tags as t { t == "web" }'
  if (expected.has('and')) {
    if (/^(?:#|\/\/|--|\/\*)/.test(rest)) return 'there are no comments'
    if (rest.startsWith(';')) return 'no sign ends an expression'
    if (rest.startsWith(')')) return 'no parenthesis is open here'
    if (rest.startsWith(',')) return 'comparisons are joined by "and" or "or"'
  }
  return expected.has(')') && rest === '' ? 'a parenthesis is not closed' : undefined
}

const lastWord = (before: string): string => /[\w.[\]"-]+(?=\s*$)/.exec(before)?.[0] ?? ''
