import { formatPath } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { JobSpec } from '../jobs/model.ts'
import type { Preserving } from '../jobs/preserve.ts'
import { listProblems } from '../pools/rules.ts'
import { hasNegativeZero, isTooDeep, maxDepth } from './depth.ts'
import { foldNames } from './fold-names.ts'

/** What reading the body of a registration may refuse. */
export type RegisterBodyRefusal =
  | 'body_empty'
  | 'body_not_object'
  | 'job_missing'
  | 'job_id_missing'
  | 'job_id_mismatch'
  | 'invalid_job'
  | 'invalid_job_index'
  | 'invalid_priority'
  | 'invalid_preserve'

/** A registration as its body asks for it. */
export interface RegisterBody extends Required<Preserving> {
  readonly job: JobSpec
  readonly enforceIndex: number | undefined
  readonly evalPriority: number | undefined
}

type Read = { readonly ok: true; readonly value: RegisterBody } | Refused<RegisterBodyRefusal>

/** A field of a body, whatever the case of its name; the exact spelling holds. */
export function fieldOf(body: unknown, name: string): unknown {
  if (!isObject(body)) return undefined
  if (Object.hasOwn(body, name)) return body[name]
  const found = Object.keys(body).find((key) => key.toLowerCase() === name.toLowerCase())
  return found === undefined ? undefined : body[found]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The job of a body, as it came. */
export function jobOf(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const raw = fieldOf(body, 'Job')
  return isObject(raw) ? raw : undefined
}

/**
 * The namespace a job is written in: the query's, unless it is the default one, then the job's own.
 */
export const namespaceOf = (job: unknown, inQuery: string | undefined): string => {
  if (inQuery !== undefined && inQuery !== '' && inQuery !== 'default') return inQuery
  const own = fieldOf(job, 'Namespace')
  return typeof own === 'string' && own !== '' ? own : 'default'
}

/** Reads a body: names in any case, unknown ones ignored. Every problem of the job is told at once. */
export function registerBody(body: unknown, inPath: string | undefined, namespace: string | undefined): Read {
  if (body === undefined) return refuse('body_empty', 'Request body is empty')
  if (!isObject(body)) return refuse('body_not_object', 'Request body must be a JSON object: {"Job": …}')
  const raw = jobOf(body)
  if (raw === undefined) return refuse('job_missing', 'Job must be specified')
  const id = fieldOf(raw, 'ID') ?? ''
  if (id === '') return refuse('job_id_missing', "Job ID hasn't been provided")
  if (inPath !== undefined && id !== inPath) return refuse('job_id_mismatch', 'Job ID does not match name')
  const evalPriority = fieldOf(body, 'EvalPriority') ?? 0
  if (
    typeof evalPriority !== 'number' ||
    !Number.isInteger(evalPriority) ||
    evalPriority < 0 ||
    evalPriority > 100
  )
    return refuse('invalid_priority', 'Eval priority must be between 1 and 100 inclusively')
  const index = fieldOf(body, 'JobModifyIndex') ?? 0
  const enforces = fieldOf(body, 'EnforceIndex') ?? false
  if (typeof enforces !== 'boolean' || typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    return refuse(
      'invalid_job_index',
      'EnforceIndex must be true or false, and JobModifyIndex a number of 0 or more',
    )
  const [preserveCounts, preserveResources] = ['PreserveCounts', 'PreserveResources'].map(
    (name) => fieldOf(body, name) ?? false,
  )
  if (typeof preserveCounts !== 'boolean' || typeof preserveResources !== 'boolean')
    return refuse('invalid_preserve', 'PreserveCounts and PreserveResources must be true or false')
  const job = readSpec(raw, namespaceOf(raw, namespace))
  if (!job.ok) return refuse('invalid_job', job.summary)
  return {
    ok: true,
    value: {
      job: job.value,
      enforceIndex: enforces ? index : undefined,
      evalPriority: evalPriority === 0 ? undefined : evalPriority,
      preserveCounts,
      preserveResources,
    },
  }
}

/** Reads the specification in a body, or says everything that is wrong with its shape: one by one, and in one text. */
export function readSpec(
  raw: Readonly<Record<string, unknown>>,
  namespace: string,
):
  | { readonly ok: true; readonly value: JobSpec }
  | { readonly ok: false; readonly problems: readonly string[]; readonly summary: string } {
  const unread = (problems: readonly string[], summary: string = listProblems(problems)) =>
    ({ ok: false, problems, summary }) as const
  if (isTooDeep(raw)) {
    const problem = `the job is nested more than ${maxDepth} levels deep`
    return unread([problem], problem)
  }
  const own = fieldOf(raw, 'Namespace') ?? ''
  if (typeof own !== 'string')
    return unread([`Namespace: expected a string, received ${JSON.stringify(own)}`])
  const parsed = JobSpec.safeParse({ ...Object(foldNames(JobSpec, raw)), Namespace: namespace })
  // Its text knows no -0.
  if (parsed.success)
    return { ok: true, value: hasNegativeZero(raw) ? JSON.parse(JSON.stringify(parsed.data)) : parsed.data }
  const problems = parsed.error.issues.map((issue) => {
    const [field] = issue.path
    const given = typeof field === 'string' ? fieldOf(raw, field) : undefined
    if (field === 'Type' && issue.path.length === 1)
      return given === '' ? 'Missing job type' : `Invalid job type: ${JSON.stringify(given)}`
    if (field === 'Priority' && issue.path.length === 1) return 'job priority must be between [1, 100]'
    if (field === 'ID' && typeof given === 'string') return issue.message
    return `${formatPath(issue.path)}: ${issue.message}`
  })
  return unread(problems)
}
