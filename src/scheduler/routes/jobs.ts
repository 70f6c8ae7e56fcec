import * as z from 'zod'
import { type Reply, reply } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { operations } from '../operations/operations.ts'
import type { Found, ListCall } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { ListQuery, listCall, listRefusals, readCall, readFlag } from '../wire/query.ts'
import {
  foundHeaders,
  JobDiffReply,
  replies,
  ScaleStatusReply,
  stubs,
  written,
  writtenHeaders,
} from '../wire/replies.ts'
import {
  askerOf,
  foundReply,
  type Methods,
  type RouteContext,
  route,
  type SchedulerRoute,
} from './context.ts'
import { jobActions } from './job-actions.ts'
import { jobWrittenReply } from './job-reply.ts'
import { judgeBy } from './judge-first.ts'
import { allocationFlags, incarnationFlags } from './lists.ts'
import { type Flag, readFlags, readOf } from './reads.ts'
import { RegisterBody, register, registering, WriteQuery } from './register.ts'

type Answered = Promise<Found<unknown> | Refused<SchedulerRefusal>>

/** One readable part of a job. */
interface JobRead {
  readonly id: string
  readonly summary: string
  readonly reply: z.ZodType
  /** Whether it is paged and filtered. */
  readonly lists?: boolean
  readonly flags?: Readonly<Record<string, Flag>>
  readonly runs: { readonly refuses: readonly SchedulerRefusal[] }
  readonly read: (
    scheduler: Methods,
    id: string,
    call: ListCall,
    flags: Readonly<Record<string, boolean>>,
  ) => Answered
}

/** The reads of one job, by the path segment after its ID. */
const reads = {
  '': {
    id: 'jobs.read-nested',
    summary: 'Read a job',
    reply: replies.Job,
    runs: operations.readJob,
    read: (scheduler, id, call) => scheduler.readJob(id, call),
  },
  summary: {
    id: 'jobs.summary-nested',
    summary: "Read a job's summary",
    reply: replies.JobSummary,
    runs: operations.readJobSummary,
    read: (scheduler, id, call) => scheduler.readJobSummary(id, call),
  },
  versions: {
    id: 'jobs.versions',
    summary: 'Read the versions of a job, newest first',
    reply: z.object({ Versions: z.array(replies.Job), Diffs: z.array(JobDiffReply).nullable() }),
    flags: { diffs: { about: 'adds the changes of each version' } },
    runs: operations.listJobVersions,
    read: (scheduler, id, call, { diffs }) => scheduler.listJobVersions(id, Object.assign(call, { diffs })),
  },
  allocations: {
    id: 'jobs.allocations-nested',
    summary: "List a job's allocations, oldest first",
    reply: z.array(stubs.Allocation),
    lists: true,
    flags: { ...allocationFlags, ...incarnationFlags },
    runs: operations.listJobAllocations,
    read: (scheduler, id, call, { resources, task_states: taskStates, all }) =>
      scheduler.listJobAllocations(id, Object.assign(call, { resources, taskStates, all })),
  },
  evaluations: {
    id: 'jobs.evaluations-nested',
    summary: "List a job's evaluations, oldest first",
    reply: z.array(replies.Evaluation),
    lists: true,
    runs: operations.listJobEvaluations,
    read: (scheduler, id, call) => scheduler.listJobEvaluations(id, call),
  },
  deployments: {
    id: 'jobs.deployments-nested',
    summary: "List a job's deployments, oldest first",
    reply: z.array(replies.Deployment),
    lists: true,
    flags: incarnationFlags,
    runs: operations.listJobDeployments,
    read: (scheduler, id, call, { all }) => scheduler.listJobDeployments(id, Object.assign(call, { all })),
  },
  deployment: {
    id: 'jobs.deployment',
    summary: "Read a job's newest deployment; null when there is none",
    reply: replies.Deployment.nullable(),
    runs: operations.readJobDeployment,
    read: (scheduler, id, call) => scheduler.readJobDeployment(id, call),
  },
  scale: {
    id: 'jobs.scale-status',
    summary: "Read the desired and actual counts of a job's task groups",
    reply: ScaleStatusReply,
    runs: operations.readJobScale,
    read: (scheduler, id, call) => scheduler.readJobScale(id, call),
  },
} as const satisfies Readonly<Record<string, JobRead>>

