import * as z from 'zod'
import { type Refused, refuse } from '../../kernel/index.ts'
import { operations } from '../operations/operations.ts'
import type { Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { mapOf } from '../values/map.ts'
import { fieldOf } from '../wire/body-fields.ts'
import { PlanReply, written } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import type { ClusterWork } from './context.ts'
import {
  type JobRequest,
  RegisterBody,
  readRegistration,
  registering,
  registers,
  warning,
} from './register.ts'

interface ActionHead {
  readonly id: string
  readonly summary: string
  readonly access: string
  /** The schema of its body; absent if it has none. */
  readonly accepts?: z.ZodType
  readonly reply: z.ZodType
  /** The refusals of the request itself. */
  readonly refusals: readonly SchedulerRefusal[]
}

/** A request to do something with the job of an ID. */
type ActionCall = JobRequest & { readonly id: string }

type Given<Args> = Args | Refused<SchedulerRefusal>

/** Something to do with a job, with the types of its arguments erased. */
interface Action extends ActionHead {
  readonly run: ClusterWork<readonly unknown[], Written<object>, SchedulerRefusal>
  readonly with: (call: ActionCall) => Promise<Given<readonly unknown[]>>
}

interface Runs<Args extends readonly unknown[], Code extends SchedulerRefusal> {
  readonly run: ClusterWork<Args, Written<object>, Code>
  readonly with: (call: ActionCall) => Given<readonly [...Args]> | Promise<Given<readonly [...Args]>>
}

const erased = <Args extends readonly unknown[], Code extends SchedulerRefusal>(
  spec: Runs<Args, Code>,
): Pick<Action, 'run' | 'with'> => ({
  // Called with the arguments of `with` only.
  run: spec.run as ClusterWork<readonly unknown[], Written<object>, Code>,
  with: async (call) => spec.with(call),
})

const action = <Args extends readonly unknown[], Code extends SchedulerRefusal>(
  spec: ActionHead & Runs<Args, Code>,
): Action => ({ ...spec, ...erased(spec) })

const requests = [...bodies, 'invalid_job_request', 'job_id_mismatch'] as const

const DispatchBody = z.object({
  JobID: z.string().default(''),
  Payload: z.string().nullable().default(null),
  Meta: mapOf(z.string()).nullable().default(null),
  IdPrefixTemplate: z.string().default(''),
  IdempotencyToken: z.string().default(''),
})
const EvaluateBody = z.object({
  JobID: z.string().default(''),
  EvalOptions: z
    .object({ ForceReschedule: z.boolean().default(false) })
    .nullable()
    .prefault({})
    .describe(
      'ForceReschedule: failed allocations are replaced now, whatever their policy; requires namespace:submit-job',
    ),
})
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

/** The registration of a job, with the types of its arguments erased as well. */
export const registerAction: Pick<Action, 'run' | 'with'> = erased(registers)

/** The actions on a job, by the path segment after its ID. */
export const jobActions: Readonly<Record<string, Action>> = {
  dispatch: action({
    id: 'jobs.dispatch',
    summary: 'Dispatch a parameterized job',
    access: 'namespace:dispatch-job',
    accepts: DispatchBody.optional(),
    reply: written.JobDispatched,
    run: operations.dispatchJob,
    refusals: requests,
    with: (call) => {
      const read = bodyFor(DispatchBody, { ...call, body: call.body ?? {} }, 'a dispatch')
      if (!read.ok) return read
      const { Payload, Meta, IdPrefixTemplate, IdempotencyToken } = read.value
      const input = {
        payload: Payload ?? undefined,
        meta: Meta ?? undefined,
        idPrefix: IdPrefixTemplate,
        idempotencyToken: IdempotencyToken,
      }
      return [call.id, input, callOf(call)]
    },
  }),
  evaluate: action({
    id: 'jobs.evaluate',
    summary: 'Create an evaluation of a job',
    access: 'namespace:read-job',
    accepts: EvaluateBody.optional(),
    reply: written.Job,
    run: operations.evaluateJob,
    refusals: requests,
    with: (call) => {
      const read = bodyFor(EvaluateBody, { ...call, body: call.body ?? {} }, 'an evaluation request')
      if (!read.ok) return read
      const forceReschedule = read.value.EvalOptions?.ForceReschedule === true
      return [call.id, { ...callOf(call), forceReschedule }]
    },
  }),
  revert: action({
    id: 'jobs.revert',
    summary: 'Register an earlier version of a job again',
    access: 'namespace:submit-job',
    accepts: RevertBody,
    reply: written.Job,
    run: operations.revertJob,
    refusals: requests,
    with: (call) => {
      const read = bodyFor(RevertBody, call, 'a revert')
      if (!read.ok) return read
      const { JobVersion: version, EnforcePriorVersion: prior } = read.value
      return [call.id, { version, enforcePriorVersion: prior ?? undefined }, callOf(call)]
    },
  }),
  stable: action({
    id: 'jobs.stable',
    summary: 'Mark a version of a job as stable or not',
    access: 'namespace:submit-job',
    accepts: StableBody,
    reply: written.JobStable,
    run: operations.markJobStable,
    refusals: requests,
    with: (call) => {
      const read = bodyFor(StableBody, call, 'a stability')
      if (!read.ok) return read
      const { JobVersion: version, Stable: stable } = read.value
      return [call.id, { version, stable }, callOf(call)]
    },
  }),
  scale: action({
    id: 'jobs.scale',
    summary: 'Scale a task group of a job',
    access: 'namespace:scale-job or namespace:submit-job',
    accepts: ScaleBody,
    reply: written.Job,
    run: operations.scaleJob,
    refusals: requests,
    with: (call) => {
      if (call.id === '') return refuse('job_not_found', 'job not found')
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
      return [call.id, input, callOf(call)]
    },
  }),
  plan: action({
    id: 'jobs.plan',
    summary: 'Plan the registration of a job without registering it',
    access: 'namespace:submit-job',
    accepts: RegisterBody.extend({ Diff: z.boolean().optional() }),
    reply: PlanReply,
    run: warning(operations.planJob),
    refusals: registering,
    with: async (call) => {
      const read = await readRegistration(call)
      if (!read.ok) return read
      const { asked, unread } = read.value
      const diff = fieldOf(call.body, 'Diff') === true
      return [unread, asked.job, { token: call.context.token, diff }]
    },
  }),
  'periodic/force': action({
    id: 'jobs.periodic-force',
    summary: 'Launch a periodic job now',
    access: 'namespace:submit-job or namespace:dispatch-job',
    reply: written.Job,
    run: operations.forcePeriodicJob,
    refusals: [],
    with: (call) => [call.id, callOf(call)],
  }),
}
