import { FilterError, locate } from './error.ts'

/** What helps somebody who made a mistake of syntax. */
export interface SyntaxAdvice {
  /** Where what is wrong ends, if that is further than a character. */
  readonly end?: number
  /** What probably should stand there. */
  readonly suggestion?: string | undefined
  /** A word of advice, where nothing can be suggested. */
  readonly advice?: string | undefined
}

/** Looks for advice on the place where reading broke off; in `bexpr` nothing that only `standard` knows. */
export type Advise = (
  source: string,
  at: number,
  expected: ReadonlySet<string>,
  bexpr: boolean,
) => SyntaxAdvice

/** What was expected where, and what was probably meant. `message`: what the grammar itself says is wrong. */
export function explainSyntax(
  source: string,
  message: string | null,
  start: number,
  until: number,
  expected: readonly string[] | null,
  bexpr: boolean,
  advise: Advise | undefined,
): FilterError {
  const wanted = new Set(expected)
  const { end, suggestion, advice } = advise?.(source, start, wanted, bexpr) ?? {}
  const range = { start, end: end ?? Math.min(until, source.length) }
  const problem = message ?? `expected ${list(wanted)} but found ${found(source, start)}`
  const hint = suggestion === undefined ? (advice ?? '') : `did you mean ${suggestion}?`
  const { line, column } = locate(source, range)
  const full = `${line}:${column}: ${problem}${hint === '' ? '' : `; ${hint}`}`
  return new FilterError('parse', full, source, range, suggestion)
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
