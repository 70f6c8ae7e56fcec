import { formatPath } from '../../http/index.ts'
import { runToEnd } from '../../kernel/run-to-end.ts'
import { groupsProblem } from '../jobs/counts.ts'
import { JobSpec } from '../jobs/model.ts'
import { jobProblems } from '../jobs/rules.ts'
import { listProblems } from '../pools/rules.ts'
import { shortened } from '../values/shortened.ts'
import { fieldOf } from './body-fields.ts'
import { lookThrough, maxDepth } from './depth.ts'
import { foldNames } from './fold-names.ts'

type SpecRead =
  | { readonly ok: true; readonly value: JobSpec }
  | { readonly ok: false; readonly problems: readonly string[]; readonly summary: string }

type Issues = readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]

/**
 * Reads the specification in a body, or returns all its problems, as a list and as one text.
 *
 * @param judge - finds the problems of a job of valid shape; also called for the valid part of others
 */
export const readSpec = (...given: Parameters<typeof readingSpec>): SpecRead =>
  runToEnd(readingSpec(...given))

/** The same in steps, between which the event loop may continue. */
export function* readingSpec(
  raw: Readonly<Record<string, unknown>>,
  namespace: string,
  judge: (job: JobSpec) => readonly string[] = jobProblems,
): Generator<undefined, SpecRead> {
  const unread = (problems: readonly string[], summary: string = listProblems(problems)) =>
    ({ ok: false, problems, summary }) as const
  const { isTooDeep, hasNegativeZero } = lookThrough(raw)
  if (isTooDeep) {
    const problem = `the job is nested more than ${maxDepth} levels deep`
    return unread([problem], problem)
  }
  const own = fieldOf(raw, 'Namespace') ?? ''
  if (typeof own !== 'string')
    return unread([`Namespace: expected a string, received ${shortened(JSON.stringify(own))}`])
  const groups = fieldOf(raw, 'TaskGroups')
  const tooMany = Array.isArray(groups) ? groupsProblem(groups.length) : undefined
  if (tooMany !== undefined) return unread([tooMany])
  yield
  const spelled = withLeastCounts({ ...Object(foldNames(JobSpec, raw)), Namespace: namespace })
  yield
  const parsed = JobSpec.safeParse(spelled)
  // JSON text has no -0 after serialization.
  if (parsed.success)
    return { ok: true, value: hasNegativeZero ? JSON.parse(JSON.stringify(parsed.data)) : parsed.data }
  const { issues } = parsed.error
  const shapes = issues.map((issue) => shapeProblem(issue, spelled))
  return unread([...new Set([...shapes, ...judge(legible(issues, spelled))])])
}

/** The job with the smallest count that its scaling policy allows in each group that has no count of its own. */
function withLeastCounts(job: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { TaskGroups: groups } = job
  if (!Array.isArray(groups)) return job
  const leastOf = (group: unknown) => {
    const [count, scaling] = [fieldOf(group, 'Count'), fieldOf(group, 'Scaling')]
    return count === undefined && scaling !== undefined ? fieldOf(scaling, 'Min') : undefined
  }
  if (!groups.some((group) => typeof leastOf(group) === 'number')) return job
  const counted = groups.map((group: unknown) => {
    const least = leastOf(group)
    return typeof least === 'number' ? Object.assign({}, group, { Count: least }) : group
  })
  return { ...job, TaskGroups: counted }
}

/** The message about a field of the wrong shape, as existing services word it. */
function shapeProblem({ path, message }: Issues[number], spelled: Readonly<Record<string, unknown>>): string {
  const [field = '', ...within] = path
  const given = spelled[String(field)]
  if (within.length > 0) return `${formatPath(path)}: ${message}`
  if (field === 'Type')
    return given === '' ? 'Missing job type' : `Invalid job type: ${shortened(JSON.stringify(given))}`
  if (field === 'Priority') return 'job priority must be between [1, 100]'
  if (field === 'ID' && (given ?? '') === '') return 'Missing job ID'
  if (field === 'ID' && typeof given === 'string') return message
  return `${formatPath(path)}: ${message}`
}

/** The job without its invalid fields and those that depend on them. */
function legible(issues: Issues, spelled: Readonly<Record<string, unknown>>): JobSpec {
  const rest: Record<string, unknown> = { ...spelled }
  for (const { path } of issues) {
    const field = String(path[0])
    rest[field] = standIns[field]
    // Launching depends on the type.
    if (field === 'Type') Object.assign(rest, { Periodic: null, ParameterizedJob: null })
  }
  return JobSpec.parse(rest)
}

/** A valid value for a required field. */
const standIns: Readonly<Record<string, unknown>> = {
  ID: 'unread',
  TaskGroups: [{ Name: 'unread', Tasks: [{ Name: 'unread' }] }],
}
