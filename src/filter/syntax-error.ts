import type { Advice } from './advice.ts'
import { FilterError, locate } from './error.ts'

/** What was expected where, and what was probably meant. `message`: what the grammar itself says is wrong. */
export function explainSyntax(
  source: string,
  message: string | null,
  start: number,
  until: number,
  expected: readonly string[] | null,
  bexpr: boolean,
  advise: Advice['syntax'] | undefined,
): FilterError {
  const wanted = new Set(expected)
  const {
    end,
    expectation = listed(wanted),
    suggestion,
    advice,
  } = advise?.(source, start, wanted, bexpr) ?? {}
  const range = { start, end: end ?? Math.min(until, source.length) }
  const problem = message ?? `expected ${expectation} but found ${found(source, start)}`
  const hint = suggestion === undefined ? (advice ?? '') : `did you mean ${suggestion}?`
  const { line, column } = locate(source, range)
  const full = `${line}:${column}: ${problem}${hint === '' ? '' : `; ${hint}`}`
  return new FilterError('parse', full, source, range, suggestion)
}

const found = (source: string, at: number): string => {
  const point = source.codePointAt(at)
  return point === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(point))
}

/** Some texts, of which the last comes behind an "or". */
export function listed(texts: Iterable<string>): string {
  const all = [...texts].sort()
  const last = all.pop() ?? 'nothing'
  return all.length === 0 ? last : `${all.join(', ')} or ${last}`
}
