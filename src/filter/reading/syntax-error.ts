import type { Advice } from '../advising/advice.ts'
import { FilterError, locate } from '../error.ts'
import type { Expectation, SyntaxError as Unreadable } from '../generated/filter-parser.js'

/** Describes a syntax error: what was expected, and a suggestion, or the message of the grammar. */
export function explainSyntax(
  source: string,
  { message, expected, location }: Unreadable,
  bexpr: boolean,
  advise: Advice['syntax'] | undefined,
): FilterError {
  const at = location.start.offset
  const wanted = new Set(expected?.map(textOf).filter((text) => text !== undefined))
  const {
    start = at,
    end = Math.max(location.end.offset, wordEnd(source, at)),
    expectation = listed(wanted),
    suggestion,
    advice = '',
  } = advise?.(source, at, wanted, bexpr) ?? {}
  const problem = expected ? `expected ${expectation} but found ${found(source, at)}` : message
  const { line, column } = locate(source, { start: at, end })
  const full = `${line}:${column}: ${problem}${advice}`
  return new FilterError('parse', full, source, { start, end }, suggestion)
}

/** A token, the name of a rule, or the end; `undefined` for character classes. */
const textOf = (what: Expectation): string | undefined => {
  if (what.type === 'end') return 'the end'
  return what.type === 'literal' ? what.text : what.type === 'other' ? what.description : undefined
}

/** A whole word, or else one character. */
const found = (source: string, at: number): string => {
  const end = wordEnd(source, at)
  // Parsing may stop within a word whose first part is a keyword.
  const start = end === at ? at : at - (/\w*$/.exec(source.slice(Math.max(0, at - 40), at))?.[0].length ?? 0)
  const [character] = source.slice(at, at + 2)
  return character === undefined ? 'the end' : JSON.stringify(source.slice(start, end) || character)
}

/** The end of the word that begins here; this position if there is none. Messages quote at most a line of it. */
const wordEnd = (source: string, at: number): number =>
  at + (/^\w{0,40}/.exec(source.slice(at, at + 40))?.[0].length ?? 0)

/** A list of texts, the last one after "or". */
export function listed(texts: Iterable<string>): string {
  const all = [...texts].sort()
  const last = all.pop() ?? 'nothing'
  return all.length === 0 ? last : `${all.join(', ')} or ${last}`
}
