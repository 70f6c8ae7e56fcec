import { describeIssues } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { isObject } from '../../kernel/objects.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { Preserving } from '../jobs/preserve.ts'
import { JobSubmissionSpec } from '../submissions/model.ts'
import { fieldOf } from './body-fields.ts'
import { foldNames } from './fold-names.ts'
import { readingSpec } from './read-spec.ts'
import { unreadFields } from './unread-fields.ts'

/** The refusals of the body of a registration. */
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
  | 'invalid_submission'

/** A registration as requested by its body. */
export interface RegisterBody extends Required<Preserving> {
  readonly job: JobSpec
  readonly enforceIndex: number | undefined
  readonly evalPriority: number | undefined
  readonly submission: JobSubmissionSpec | undefined
}

/** The parsed body, and the ignored fields of its job. */
interface Registration {
  readonly asked: RegisterBody
  readonly unread: readonly string[]
}

export type RegisterBodyRead =
  | { readonly ok: true; readonly value: Registration }
  | Refused<RegisterBodyRefusal>

const Submission = JobSubmissionSpec.nullable()

/** The job of a body, unparsed. */
export function jobOf(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const raw = fieldOf(body, 'Job')
  return isObject(raw) ? raw : undefined
}

/**
 * The namespace of the job: the query's, unless it is the default one, then the job's own.
 */
export const namespaceOf = (job: unknown, inQuery: string | undefined): string => {
  if (inQuery !== undefined && inQuery !== '' && inQuery !== 'default') return inQuery
  const own = fieldOf(job, 'Namespace')
  return typeof own === 'string' && own !== '' ? own : 'default'
}

/**
 * Reads a body in steps, between which the event loop may continue: field names in any case; unknown fields of the job
 * and all its problems are reported.
 */
export function* registerBody(
  body: unknown,
  inPath: string | undefined,
  namespace: string | undefined,
): Generator<undefined, RegisterBodyRead> {
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
  const submitted = Submission.safeParse(foldNames(JobSubmissionSpec, fieldOf(body, 'Submission') ?? null))
  if (!submitted.success)
    return refuse('invalid_submission', `Submission: ${describeIssues(submitted.error)}`)
  const job = yield* readingSpec(raw, namespaceOf(raw, namespace))
  if (!job.ok) return refuse('invalid_job', job.summary)
  yield
  const unread = unreadFields(raw)
  yield
  return {
    ok: true,
    value: {
      asked: {
        job: job.value,
        enforceIndex: enforces ? index : undefined,
        evalPriority: evalPriority === 0 ? undefined : evalPriority,
        preserveCounts,
        preserveResources,
        submission: submitted.data ?? undefined,
      },
      unread,
    },
  }
}
