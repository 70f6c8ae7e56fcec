import * as z from 'zod'
import { reply } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import { unreadable } from '../operations/jobs/validate.ts'
import { operations } from '../operations/operations.ts'
import { isObject } from '../wire/body-fields.ts'
import { readSpec } from '../wire/read-spec.ts'
import { jobOf, namespaceOf } from '../wire/register-body.ts'
import { unreadFields } from '../wire/unread-fields.ts'
import { bodies } from './body.ts'
import { route, type SchedulerRoute } from './context.ts'
import { JobBody, WriteQuery, warned } from './register.ts'

/** The endpoints that validate jobs before they are registered. */
export const validateRoutes: readonly SchedulerRoute[] = [
  route({
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
    runs: [operations.validateJob],
    refusals: [...bodies, 'job_missing'],
    handle: async ({ context: { scheduler, token }, query, body }) => {
      if (body === undefined) return refuse('body_empty', 'Request body is empty')
      if (!isObject(body)) return refuse('body_not_object', 'Request body must be a JSON object: {"Job": …}')
      const raw = jobOf(body)
      if (raw === undefined) return refuse('job_missing', 'Job must be specified')
      const namespace = namespaceOf(raw, query.namespace)
      const read = readSpec(raw, namespace)
      if (!read.ok) {
        const may = await scheduler.mayInNamespace(namespace, 'read-job', { token })
        return may.ok ? reply(unreadable(read.problems, read.summary)) : may
      }
      const found = await scheduler.validateJob(read.value, { token })
      if (!found.ok) return found
      return reply(warned(found, unreadFields(raw)).value)
    },
  }),
]
