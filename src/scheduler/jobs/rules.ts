import { scheduleProblems } from '../periodic/schedule.ts'
import { constraintProblems } from './constraint-problems.ts'
import { countProblem, groupsProblem, usualMaxCount } from './counts.ts'
import { limitProblems } from './limits.ts'
import type { JobSpec } from './model.ts'

/** Fields that differ between versions but are not part of the specification. */
export const bookkeeping: ReadonlySet<string> = new Set(['Version', 'VersionTag', 'SubmitTime', 'Stop'])

/**
 * Whether two specifications are equivalent.
 *
 * @example
 * ```ts
 * import { JobSpec, sameSpec } from 'plinth/scheduler'
 *
 * const web = JobSpec.parse({ ID: 'web' })
 * sameSpec(web, JobSpec.parse({ ID: 'web', Priority: 50 })) // true
 * sameSpec(web, JobSpec.parse({ ID: 'web', Priority: 70 })) // false
 * ```
 */
export function sameSpec(left: JobSpec, right: JobSpec): boolean {
  const strip = (job: JobSpec) => ({
    ...Object.fromEntries(Object.entries(job).filter(([field]) => !bookkeeping.has(field))),
    Name: job.Name === '' ? job.ID : job.Name,
  })
  return sameJson(strip(left), strip(right))
}

/** Deep equality of JSON data; the order of keys does not matter. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys)
    if (!Object.hasOwn(right, key) || !sameJson(Reflect.get(left, key), Reflect.get(right, key))) return false
  return true
}

/**
 * All problems of a specification beyond the shape of its fields; empty if there are none.
 *
 * @param limits - `maxCount`: the maximum number of allocations; 50,000 by default
 *
 * @example
 * ```ts
 * import { JobSpec, jobProblems } from 'plinth/scheduler'
 *
 * jobProblems(JobSpec.parse({ ID: 'web' })) // ['Missing job task groups']
 * ```
 */
export function jobProblems(
  job: JobSpec,
  { maxCount = usualMaxCount }: { readonly maxCount?: number | undefined } = {},
): readonly string[] {
  const groups = groupsProblem(job.TaskGroups.length)
  if (groups !== undefined) return [groups]
  const problems: string[] = []
  if (job.ID === '') problems.push('Missing job ID')
  if (job.ID.includes(' ')) problems.push('Job ID contains a space')
  if (job.ID.includes('\u0000')) problems.push('Job ID contains a null character')
  if (job.ID === '.' || job.ID === '..')
    problems.push(`Job ID must not be "${job.ID}": the API has no path for it`)
  if (/\p{Surrogate}/u.test(job.ID)) problems.push('Job ID is not valid Unicode')
  // No character has more than three bytes for one unit.
  if (job.ID.length * 3 > maxIdBytes && utf8.encode(job.ID).length > maxIdBytes)
    problems.push(`Job ID is longer than ${maxIdBytes} bytes`)
  if (job.TaskGroups.length === 0) problems.push('Missing job task groups')
  if (job.Datacenters.length === 0) problems.push('Missing job datacenters')
  if (job.Multiregion !== null)
    problems.push('Multiregion jobs are not supported: a job is registered in one region')
  if (job.Periodic !== null && job.Type !== 'batch' && job.Type !== 'sysbatch')
    problems.push(`Periodic can only be used with "batch" or "sysbatch" scheduler`)
  if (job.Periodic !== null) problems.push(...scheduleProblems(job.Periodic))
  if (job.ParameterizedJob !== null && job.Type !== 'batch' && job.Type !== 'sysbatch')
    problems.push(`Parameterized job can only be used with "batch" or "sysbatch" scheduler`)
  problems.push(...repeated('Job task group', job.TaskGroups))
  for (const group of job.TaskGroups) {
    if (group.Tasks.length === 0) problems.push(`Task group ${group.Name} has no tasks`)
    problems.push(...repeated(`Task group ${group.Name}: task`, group.Tasks))
    for (const { Name } of group.Tasks)
      if (/[\\/]/.test(Name)) problems.push(`Task name ${JSON.stringify(Name)} cannot include slashes`)
      else if (Name.includes('\u0000')) problems.push('Task name cannot include null character')
    for (const { Name, Resources } of group.Tasks)
      for (const what of ['CPU', 'MemoryMB', 'DiskMB'] as const)
        if (Resources[what] < 0) problems.push(`Task ${Name} has ${what} ${Resources[what]}, less than 0`)
    if (job.Type === 'system' && group.Count > 1)
      problems.push(
        `Job task group ${group.Name} has count ${group.Count}. Count cannot exceed 1 with system scheduler`,
      )
  }
  problems.push(...limitProblems(job), ...constraintProblems(job))
  const tooMany = countProblem(job, maxCount)
  if (tooMany !== undefined) problems.push(tooMany)
  return problems
}

const utf8 = new TextEncoder()

/** A child's ID is longer than its parent's, and both are parts of keys. */
const maxIdBytes = 512

function repeated(what: string, items: readonly { readonly Name: string }[]): readonly string[] {
  if (items.length < 2) return []
  const seen = new Set<string>()
  const problems: string[] = []
  for (const { Name } of items) {
    if (seen.has(Name)) problems.push(`${what} "${Name}" is defined more than once`)
    seen.add(Name)
  }
  return problems
}
