import type { Env } from '../../kernel/index.ts'
import { whyUnreachable } from '../unreachable.ts'

/** How often an outage that goes on is reported. */
const againMs = 60_000

/**
 * Reports failures: of the same ones in a row only the first, and another one each minute.
 *
 * @returns a function of what failed, and of its error
 */
export function outages(
  log: (text: string) => void,
  env: () => Pick<Env, 'now'>,
): (what: string, error: unknown) => void {
  const latest = new Map<string, { readonly why: string; readonly at: number }>()
  return (what, error) => {
    const [why, { now }] = [whyUnreachable(error), env()]
    const before = latest.get(what)
    if (before?.why === why && now - before.at < againMs) return
    latest.set(what, { why, at: now })
    log(`${what}: ${why}`)
  }
}
