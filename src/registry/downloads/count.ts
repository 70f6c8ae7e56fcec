import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, step } from '../../kernel/index.ts'
import type { DownloadCounter } from './model.ts'

/** A UTC day, counted from the Unix epoch. */
export const dayOf = (instant: number): number => Math.floor(instant / 86_400_000)

/** The windows of a summary, in days that end with today. */
export const windows = { week: 7, month: 30, year: 365 } as const

/**
 * Counts downloads of a module.
 *
 * @param counter - the current counts; `undefined` before the first download
 * @param input - the module, and the number of downloads
 *
 * @returns the new counter as its state, and the total as its value
 *
 * @example
 * ```ts
 * import { systemEnv, unwrapStep } from 'plinth'
 * import { countDownloads, summarizeDownloads } from 'plinth/registry'
 *
 * const env = systemEnv()
 * const { state, value } = unwrapStep(countDownloads(undefined, { moduleId: 'm1', count: 3 }, env))
 * value // 3
 * summarizeDownloads(state, env.now).week // 3
 * ```
 */
export function countDownloads(
  counter: DownloadCounter | undefined,
  input: { readonly moduleId: string; readonly count: number },
  env: Env,
): Outcome<DownloadCounter, number> {
  checkArguments('input env', input, env)
  const today = dayOf(env.now)
  return step(counter ?? emptyCounter(input.moduleId), (draft) => {
    for (const day of Object.keys(draft.days)) if (Number(day) <= today - windows.year) delete draft.days[day]
    draft.days[today] = (draft.days[today] ?? 0) + input.count
    draft.total += input.count
    return draft.total
  })
}

const emptyCounter = (moduleId: string): DownloadCounter => ({ moduleId, total: 0, days: {} })