/** A path that ends in one of some words, split before it; a job's ID may contain slashes. */
const cut = <Word extends string>(path: string, words: readonly Word[]): readonly [id: string, Word | ''] => {
  const word = words.find((each) => each !== '' && path.endsWith(`/${each}`))
  return word === undefined ? [path, ''] : [path.slice(0, -word.length - 1), word]
}

const readWords = Object.keys(reads) as readonly (keyof typeof reads)[]

const readNested = route({
  id: 'jobs.read-below',
  method: 'GET',
  path: '/v1/job/*path',
  summary: 'Read a job whose ID has slashes, or its related objects',
  description: `The path is the ID of a job, including slashes, and one of: ${readWords.filter(Boolean).join(', ')}; or nothing.`,
  access: 'namespace:read-job',
  query: ListQuery.extend({
    prefix: z.string().optional().describe('for lists: only IDs that begin with this'),
    diffs: z.string().optional().describe('adds the changes of each version'),
    resources: z.string().optional().describe('adds AllocatedResources to allocations'),
    task_states: z.string().optional().describe('false omits TaskStates from allocations'),
    all: z.string().optional().describe('adds the objects of earlier jobs with the same ID'),
  }),
  reply: z.union(Object.values(reads).map(({ reply: shape }) => shape)),
  emits: foundHeaders,
  runs: Object.values(reads).map(({ runs }) => runs),
  refusals: [...listRefusals, 'invalid_flag', 'invalid_fields'],
  handle: async ({ context, params, query, exchange }) => {
    const [id, word] = cut(params.path, readWords)
    const { lists, flags, read }: JobRead = reads[word]
    const asker = askerOf(context, exchange)
    const call = lists ? listCall(query, asker) : readCall(query, asker)
    if (!call.ok) return call
    const given = readFlags(query, Object.entries<Flag>(flags ?? {}))
    if (!given.ok) return given
    const found = await read(context.scheduler, id, call.value, given.value)
    return foundReply(context, found) as Reply | Refused<'job_not_found'> // each word's own refusals are among those above
  },
})

const StopQuery = WriteQuery.extend({
  purge: z.string().optional().describe('also deletes the job and everything that belongs to it'),
  eval_priority: z.string().optional().describe('priority of the evaluation, 1 to 100; 0 is the job’s own'),
})

async function stop(context: RouteContext, id: string, query: z.output<typeof StopQuery>) {
  const purge = readFlag(query, 'purge', 'invalid_flag')
  if (!purge.ok) return purge
  const { namespace = '', eval_priority = '' } = query
  if (!/^[+-]?\d*$/.test(eval_priority))
    return refuse(
      'invalid_priority',
      `Failed to parse value of "eval_priority" (${JSON.stringify(eval_priority)}) as an int`,
    )
  const stopped = await context.scheduler.deregisterJob(id, {
    token: context.token,
    namespace: namespace === '' ? undefined : namespace,
    purge: purge.value,
    // 0 is the job's own, as in a body that registers one.
    evalPriority: Number(eval_priority) || undefined,
  })
  // Existing services do not refuse to stop an unknown job.
  if (!stopped.ok && stopped.refusal.code === 'job_not_found' && context.compat)
    return reply({ EvalID: '', EvalCreateIndex: 0, JobModifyIndex: 0, VolumeEvalID: '', VolumeEvalIndex: 0 })
  return jobWrittenReply(context, stopped, { VolumeEvalID: '', VolumeEvalIndex: 0 })
}

const stopped = {
  method: 'DELETE',
  summary: 'Stop a job; purge=true also deletes it',
  access: 'namespace:submit-job',
  query: StopQuery,
  reply: written.JobStopped,
  emits: writtenHeaders,
  runs: [operations.deregisterJob],
  refusals: ['invalid_flag', 'invalid_priority'],
} as const

