import * as z from 'zod'
import type { Refused } from '../../kernel/index.ts'
import { JobSpec } from '../jobs/model.ts'
import { withWarnings } from '../jobs/warnings.ts'
import { JobSubmissionSpec } from '../submissions/model.ts'
import { fieldOf } from '../wire/body-fields.ts'
import { namespaceOf, registerBody } from '../wire/register-body.ts'
import { bodies } from './body.ts'
import type { RouteContext } from './context.ts'
import { jobWrittenReply } from './job-reply.ts'

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
] as const

const early: ReadonlySet<string> = new Set([
  'body_empty',
  'body_not_object',
  'job_missing',
  'job_id_mismatch',
])

/** Reads the job of a body for callers that may write it: others do not learn its problems. */
export async function readRegistration(
  { scheduler, token }: RouteContext,
  body: unknown,
  inPath: string | undefined,
  namespace: string | undefined,
): Promise<ReturnType<typeof registerBody> | Refused<'permission_denied'>> {
  const read = registerBody(body, inPath, namespace)
  if (read.ok || early.has(read.refusal.code)) return read
  const where = namespaceOf(fieldOf(body, 'Job'), namespace)
  const may = await scheduler.mayInNamespace(where, 'submit-job', { token })
  return may.ok ? read : may
}

/** Registers the job of a body, for any of the paths that do. */
export async function register(
  context: RouteContext,
  body: unknown,
  inPath: string | undefined,
  namespace: string | undefined,
) {
  const { scheduler, token } = context
  const read = await readRegistration(context, body, inPath, namespace)
  if (!read.ok) return read
  const { job, ...call } = read.value.asked
  const written = await scheduler.registerJob(job, Object.assign(call, { token }))
  return jobWrittenReply(context, warned(written, read.value.unread))
}

/** Adds the ignored fields of a job to the warnings of an answer. */
export const warned = <Answer extends { readonly ok: true; readonly value: Warned } | Refused<string>>(
  answer: Answer,
  unread: readonly string[],
): Answer => {
  if (!answer.ok || unread.length === 0) return answer
  const value = { ...answer.value, Warnings: withWarnings(answer.value.Warnings, unread) }
  return { ...answer, value }
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
