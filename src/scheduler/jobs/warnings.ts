import type { JobSpec } from './model.ts'

/**
 * What the writer of a job should know, though nothing is wrong with it.
 *
 * @example
 * ```ts
 * import { JobSpec, jobWarnings } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', Update: { MaxParallel: 5 }, TaskGroups: [{ Name: 'app', Count: 2 }] })
 * jobWarnings(job).length // 1
 * ```
 *
 * @public
 */
export function jobWarnings(job: JobSpec): readonly string[] {
  return job.TaskGroups.flatMap(({ Name, Count, Update, Disconnect }) => {
    const warnings: string[] = []
    if (Disconnect !== null && Disconnect.LostAfter > 0 && Disconnect.Replace !== false)
      warnings.push(
        `Group "${Name}": what is out of touch is not replaced before it is lost, as with replace = false.`,
      )
    const strategy = job.Type === 'service' ? (Update ?? job.Update) : null
    if (strategy === null) return warnings
    const { MaxParallel, Canary, AutoPromote } = strategy
    if (Count > 1 && MaxParallel > Count)
      warnings.push(
        `Group "${Name}": update max parallel count is greater than task group count (${MaxParallel} > ${Count}). A destructive change would replace all allocations at once.`,
      )
    if (AutoPromote && Canary === 0)
      warnings.push(`Group "${Name}": auto promote has no effect without canaries.`)
    return warnings
  })
}

/** Several warnings in one text, as clients of this service know it; empty for none. */
export const listWarnings = (warnings: readonly string[]): string =>
  warnings.length === 0
    ? ''
    : `${warnings.length} warning${warnings.length === 1 ? '' : 's'}:\n\n${warnings.map((each) => `* ${each}`).join('\n')}`
