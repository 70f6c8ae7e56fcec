import * as z from 'zod'
import type { Reply } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { operations } from '../operations/operations.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { mapOf } from '../values/map.ts'
import { fieldOf } from '../wire/body-fields.ts'
import { PlanReply, written } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import type { RouteContext } from './context.ts'
import { jobWrittenReply } from './job-reply.ts'
import { RegisterBody, readRegistration, registering, warned } from './register.ts'

/** A request to do something with a job. */
export interface ActionCall {
  readonly context: RouteContext
  readonly id: string
  readonly namespace: string | undefined
  readonly body: unknown
}

interface Action {
  readonly id: string
  readonly summary: string
  readonly access: string
  /** The schema of its body; absent if it has none. */
  readonly accepts?: z.ZodType
  readonly reply: z.ZodType
  readonly runs: { readonly refuses: readonly SchedulerRefusal[] }
  /** The refusals of the request itself. */
  readonly refusals: readonly SchedulerRefusal[]
  readonly act: (call: ActionCall) => Promise<Reply | Refused<SchedulerRefusal>>
}

const requests = [...bodies, 'invalid_job_request', 'job_id_mismatch'] as const

const DispatchBody = z.object({
  JobID: z.string().default(''),
  Payload: z.string().nullable().default(null),
  Meta: mapOf(z.string()).nullable().default(null),
  IdPrefixTemplate: z.string().default(''),
  IdempotencyToken: z.string().default(''),
})
const EvaluateBody = z.object({ JobID: z.string().default('') })
const RevertBody = z.object({
  JobID: z.string().default(''),
  JobVersion: z.int().min(0),
  EnforcePriorVersion: z.int().min(0).nullable().default(null),
})
const StableBody = z.object({
  JobID: z.string().default(''),
  JobVersion: z.int().min(0),
  Stable: z.boolean().default(false),
})
const ScaleBody = z.object({
  JobID: z.string().default(''),
  Target: mapOf(z.string()).nullable().default(null),
  Count: z.int().nullable().default(null),
  Message: z.string().default(''),
  Error: z.boolean().default(false),
  Meta: mapOf(z.json()).nullable().default(null),
  JobModifyIndex: z.int().min(0).default(0),
})

/** Reads a body that may name the job again. */
function bodyFor<Schema extends z.ZodType<{ readonly JobID: string }>>(
  schema: Schema,
  { id, body }: ActionCall,
  what: string,
) {
  const read = readBody(schema, body, what, 'invalid_job_request')
  if (read.ok && read.value.JobID !== '' && read.value.JobID !== id)
    return refuse('job_id_mismatch', 'Job ID does not match name')
  return read
}

const callOf = ({ context: { token }, namespace = '' }: ActionCall) => ({
  token,
  namespace: namespace === '' ? undefined : namespace,
})

