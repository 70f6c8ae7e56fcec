import type { Advice } from './advice.ts'
import { FilterError, locate } from './error.ts'

/** What was expected where, and what was probably meant. `message`: what the grammar itself says is wrong. */
export function explainSyntax(
  source: string,
  message: string | null,
  at: number,
  until: number,
  expected: readonly string[] | null,
  bexpr: boolean,
  advise: Advice['syntax'] | undefined,
): FilterError {
  const wanted = new Set(expected)
  const {
    start = at,
    end = Math.min(until, source.length),
    expectation = listed(wanted),
    suggestion,
    advice = '',
  } = advise?.(source, at, wanted, bexpr) ?? {}
  const problem = message ?? `expected ${expectation} but found ${found(source, at)}`
  const { line, column } = locate(source, { start: at, end })
  const full = `${line}:${column}: ${problem}${advice}`
  return new FilterError('parse', full, source, { start, end }, suggestion)
}

const found = (source: string, at: number): string => {
  const [character] = source.slice(at, at + 2)
  return character === undefined ? 'the end' : JSON.stringify(character)
}

/** Some texts, of which the last comes behind an "or". */
export function listed(texts: Iterable<string>): string {
  const all = [...texts].sort()
  const last = all.pop() ?? 'nothing'
  return all.length === 0 ? last : `${all.join(', ')} or ${last}`
}
