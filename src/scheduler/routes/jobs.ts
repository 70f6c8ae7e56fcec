import * as z from 'zod'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { DeregisterJobCall } from '../operations/calls.ts'
import { operations } from '../operations/operations.ts'
import type { Found, ListCall, Written } from '../service/call.ts'
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
  type ClusterWork,
  foundReply,
  operationRoute,
  type RouteContext,
  type SchedulerRoute,
} from './context.ts'
import { jobActions, registerAction } from './job-actions.ts'
import { jobWrittenReply } from './job-reply.ts'
import { judgeBy } from './judge-first.ts'
import { allocationFlags, incarnationFlags } from './lists.ts'
import { type Flag, readFlags, readOf } from './reads.ts'
import { RegisterBody, registering, registers, WriteQuery } from './register.ts'

/** One readable part of a job. */
interface JobRead {
  readonly id: string
  readonly summary: string
  readonly reply: z.ZodType
  /** Whether it is paged and filtered. */
  readonly lists?: boolean
  readonly flags?: Readonly<Record<string, Flag>>
  readonly run: ClusterWork<[id: string, call: ListCall], Found<unknown>, SchedulerRefusal>
  /** The call of the operation, by the flags of the request. */
  readonly with?: (call: ListCall, flags: Readonly<Record<string, boolean>>) => ListCall
}

/** The reads of one job, by the path segment after its ID. */
const reads = {
  '': {
    id: 'jobs.read-nested',
    summary: 'Read a job',
    reply: replies.Job,
    run: operations.readJob,
  },
  summary: {
    id: 'jobs.summary-nested',
    summary: "Read a job's summary",
    reply: replies.JobSummary,
    run: operations.readJobSummary,
  },
  versions: {
    id: 'jobs.versions',
    summary: 'Read the versions of a job, newest first',
    reply: z.object({ Versions: z.array(replies.Job), Diffs: z.array(JobDiffReply).nullable() }),
    flags: { diffs: { about: 'adds the changes of each version' } },
    run: operations.listJobVersions,
    with: (call, { diffs }) => Object.assign(call, { diffs }),
  },
  allocations: {
    id: 'jobs.allocations-nested',
    summary: "List a job's allocations, oldest first",
    reply: z.array(stubs.Allocation),
    lists: true,
    flags: { ...allocationFlags, ...incarnationFlags },
    run: operations.listJobAllocations,
    with: (call, { resources, task_states: taskStates, all }) =>
      Object.assign(call, { resources, taskStates, all }),
  },
  evaluations: {
    id: 'jobs.evaluations-nested',
    summary: "List a job's evaluations, oldest first",
    reply: z.array(replies.Evaluation),
    lists: true,
    run: operations.listJobEvaluations,
  },
  deployments: {
    id: 'jobs.deployments-nested',
    summary: "List a job's deployments, oldest first",
    reply: z.array(replies.Deployment),
    lists: true,
    flags: incarnationFlags,
    run: operations.listJobDeployments,
    with: (call, { all }) => Object.assign(call, { all }),
  },
  deployment: {
    id: 'jobs.deployment',
    summary: "Read a job's newest deployment; null when there is none",
    reply: replies.Deployment.nullable(),
    run: operations.readJobDeployment,
  },
  scale: {
    id: 'jobs.scale-status',
    summary: "Read the desired and actual counts of a job's task groups",
    reply: ScaleStatusReply,
    run: operations.readJobScale,
  },
} as const satisfies Readonly<Record<string, JobRead>>

/** A path that ends in one of some words, split before it; a job's ID may contain slashes. */
const cut = <Word extends string>(path: string, words: readonly Word[]): readonly [id: string, Word | ''] => {
  const word = words.find((each) => each !== '' && path.endsWith(`/${each}`))
  return word === undefined ? [path, ''] : [path.slice(0, -word.length - 1), word]
}

const readWords = Object.keys(reads) as readonly (keyof typeof reads)[]

const partOf = (word: keyof typeof reads): JobRead => reads[word]

/** Reads a part of a job. */
const readPart: ClusterWork<
  [word: keyof typeof reads, id: string, call: ListCall],
  Found<unknown>,
  SchedulerRefusal
> = {
  refuses: readWords.flatMap((word) => reads[word].run.refuses),
  run: (cluster, word, id, call) => partOf(word).run.run(cluster, id, call),
}

const readNested = operationRoute({
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
  refusals: [...listRefusals, 'invalid_flag', 'invalid_fields'],
  run: readPart,
  with: ({ context, params, query, exchange }) => {
    const [id, word] = cut(params.path, readWords)
    const { lists, flags, with: callOf = (call) => call } = partOf(word)
    const asker = askerOf(context, exchange)
    const call = lists ? listCall(query, asker) : readCall(query, asker)
    if (!call.ok) return call
    const given = readFlags(query, Object.entries<Flag>(flags ?? {}))
    if (!given.ok) return given
    return [word, id, callOf(call.value, given.value)]
  },
  answer: foundReply,
})

const StopQuery = WriteQuery.extend({
  purge: z.string().optional().describe('also deletes the job and everything that belongs to it'),
  eval_priority: z.string().optional().describe('priority of the evaluation, 1 to 100; 0 is the job’s own'),
})

function stopOf({ token }: RouteContext, id: string, query: z.output<typeof StopQuery>) {
  const purge = readFlag(query, 'purge', 'invalid_flag')
  if (!purge.ok) return purge
  const { namespace = '', eval_priority = '' } = query
  if (!/^[+-]?\d*$/.test(eval_priority))
    return refuse(
      'invalid_priority',
      `Failed to parse value of "eval_priority" (${JSON.stringify(eval_priority)}) as an int`,
    )
  const call: DeregisterJobCall = {
    token,
    namespace: namespace === '' ? undefined : namespace,
    purge: purge.value,
    // 0 is the job's own, as in a body that registers one.
    evalPriority: Number(eval_priority) || undefined,
  }
  return [id, call] as const
}

