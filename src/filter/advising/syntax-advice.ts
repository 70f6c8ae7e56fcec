import { listed } from '../reading/syntax-error.ts'
import type { Advice } from './advice.ts'
import { nearby, rewriteAt } from './syntax-rewrites.ts'

/** The probable intention; else general advice. For `bexpr`, only what that dialect supports. */
export const adviseSyntax: Advice['syntax'] = (source, at, expected, bexpr) => {
  const rewrite = rewriteAt(source, at, bexpr)
  const expectation = expectationOf(expected)
  if (rewrite !== undefined) return { ...rewrite, expectation }
  const word = adviceAt(source, at, expected)
  return { expectation, advice: word && `; ${bexpr ? word.replace(/;.*/, '') : word}` }
}

/**
 * What is expected: punctuation and keywords in quotes, the grammar's named rules as they are, and the others by
 * category.
 */
function expectationOf(expected: ReadonlySet<string>): string {
  // Only the start of a comparison can be a parenthesis; anything else that can start one is a value.
  if (expected.has('(')) return 'a comparison'
  if (expected.has('==')) {
    return `an operator (==, !=, ${expected.has('<') ? '<, ' : ''}in, contains, matches, is, …)`
  }
  if (expected.has('a number') && expected.has('a name')) return 'a value (a quoted string, a number, a word)'
  const names = [...expected]
    .filter((what) => what !== 'ignoring' && !(expected.has('and') && /^[.[]$/.test(what)))
    .map((what) => (what.includes(' ') ? what : JSON.stringify(what)))
  return listed(names)
}

/** Advice for errors without a suggestion. */
function adviceAt(source: string, at: number, expected: ReadonlySet<string>): string | undefined {
  const before = source.slice(Math.max(0, at - nearby), at)
  const rest = source.slice(at, at + nearby)
  const ends = /^\s*($|[)}]|(and|or)\b)/.test(rest)
  const [last = ''] = /[\w.[\]"-]+(?=\s*$)/.exec(before) ?? []
  if (expected.has('==')) {
    if (last === 'and' || last === 'or') return `"${last}" must be between two comparisons`
    if (ends) return `a field is compared with something, as in ${last} == true or ${last} is not empty`
    if (rest.startsWith('(')) return 'there are no functions'
  }
  if (expected.has('in') && ends) {
    return 'each side of "and" and "or" is a comparison; a field is compared with several values as in Name in ["a", "b"]'
  }
  if (expected.has('as') || expected.has('{')) return 'write any Tags as t { t == "web" }'
  if (expected.has('and')) {
    if (/^(#|\/\/|--|\/\*)/.test(rest)) return 'there are no comments'
    if (rest.startsWith(')')) return 'no parenthesis is open here'
    if (rest.startsWith(',')) return 'comparisons are joined by "and" or "or"'
  }
  return expected.has(')') && rest === '' ? 'a parenthesis is not closed' : undefined
}
