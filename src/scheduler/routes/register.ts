import * as z from 'zod'
import { resultInSlices } from '../../kernel/in-slices.ts'
import type { Refused } from '../../kernel/index.ts'
import type { Work } from '../../operation/operation.ts'
import { JobSpec } from '../jobs/model.ts'
import { withWarnings } from '../jobs/warnings.ts'
import { operations } from '../operations/operations.ts'
import type { Cluster } from '../service/cluster.ts'
import { JobSubmissionSpec } from '../submissions/model.ts'
import { fieldOf } from '../wire/body-fields.ts'
import { namespaceOf, type RegisterBodyRead, registerBody } from '../wire/register-body.ts'
import { bodies } from './body.ts'
import type { RouteContext } from './context.ts'

/** The refusals of the body of a registration. */
export const registering = [
  ...bodies,
  'job_missing',
  'job_id_missing',
  'job_id_mismatch',
  'invalid_job',
  'invalid_job_index',
  'invalid_priority',
  'invalid_preserve',
  'invalid_submission',
  'permission_denied',
] as const

const early: ReadonlySet<string> = new Set([
  'body_empty',
  'body_not_object',
  'job_missing',
  'job_id_mismatch',
])

/** A request to do something with a job. */
export interface JobRequest {
  readonly context: RouteContext
  /** The ID of the job in the path. */
  readonly id: string | undefined
  readonly namespace: string | undefined
  readonly body: unknown
}

/** Reads the job of a body for callers that may write it: others do not learn its problems. */
export async function readRegistration({
  context: { cluster, token },
  id,
  namespace,
  body,
}: JobRequest): Promise<RegisterBodyRead | Refused<'permission_denied'>> {
  const read = await resultInSlices(registerBody(body, id, namespace))
  if (read.ok || early.has(read.refusal.code)) return read
  const where = namespaceOf(fieldOf(body, 'Job'), namespace)
  const may = await operations.mayInNamespace.run(await cluster(), where, 'submit-job', { token })
  return may.ok ? read : may
}

/** An operation whose answer warns of the ignored fields of its job, too. */
export const warning = <
  Args extends readonly unknown[],
  Answer extends { readonly ok: true; readonly value: Warned } | Refused<string>,
  Code extends string,
>({
  refuses,
  run,
}: Work<Cluster, Args, Promise<Answer>, Code>): Work<
  Cluster,
  [unread: readonly string[], ...Args],
  Promise<Answer>,
  Code
> => ({
  refuses,
  run: async (cluster, unread, ...args) => {
    const answer = await run(cluster, ...args)
    if (!answer.ok || unread.length === 0) return answer
    const value = { ...answer.value, Warnings: withWarnings(answer.value.Warnings, unread) }
    return { ...answer, value }
  },
})

/** Registers the job of a body, for any of the paths that do. */
export const registers = {
  run: warning(operations.registerJob),
  with: async (request: JobRequest) => {
    const read = await readRegistration(request)
    if (!read.ok) return read
    const { job, ...call } = read.value.asked
    return [read.value.unread, job, Object.assign(call, { token: request.context.token })] as const
  },
}

interface Warned {
  readonly Warnings: string
}

/** A body with a job, as callers write it. */
export const JobBody = z.object({ Job: JobSpec.meta({ id: 'JobSpec' }) })

/** A body that registers a job. */
export const RegisterBody = JobBody.extend({
  EnforceIndex: z.boolean().optional(),
  JobModifyIndex: z.int().min(0).optional(),
  EvalPriority: z.int().min(0).max(100).optional(),
  PreserveCounts: z.boolean().optional(),
  PreserveResources: z.boolean().optional(),
  Submission: JobSubmissionSpec.meta({ id: 'JobSubmissionSpec' }).nullable().optional(),
})

/** The query of routes that write jobs. */
export const WriteQuery = z.object({
  namespace: z.string().optional().describe('target namespace'),
  region: z.string().optional().describe('forwards the request to a server of that region'),
})
