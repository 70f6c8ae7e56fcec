import * as z from 'zod'
import { reply } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import { isObject } from '../../kernel/objects.ts'
import { routeOperation } from '../../operation/operation.ts'
import { unreadable } from '../operations/jobs/validate.ts'
import { operations } from '../operations/operations.ts'
import type { WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { readSpec } from '../wire/read-spec.ts'
import { jobOf, namespaceOf } from '../wire/register-body.ts'
import { unreadFields } from '../wire/unread-fields.ts'
import { bodies } from './body.ts'
import { operationRoute, type SchedulerRoute } from './context.ts'
import { JobBody, WriteQuery, warning } from './register.ts'

/** Validates a job as sent, which need not be readable. */
const validateBody = routeOperation({
  refuses: operations.validateJob.refuses,
  run: async (
    cluster: Cluster,
    raw: Readonly<Record<string, unknown>>,
    namespace: string,
    call: WriteCall,
  ) => {
    const read = readSpec(raw, namespace)
    if (read.ok) return warning(operations.validateJob).run(cluster, unreadFields(raw), read.value, call)
    const may = await operations.mayInNamespace.run(cluster, namespace, 'read-job', call)
    return may.ok ? { ok: true as const, value: unreadable(read.problems, read.summary) } : may
  },
})

/** The endpoints that validate jobs before they are registered. */
export const validateRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'jobs.validate',
    method: ['POST', 'PUT'],
    path: '/v1/validate/job',
    summary: 'Validate a job without registering it',
    description: 'The answer for an invalid job is 200 too: Error and ValidationErrors list the problems.',
    access: 'namespace:read-job',
    query: WriteQuery,
    accepts: JobBody,
    reply: z.object({
      DriverConfigValidated: z.boolean(),
      ValidationErrors: z.array(z.string()),
      Error: z.string(),
      Warnings: z.string(),
    }),
    refusals: [...bodies, 'job_missing'],
    run: validateBody,
    with: ({ context: { token }, query, body }) => {
      if (body === undefined) return refuse('body_empty', 'Request body is empty')
      if (!isObject(body)) return refuse('body_not_object', 'Request body must be a JSON object: {"Job": …}')
      const raw = jobOf(body)
      return raw === undefined
        ? refuse('job_missing', 'Job must be specified')
        : [raw, namespaceOf(raw, query.namespace), { token }]
    },
    show: (verdict) => reply(verdict),
  }),
]
