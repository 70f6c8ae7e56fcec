import type { Range } from './ast.ts'
import type { Advise } from './syntax-error.ts'
import { hintOf } from './syntax-hints.ts'

/** What was probably meant; else quotes around the word in which reading broke off; else a word of advice. */
export const adviseSyntax: Advise = (source, at, expected, bexpr) => {
  const hint = hintOf(source, at, expected, bexpr)
  const word = hint.suggestion === undefined ? unquotedWord(source, at, expected) : undefined
  return word === undefined ? hint : { ...hint, end: word.end, suggestion: suggestQuotes(source, word) }
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
