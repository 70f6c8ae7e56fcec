import * as z from 'zod'
import { reply } from '../../http/index.ts'
import { resultInSlices } from '../../kernel/in-slices.ts'
import { refuse } from '../../kernel/index.ts'
import { routeOperation } from '../../operation/operation.ts'
import { operations } from '../operations/operations.ts'
import type { WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { readingSpec } from '../wire/read-spec.ts'
import { namespaceOf } from '../wire/register-body.ts'
import { bodies, readBody } from './body.ts'
import { operationRoute, type SchedulerRoute } from './context.ts'
import { WriteQuery } from './register.ts'

const ParseBody = z.object({
  JobHCL: z.string().default(''),
  Canonicalize: z.boolean().default(false),
  Variables: z.string().default(''),
})

/** The shape of a registered job without its defaults; it is documented there. */
const JobAsSent = z.unknown().meta({ $ref: '#/components/schemas/JobSpec' })

/** Parses a job file. Callers that may neither parse nor submit jobs do not learn its problems. */
const parseJobFile = routeOperation({
  refuses: [...operations.mayInNamespace.refuses, ...bodies, 'invalid_job_text'],
  run: async (cluster: Cluster, body: unknown, inQuery: string | undefined, call: WriteCall) => {
    const namespace = inQuery || 'default'
    const may = await operations.mayInNamespace.run(cluster, namespace, 'parse-job', call)
    const also = may.ok ? may : await operations.mayInNamespace.run(cluster, namespace, 'submit-job', call)
    if (!also.ok) return also
    const read = readBody(ParseBody, body, 'a job file', 'invalid_job_text')
    if (!read.ok) return read
    const { JobHCL, Canonicalize, Variables } = read.value
    if (JobHCL.trim() === '')
      return refuse('invalid_job_text', 'Job spec is empty: JobHCL is the text of a job file')
    // Most services never read a job file.
    const { parsingJob } = await import('../parse/parse-job.ts')
    const parsed = await resultInSlices(parsingJob(JobHCL, Variables))
    if (!parsed.ok)
      return refuse(
        'invalid_job_text',
        `failed to parse job: ${parsed.refusal.message}`,
        parsed.refusal.detail,
      )
    // A text need not be a job that could be registered.
    const spec = await resultInSlices(readingSpec(parsed.value, namespaceOf(parsed.value, inQuery), () => []))
    if (!spec.ok) return refuse('invalid_job_text', `failed to parse job: ${spec.summary}`)
    return { ok: true as const, value: Canonicalize ? spec.value : parsed.value }
  },
})

/** Job files. */
export const parseRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'jobs.parse',
    method: ['POST', 'PUT'],
    path: '/v1/jobs/parse',
    summary: 'Parse a job file into JSON',
    description:
      'Body: {"JobHCL": "job …", "Variables": "count = 2", "Canonicalize": true}. Canonicalize fills in every default. `variable`, `locals` and pure functions are evaluated; none reads files or the environment.',
    access: 'namespace:parse-job or namespace:submit-job',
    query: WriteQuery,
    accepts: ParseBody,
    reply: JobAsSent,
    run: parseJobFile,
    with: ({ context: { token }, query, body }) => [body, query.namespace, { token }],
    show: (job) => reply(job),
  }),
]