/** The actions on a job, by the path segment after its ID. */
export const jobActions: Readonly<Record<string, Action>> = {
  dispatch: {
    id: 'jobs.dispatch',
    summary: 'Dispatch a parameterized job',
    access: 'namespace:dispatch-job',
    accepts: DispatchBody.optional(),
    reply: written.JobDispatched,
    runs: operations.dispatchJob,
    refusals: requests,
    act: async (call) => {
      const read = bodyFor(DispatchBody, { ...call, body: call.body ?? {} }, 'a dispatch')
      if (!read.ok) return read
      const { Payload, Meta, IdPrefixTemplate, IdempotencyToken } = read.value
      const input = {
        payload: Payload ?? undefined,
        meta: Meta ?? undefined,
        idPrefix: IdPrefixTemplate,
        idempotencyToken: IdempotencyToken,
      }
      return jobWrittenReply(
        call.context,
        await call.context.scheduler.dispatchJob(call.id, input, callOf(call)),
      )
    },
  },
  evaluate: {
    id: 'jobs.evaluate',
    summary: 'Create an evaluation of a job',
    access: 'namespace:read-job',
    accepts: EvaluateBody.optional(),
    reply: written.Job,
    runs: operations.evaluateJob,
    refusals: requests,
    act: async (call) => {
      const read = bodyFor(EvaluateBody, { ...call, body: call.body ?? {} }, 'an evaluation request')
      if (!read.ok) return read
      return jobWrittenReply(call.context, await call.context.scheduler.evaluateJob(call.id, callOf(call)))
    },
  },
  revert: {
    id: 'jobs.revert',
    summary: 'Register an earlier version of a job again',
    access: 'namespace:submit-job',
    accepts: RevertBody,
    reply: written.Job,
    runs: operations.revertJob,
    refusals: requests,
    act: async (call) => {
      const read = bodyFor(RevertBody, call, 'a revert')
      if (!read.ok) return read
      const { JobVersion: version, EnforcePriorVersion: prior } = read.value
      const input = { version, enforcePriorVersion: prior ?? undefined }
      return jobWrittenReply(
        call.context,
        await call.context.scheduler.revertJob(call.id, input, callOf(call)),
      )
    },
  },
  stable: {
    id: 'jobs.stable',
    summary: 'Mark a version of a job as stable or not',
    access: 'namespace:submit-job',
    accepts: StableBody,
    reply: written.JobStable,
    runs: operations.markJobStable,
    refusals: requests,
    act: async (call) => {
      const read = bodyFor(StableBody, call, 'a stability')
      if (!read.ok) return read
      const { JobVersion: version, Stable: stable } = read.value
      return jobWrittenReply(
        call.context,
        await call.context.scheduler.markJobStable(call.id, { version, stable }, callOf(call)),
      )
    },
  },
  scale: {
    id: 'jobs.scale',
    summary: 'Scale a task group of a job',
    access: 'namespace:scale-job or namespace:submit-job',
    accepts: ScaleBody,
    reply: written.Job,
    runs: operations.scaleJob,
    refusals: requests,
    act: async (call) => {
      const read = bodyFor(ScaleBody, call, 'a scaling')
      if (!read.ok) return read
      const { Target, Count, Message, Error: error, Meta, JobModifyIndex } = read.value
      if ((Target?.['Job'] ?? call.id) !== call.id)
        return refuse('job_id_mismatch', 'job ID in payload did not match URL')
      const group = Target?.['Group'] ?? ''
      if (group === '') return refuse('invalid_job_request', 'missing task group name for scaling action')
      const input = {
        group,
        count: Count ?? undefined,
        message: Message,
        error,
        meta: Meta ?? undefined,
        enforceIndex: JobModifyIndex,
      }
      return jobWrittenReply(
        call.context,
        await call.context.scheduler.scaleJob(call.id, input, callOf(call)),
      )
    },
  },
  plan: {
    id: 'jobs.plan',
    summary: 'Plan the registration of a job without registering it',
    access: 'namespace:submit-job',
    accepts: RegisterBody.extend({ Diff: z.boolean().optional() }),
    reply: PlanReply,
    runs: operations.planJob,
    refusals: registering,
    act: async ({ context, id, namespace, body }) => {
      const read = await readRegistration(context, body, id, namespace)
      if (!read.ok) return read
      const diff = fieldOf(body, 'Diff') === true
      const { asked, unread } = read.value
      const plan = await context.scheduler.planJob(asked.job, { token: context.token, diff })
      return plan.ok ? jobWrittenReply(context, warned(plan, unread)) : plan
    },
  },
  'periodic/force': {
    id: 'jobs.periodic-force',
    summary: 'Launch a periodic job now',
    access: 'namespace:submit-job or namespace:dispatch-job',
    reply: written.Job,
    runs: operations.forcePeriodicJob,
    refusals: [],
    act: async (call) => {
      const { scheduler } = call.context
      return jobWrittenReply(call.context, await scheduler.forcePeriodicJob(call.id, callOf(call)))
    },
  },
}