type StopRefusal = Exclude<(typeof operations.deregisterJob.refuses)[number], 'job_not_found'>

/** Stops a job. Stopping an unknown one changes nothing and is no mistake: clients stop jobs without looking first. */
const stopIfKnown: ClusterWork<[id: string, call: DeregisterJobCall], Written<object>, StopRefusal> = {
  refuses: operations.deregisterJob.refuses.filter((code) => code !== 'job_not_found'),
  run: async (cluster, id, call) => {
    const done = await operations.deregisterJob.run(cluster, id, call)
    if (done.ok) return done
    const { code, message } = done.refusal
    if (code !== 'job_not_found') return refuse(code, message)
    const value = { EvalID: '', EvalCreateIndex: 0, JobModifyIndex: 0 }
    return { ok: true, value, index: Math.max(1, cluster.view.stale().rev) }
  },
}

const stopped = {
  method: 'DELETE',
  summary: 'Stop a job; purge=true also deletes it',
  access: 'namespace:submit-job',
  query: StopQuery,
  reply: written.JobStopped,
  emits: writtenHeaders,
  refusals: ['invalid_flag', 'invalid_priority'],
  run: stopIfKnown,
  answer: <Code extends SchedulerRefusal>(
    done: Written<object> | Refused<Code>,
    call: { readonly context: RouteContext },
  ) => jobWrittenReply(done, call, { VolumeEvalID: '', VolumeEvalIndex: 0 }),
} as const

const actionWords = Object.keys(jobActions)

const judges = new Map(Object.entries(jobActions).map(([word, { access }]) => [word, judgeBy(access)]))

/** Registers a job, or performs an action on it. */
const writeJob: ClusterWork<[word: string, args: readonly unknown[]], Written<object>, SchedulerRefusal> = {
  refuses: [
    ...operations.registerJob.refuses,
    ...Object.values(jobActions).flatMap(({ run }) => run.refuses),
  ],
  run: (cluster, word, args) => (jobActions[word] ?? registerAction).run.run(cluster, ...args),
}

const writeNested = operationRoute({
  id: 'jobs.write-below',
  method: ['PUT', 'POST'],
  path: '/v1/job/*path',
  summary: 'Write a job whose ID has slashes, or perform an action on it',
  description: `The path is the ID of a job, including slashes, and one of: ${actionWords.join(', ')}; or nothing.`,
  access: [...new Set(Object.values(jobActions).flatMap(({ access }) => access.split(' or ')))].join(' or '),
  query: WriteQuery,
  accepts: z.unknown(),
  emits: writtenHeaders,
  refusals: [...registering, ...Object.values(jobActions).flatMap(({ refusals }) => refusals)],
  before: ({ context, params }) => {
    const [, word] = cut(params.path, actionWords)
    return context.judge?.(judges.get(word) ?? judgeBy('namespace:submit-job'))
  },
  run: writeJob,
  with: async ({ context, params, query, body }) => {
    const [id, word] = cut(params.path, actionWords)
    const action = jobActions[word] ?? registerAction
    const args = await action.with({ context, id, namespace: query.namespace, body })
    return 'ok' in args ? args : [word, args]
  },
  answer: jobWrittenReply,
})

const registerRoute = (path: '/v1/jobs' | '/v1/job/:job_id', id: string) =>
  operationRoute({
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
    refusals: registering,
    run: registers.run,
    with: ({ context, params, query, body }) =>
      registers.with({
        context,
        id: 'job_id' in params ? params.job_id : undefined,
        namespace: query.namespace,
        body,
      }),
    answer: jobWrittenReply,
  })

/** The routes of jobs and of their records. */
export const jobRoutes: readonly SchedulerRoute[] = [
  registerRoute('/v1/jobs', 'jobs.register'),
  registerRoute('/v1/job/:job_id', 'jobs.register-named'),
  operationRoute({
    ...stopped,
    id: 'jobs.stop',
    path: '/v1/job/:job_id',
    with: ({ context, params, query }) => stopOf(context, params.job_id, query),
  }),
  operationRoute({
    ...stopped,
    id: 'jobs.stop-below',
    path: '/v1/job/*path',
    with: ({ context, params, query }) => stopOf(context, params.path, query),
  }),
  ...Object.entries(reads)
    .filter(([word]) => word === 'versions' || word === 'deployment' || word === 'scale')
    .map(
      ([word, { id, summary, reply: shape, flags = {}, run, with: callOf = (call: ListCall) => call }]: [
        string,
        JobRead,
      ]) =>
        readOf({
          id,
          path: `/v1/job/:job_id/${word}`,
          summary,
          access: 'namespace:read-job',
          reply: shape,
          flags,
          run,
          with: ({ job_id }, call, given) => [job_id, callOf(call, given)],
        }),
    ),
  readNested,
  ...Object.entries(jobActions).map(
    ([word, { id, summary, access, accepts, reply: shape, run, refusals, with: argumentsOf }]) =>
      operationRoute({
        id,
        method: ['PUT', 'POST'],
        path: `/v1/job/:job_id/${word}`,
        summary,
        access,
        query: WriteQuery,
        accepts,
        reply: shape,
        emits: writtenHeaders,
        refusals,
        run,
        with: ({ context, params, query, body }) =>
          argumentsOf({ context, id: params['job_id'] ?? '', namespace: query.namespace, body }),
        answer: jobWrittenReply,
      }),
  ),
  writeNested,
]
