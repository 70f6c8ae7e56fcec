import { refuse } from '../../kernel/index.ts'
import { operations } from '../operations/operations.ts'
import { JobSubmission } from '../submissions/model.ts'
import { ReadQuery, readCall, readRefusals } from '../wire/query.ts'
import { foundHeaders } from '../wire/replies.ts'
import { askerOf, foundReply, operationRoute, type SchedulerRoute } from './context.ts'

/** The source texts of jobs. */
export const submissionRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'jobs.submission',
    method: 'GET',
    path: '/v1/job/:job_id/submission',
    summary: 'Read the source text of a version of a job; of the current version by default',
    access: 'namespace:read-job',
    query: ReadQuery.extend({
      version: ReadQuery.shape.namespace.describe('the number of the version'),
    }),
    reply: JobSubmission.meta({ id: 'JobSubmission' }),
    emits: foundHeaders,
    refusals: [...readRefusals, 'invalid_job_request'],
    run: operations.readJobSubmission,
    with: ({ context, params, query, exchange }) => {
      const call = readCall(query, askerOf(context, exchange))
      if (!call.ok) return call
      const { version = '' } = query
      if (!/^\d{0,15}$/.test(version))
        return refuse('invalid_job_request', 'version must be the number of a version of the job')
      const wanted = version === '' ? undefined : Number(version)
      return [params.job_id, Object.assign(call.value, { version: wanted })]
    },
    answer: foundReply,
  }),
]
