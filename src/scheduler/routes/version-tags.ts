import * as z from 'zod'
import { operations } from '../operations/operations.ts'
import { int64 } from '../values/int64.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { operationRoute, type SchedulerRoute } from './context.ts'
import { contact, jobWrittenReply } from './job-reply.ts'
import { WriteQuery } from './register.ts'

const TagBody = z.object({
  Version: z.int().min(0).nullable().default(null).describe('the current one by default'),
  Description: z.string().default(''),
})
const path = '/v1/job/:job_id/versions/:tag/tag'
const access = 'namespace:submit-job'

/** Names of versions. */
export const versionTagRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'jobs.tag-version',
    method: ['PUT', 'POST'],
    path,
    summary: 'Tag a version of a job, which keeps it from garbage collection',
    access,
    query: WriteQuery,
    accepts: TagBody.optional(),
    reply: z.object({ Name: z.string(), Description: z.string(), TaggedTime: int64, ...contact }),
    emits: writtenHeaders,
    refusals: [...bodies, 'invalid_job_request'],
    run: operations.tagJobVersion,
    with: ({ context: { token }, params, query, body }) => {
      const read = readBody(TagBody, body ?? {}, 'a version tag', 'invalid_job_request')
      if (!read.ok) return read
      const { Version, Description: description } = read.value
      const input = { name: params.tag, version: Version ?? undefined, description }
      return [params.job_id, input, { token, namespace: query.namespace || undefined }]
    },
    answer: jobWrittenReply,
  }),
  operationRoute({
    id: 'jobs.untag-version',
    method: 'DELETE',
    path,
    summary: 'Remove the tag of a version of a job',
    access,
    query: WriteQuery,
    reply: z.object(contact),
    emits: writtenHeaders,
    run: operations.untagJobVersion,
    with: ({ context: { token }, params, query }) => [
      params.job_id,
      params.tag,
      { token, namespace: query.namespace || undefined },
    ],
    answer: jobWrittenReply,
  }),
]
