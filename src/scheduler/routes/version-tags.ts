import * as z from 'zod'
import { operations } from '../operations/operations.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { route, type SchedulerRoute } from './context.ts'
import { jobWrittenReply } from './job-reply.ts'
import { WriteQuery } from './register.ts'

const TagBody = z.object({
  Version: z.int().min(0).nullable().default(null).describe('the current one by default'),
  Description: z.string().default(''),
})
const path = '/v1/job/:job_id/versions/:tag/tag'
const access = 'namespace:submit-job'

/** Names of versions. */
export const versionTagRoutes: readonly SchedulerRoute[] = [
  route({
    id: 'jobs.tag-version',
    method: ['PUT', 'POST'],
    path,
    summary: 'Tag a version of a job, which keeps it from garbage collection',
    access,
    query: WriteQuery,
    accepts: TagBody.optional(),
    reply: z.object({ Name: z.string(), Description: z.string(), TaggedTime: z.int() }),
    emits: writtenHeaders,
    runs: [operations.tagJobVersion],
    refusals: [...bodies, 'invalid_job_request'],
    handle: async ({ context, params, query, body }) => {
      const read = readBody(TagBody, body ?? {}, 'a version tag', 'invalid_job_request')
      if (!read.ok) return read
      const { Version, Description: description } = read.value
      const { scheduler, token } = context
      const input = { name: params.tag, version: Version ?? undefined, description }
      const call = { token, namespace: query.namespace || undefined }
      return jobWrittenReply(context, await scheduler.tagJobVersion(params.job_id, input, call))
    },
  }),
  route({
    id: 'jobs.untag-version',
    method: 'DELETE',
    path,
    summary: 'Remove the tag of a version of a job',
    access,
    query: WriteQuery,
    emits: writtenHeaders,
    runs: [operations.untagJobVersion],
    handle: async ({ context, params, query }) => {
      const { scheduler, token } = context
      const call = { token, namespace: query.namespace || undefined }
      return jobWrittenReply(context, await scheduler.untagJobVersion(params.job_id, params.tag, call))
    },
  }),
]
