import { type Refused, refuse } from '../../../kernel/index.ts'
import { type DispatchInput, type DispatchRefusal, dispatchJob } from '../../jobs/dispatch.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { type LaunchRefusal, launchPeriodicJob } from '../../periodic/launch.ts'
import { jobRecords, jobVersionRecords, noteLaunch } from '../../records/collections.ts'
import type { Written } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import { nextVersion } from '../write/deployment-progress.ts'
import type { JobName, Ledger } from '../write/ledger.ts'
import { type JobWritten, jobWritten } from '../write/register-job.ts'
import { earlierVersions, evaluate, poolProblem, writeVersion } from '../write/specification.ts'
import { actOnJob, type JobCall } from './act-on-job.ts'

/**
 * The child a dispatch made, or made before.
 *
 * @public
 */
export interface JobDispatched {
  readonly DispatchedJobID: string
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly JobCreateIndex: number
}

/** What acting on a job may refuse. */
export type JobActRefusal =
  | DispatchRefusal
  | LaunchRefusal
  | 'permission_denied'
  | 'job_not_found'
  | 'registration_disabled'
  | 'not_evaluated'
  | 'job_version_not_found'
  | 'job_version_is_current'
  | 'job_version_mismatch'
  | 'unknown_job_pool'

type Refusing = Refused<JobActRefusal>