const actionWords = Object.keys(jobActions)

const judges = new Map(Object.entries(jobActions).map(([word, { access }]) => [word, judgeBy(access)]))

const writeNested = route({
  id: 'jobs.write-below',
  method: ['PUT', 'POST'],
  path: '/v1/job/*path',
  summary: 'Write a job whose ID has slashes, or perform an action on it',
  description: `The path is the ID of a job, including slashes, and one of: ${actionWords.join(', ')}; or nothing.`,
  access: [...new Set(Object.values(jobActions).flatMap(({ access }) => access.split(' or ')))].join(' or '),
  query: WriteQuery,
  accepts: z.unknown(),
  emits: writtenHeaders,
  runs: [operations.registerJob, ...Object.values(jobActions).map(({ runs }) => runs)],
  refusals: [...registering, ...Object.values(jobActions).flatMap(({ refusals }) => refusals)],
  before: ({ context, params }) => {
    const [, word] = cut(params.path, actionWords)
    return context.judge?.(judges.get(word) ?? judgeBy('namespace:submit-job'))
  },
  handle: ({ context, params, query, body }) => {
    const [id, word] = cut(params.path, actionWords)
    const action = jobActions[word]
    return action === undefined
      ? register(context, body, id, query.namespace)
      : action.act({ context, id, namespace: query.namespace, body })
  },
})

const registerRoute = (path: '/v1/jobs' | '/v1/job/:job_id', id: string) =>
  route({
    id,
    method: ['PUT', 'POST'],
    path,
    summary: 'Register a job, or a new version of it',
    description:
      'The body is an object with Job, and optionally EnforceIndex with JobModifyIndex (the write fails unless the job has this index), EvalPriority, PreserveCounts (existing task groups keep their counts) and PreserveResources (existing tasks keep their resources).',
    access: 'namespace:submit-job',
    query: WriteQuery,
    accepts: RegisterBody,
    reply: written.Job,
    emits: writtenHeaders,
    runs: [operations.registerJob],
    refusals: registering,
    handle: ({ context, params, query, body }) =>
      register(context, body, 'job_id' in params ? params.job_id : undefined, query.namespace),
  })

/** The routes of jobs and of their records. */
export const jobRoutes: readonly SchedulerRoute[] = [
  registerRoute('/v1/jobs', 'jobs.register'),
  registerRoute('/v1/job/:job_id', 'jobs.register-named'),
  route({
    ...stopped,
    id: 'jobs.stop',
    path: '/v1/job/:job_id',
    handle: ({ context, params, query }) => stop(context, params.job_id, query),
  }),
  route({
    ...stopped,
    id: 'jobs.stop-below',
    path: '/v1/job/*path',
    handle: ({ context, params, query }) => stop(context, params.path, query),
  }),
  ...Object.entries(reads)
    .filter(([word]) => word === 'versions' || word === 'deployment' || word === 'scale')
    .map(([word, { id, summary, reply: shape, flags = {}, runs, read }]: [string, JobRead]) =>
      readOf({
        id,
        path: `/v1/job/:job_id/${word}`,
        summary,
        access: 'namespace:read-job',
        reply: shape,
        flags,
        runs,
        read: (scheduler, { job_id }, call, given): Answered => read(scheduler, job_id, call, given),
      }),
    ),
  readNested,
  ...Object.entries(jobActions).map(
    ([word, { id, summary, access, accepts, reply: shape, runs, refusals, act }]) =>
      route({
        id,
        method: ['PUT', 'POST'],
        path: `/v1/job/:job_id/${word}`,
        summary,
        access,
        query: WriteQuery,
        accepts,
        reply: shape,
        emits: writtenHeaders,
        runs: [runs],
        refusals,
        handle: ({ context, params, query, body }) =>
          act({ context, id: params.job_id, namespace: query.namespace, body }),
      }),
  ),
  writeNested,
]
