import type { Range } from './ast.ts'
import { FilterError, locate } from './error.ts'
import { hintOf } from './syntax-hints.ts'

/** What was expected where, and what was probably meant. `message`: what the grammar itself says is wrong. */
export function explainSyntax(
  source: string,
  message: string | null,
  start: number,
  until: number,
  expected: readonly string[] | null,
  bexpr: boolean,
): FilterError {
  if (message === unterminated) return unclosed(source)
  const wanted = new Set(expected)
  const { suggestion: meant, advice } = hintOf(source, start, wanted, bexpr)
  const word = meant === undefined ? unquotedWord(source, start, wanted) : undefined
  const range = { start, end: word?.end ?? Math.min(until, source.length) }
  const suggestion = word === undefined ? meant : suggestQuotes(source, word)
  const problem = message ?? `expected ${list(wanted)} but found ${found(source, start)}`
  const hint = suggestion === undefined ? (advice ?? '') : `did you mean ${suggestion}?`
  return syntaxError(source, range, hint === '' ? problem : `${problem}; ${hint}`, suggestion)
}

function syntaxError(source: string, range: Range, problem: string, suggestion?: string): FilterError {
  const { line, column } = locate(source, range)
  return new FilterError('parse', `${line}:${column}: ${problem}`, source, range, suggestion)
}

/** What the grammar says at the end of a text in which a quote is open. */
const unterminated = 'unterminated string'

/** The mistake is where the quote was opened. */
function unclosed(source: string): FilterError {
  let start = -1
  for (let next = source.search(/["`]/); next >= 0; ) {
    start = next
    const end = source.indexOf(source.charAt(start), start + 1)
    if (end < 0) break
    const gap = source.slice(end + 1).search(/["`]/)
    next = gap < 0 ? -1 : end + 1 + gap
  }
  return syntaxError(source, { start, end: source.length }, 'this string is not closed')
}

const found = (source: string, at: number): string => {
  const point = source.codePointAt(at)
  return point === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(point))
}

/** What may stand there: signs and keywords in quotes, what the grammar has a name for as it is, and kinds of things in a word. */
function list(expected: ReadonlySet<string>): string {
  // Only what begins a comparison can be a parenthesis, only a value anything else that begins so.
  if (expected.has('(')) return 'a comparison'
  if (expected.has('==')) {
    return `an operator (==, !=, ${expected.has('<') ? '<, ' : ''}in, contains, matches, is, …)`
  }
  if (expected.has('a number') && expected.has('a name')) return 'a value (a quoted text, a number, a word)'
  const names = [...expected]
    .filter((what) => what !== 'ignoring' && !(expected.has('and') && /^[.[]$/.test(what)))
    .map((what) => (what.includes(' ') ? what : JSON.stringify(what)))
    .sort()
  const last = names.pop() ?? 'nothing'
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`
}

/** A longer word is not repeated to whoever wrote it. */
const longestWord = 100

/** The word that reading broke off in: people write `Name == edge-07`, `Zone == 2a` and `Rate == 5%`. */
function unquotedWord(source: string, at: number, wanted: ReadonlySet<string>): Range | undefined {
  let start = at
  while (start > 0 && /[\w.-]/.test(source.charAt(start - 1))) start -= 1
  let end = at
  while (/[^\s()[\]{}"'`,;=<>!&|@]/.test(source.charAt(end))) end += 1
  // Where a value is wanted, whatever stands there might be one.
  const within = start < at && /[A-Za-z0-9]/.test(source.charAt(start))
  const isValue = wanted.has('a number') && !wanted.has('(')
  return end > at && end - start <= longestWord && (within || isValue) ? { start, end } : undefined
}

/** A value needs quotes; in a selector, `Meta.rack-no`, the last key does. */
function suggestQuotes(source: string, { start, end }: Range): string | undefined {
  const word = source.slice(start, end)
  const isSelector = /^\s*(?:[=!<>]|(?:in|is|not|contains|matches)\b)/.test(source.slice(end, end + 20))
  if (!isSelector || /\bin\s+$/.test(source.slice(0, start))) return JSON.stringify(word)
  const dot = word.lastIndexOf('.')
  return dot === -1 ? undefined : `${word.slice(0, dot)}[${JSON.stringify(word.slice(dot + 1))}]`
}