/** What is done with jobs that are there. */
export function jobActMethods(cluster: Cluster) {
  /** Registers a child, or has the one of that name looked at again. */
  const launch = (ledger: Ledger, child: JobSpec, trigger: 'job-register' | 'periodic-job') => {
    const before = ledger.job(child)
    if (before === undefined) ledger.putJob(child)
    const known = before?.modified
    const evaluation = evaluate(ledger, child, trigger, cluster.env(), { jobModifyIndex: known })
    return { evaluation, known }
  }

  return {
    /**
     * Makes a child of a parameterized job; asks for `namespace:dispatch-job`.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.registerJob({ ID: 'mail', Type: 'batch', ParameterizedJob: { MetaRequired: ['to'] }, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] })
     * const child = await scheduler.dispatchJob('mail', { meta: { to: 'ada' } })
     * child.ok && child.value.DispatchedJobID.startsWith('mail/dispatch-') // true
     * ```
     */
    dispatchJob: (
      id: string,
      input: DispatchInput,
      call: JobCall = {},
    ): Promise<Written<JobDispatched> | Refusing> =>
      actOnJob(
        cluster,
        id,
        call,
        { may: ['dispatch-job'], registers: true },
        (ledger, job, name) => {
          const twin = childWithToken(ledger, name, input.idempotencyToken)
          if (twin !== undefined)
            return { ok: true, child: twin.ID, created: twin.CreateIndex, evaluation: undefined, events: [] }
          const outcome = dispatchJob(job.value, input, cluster.env())
          if (!outcome.ok) return outcome
          const { evaluation } = launch(ledger, outcome.value, 'job-register')
          const created: number | undefined = undefined
          return { ok: true, child: outcome.value.ID, created, evaluation, events: outcome.events }
        },
        ({ child, created, evaluation }, rev) => ({
          ok: true,
          value: {
            DispatchedJobID: child,
            EvalID: evaluation?.ID ?? '',
            EvalCreateIndex: evaluation === undefined ? 0 : rev,
            JobCreateIndex: created ?? rev,
          },
          index: rev,
        }),
      ),

    /**
     * Launches a periodic job now, beside its schedule; asks for `namespace:submit-job`.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.registerJob({ ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' }, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] })
     * await scheduler.forcePeriodicJob('nightly')
     * const jobs = await scheduler.listJobs({ prefix: 'nightly/periodic-' })
     * jobs.ok && jobs.value.length // 1
     * ```
     */
    forcePeriodicJob: (id: string, call: JobCall = {}): Promise<Written<JobWritten> | Refusing> =>
      actOnJob(
        cluster,
        id,
        call,
        { may: ['submit-job'] },
        (ledger, job, name) => {
          const env = cluster.env()
          const outcome = launchPeriodicJob(job.value, {}, env)
          if (!outcome.ok) return outcome
          noteLaunch(ledger.tx, name, env.now)
          return { ok: true, ...launch(ledger, outcome.value, 'periodic-job'), events: outcome.events }
        },
        ({ evaluation, known }, rev) => jobWritten(evaluation, rev, known),
      ),

    /**
     * Has a job looked at; asks for `namespace:read-job`.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
     * await scheduler.evaluateJob('web')
     * const evaluations = await scheduler.listJobEvaluations('web')
     * evaluations.ok && evaluations.value.length // 2
     * ```
     */
    evaluateJob: (id: string, call: JobCall = {}): Promise<Written<JobWritten> | Refusing> =>
      actOnJob(
        cluster,
        id,
        call,
        { may: ['read-job'] },
        (ledger, job) => {
          const evaluation = evaluate(ledger, job.value, 'job-register', cluster.env(), {
            jobModifyIndex: job.modified,
          })
          if (evaluation !== undefined) return { ok: true, evaluation, known: job.modified, events: [] }
          const kind = job.value.Periodic === null ? 'parameterized' : 'periodic'
          return refuse('not_evaluated', `can't evaluate ${kind} job`)
        },
        ({ evaluation, known }, rev) => jobWritten(evaluation, rev, known),
      ),

    /**
     * Registers an earlier version again as the next one; asks for `namespace:submit-job`.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * const job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] }
     * await scheduler.registerJob(job)
     * await scheduler.registerJob({ ...job, Priority: 70 })
     * await scheduler.revertJob('web', { version: 0 })
     * const found = await scheduler.readJob('web')
     * found.ok && [found.value.Version, found.value.Priority] // [2, 50]
     * ```
     */
    revertJob: (
      id: string,
      input: { readonly version: number; readonly enforcePriorVersion?: number | undefined },
      call: JobCall = {},
    ): Promise<Written<JobWritten> | Refusing> =>
      actOnJob(
        cluster,
        id,
        call,
        { may: ['submit-job'], registers: true },
        (ledger, job, name) => {
          const { Version: present } = job.value
          const { version, enforcePriorVersion: prior } = input
          if (prior !== undefined && prior !== present)
            return refuse(
              'job_version_mismatch',
              `Current job has version ${present}; enforcing version ${prior}`,
            )
          if (version === present) return refuse('job_version_is_current', "can't revert to current version")
          const earlier = earlierVersions(ledger, name).find(({ Version }) => Version === version)
          if (earlier === undefined) return noVersion(name, version)
          const env = cluster.env()
          const next = nextVersion(job.value, earlier, env)
          const strayed = poolProblem(ledger, next)
          if (strayed !== undefined) return strayed
          const moved = writeVersion(ledger, next, env)
          const evaluation = evaluate(ledger, next, 'job-register', env)
          const registered = {
            type: 'job.registered',
            job: id,
            namespace: name.Namespace,
            version: next.Version,
          } as const
          return { ok: true, evaluation, events: [registered, ...moved] }
        },
        ({ evaluation }, rev) => jobWritten(evaluation, rev, undefined),
      ),

    /**
     * Says whether a version is known to be good, which an automatic revert goes back to; asks for `namespace:submit-job`.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
     * await scheduler.markJobStable('web', { version: 0, stable: true })
     * const found = await scheduler.readJob('web')
     * found.ok && found.value.Stable // true
     * ```
     */
    markJobStable: (
      id: string,
      input: { readonly version: number; readonly stable: boolean },
      call: JobCall = {},
    ): Promise<Written<{ readonly JobModifyIndex: number }> | Refusing> =>
      actOnJob(
        cluster,
        id,
        call,
        { may: ['submit-job'] },
        (ledger, job, name) => {
          if (input.version === job.value.Version) {
            ledger.markStable(name, input.stable)
            return { ok: true, modified: job.modified, events: [] }
          }
          const earlier = earlierVersions(ledger, name).find(({ Version }) => Version === input.version)
          if (earlier === undefined) return noVersion(name, input.version)
          ledger.tx.put(jobVersionRecords, { ...earlier, Stable: input.stable })
          return { ok: true, modified: job.modified, events: [] }
        },
        ({ modified }, rev) => ({ ok: true, value: { JobModifyIndex: modified }, index: rev }),
      ),
  }

  /** The child that an earlier dispatch with the same token made. */
  function childWithToken(ledger: Ledger, { Namespace, ID }: JobName, token: string | undefined) {
    if (token === undefined || token === '') return undefined
    ledger.tx.guard(jobRecords.name, 'children', Namespace, ID)
    return cluster.tables.jobs
      .at(ledger.tx.now)
      .by('parent')
      .scan({ prefix: beginning([Namespace, ID]) })
      .find((child) => child.DispatchIdempotencyToken === token)
  }
}

const noVersion = ({ Namespace, ID }: JobName, version: number) =>
  refuse('job_version_not_found', `job "${ID}" in namespace "${Namespace}" at version ${version} not found`)
