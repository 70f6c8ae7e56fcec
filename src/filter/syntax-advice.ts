import type { Advice } from './advice.ts'
import type { Range } from './ast.ts'
import { listed } from './syntax-error.ts'
import { hintOf } from './syntax-hints.ts'

/** What was probably meant; else quotes around the word in which reading broke off; else a word of advice. */
export const adviseSyntax: Advice['syntax'] = (source, at, expected, bexpr) => {
  const hint = hintOf(source, at, expected, bexpr)
  const word = hint.suggestion === undefined ? unquotedWord(source, at, expected) : undefined
  const expectation = expectationOf(expected)
  return word === undefined
    ? { ...hint, expectation }
    : { ...hint, expectation, end: word.end, suggestion: suggestQuotes(source, word) }
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

/** What may stand there: signs and keywords in quotes, what the grammar has a name for as it is, and kinds of things in a word. */
function expectationOf(expected: ReadonlySet<string>): string {
  // Only what begins a comparison can be a parenthesis, only a value anything else that begins so.
  if (expected.has('(')) return 'a comparison'
  if (expected.has('==')) {
    return `an operator (==, !=, ${expected.has('<') ? '<, ' : ''}in, contains, matches, is, …)`
  }
  if (expected.has('a number') && expected.has('a name')) return 'a value (a quoted text, a number, a word)'
  const names = [...expected]
    .filter((what) => what !== 'ignoring' && !(expected.has('and') && /^[.[]$/.test(what)))
    .map((what) => (what.includes(' ') ? what : JSON.stringify(what)))
  return listed(names)
}
