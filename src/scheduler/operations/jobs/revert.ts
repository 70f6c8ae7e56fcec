import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import { jobVersionRecords } from '../../records/collections.ts'
import type { Cluster } from '../../service/cluster.ts'
import { nextVersion } from '../../service/write/deployment-progress.ts'
import type { JobName } from '../../service/write/ledger.ts'
import {
  earlierVersions,
  evaluate,
  namespaceProblem,
  poolProblem,
  writeVersion,
} from '../../service/write/specification.ts'
import { call, id } from '../arguments.ts'
import type { JobCall } from '../calls.ts'
import { actOnJob, registrationsClosed } from './act-on-job.ts'
import { jobWritten } from './job-written.ts'

/**
 * Which version of a job to register again.
 */
export interface RevertInput {
  readonly version: number
  /** The version the writer believes the job has. */
  readonly enforcePriorVersion?: number | undefined
}

/**
 * Whether a version of a job is stable.
 */
export interface StableInput {
  readonly version: number
  readonly stable: boolean
}

const revert = argument<RevertInput>(
  'input',
  fields({ version: z.int(), enforcePriorVersion: z.int().optional() } satisfies Record<
    keyof RevertInput,
    z.ZodType
  >),
)
const stability = argument<StableInput>(
  'input',
  fields({ version: z.int(), stable: z.boolean() } satisfies Record<keyof StableInput, z.ZodType>),
)

/** The operations on the versions of a job. */
export const versionOperations = {
  /**
   * Registers an earlier version again as the next one; requires `namespace:submit-job`.
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
  revertJob: operation({
    takes: [id, revert, call],
    refuses: [
      'permission_denied',
      'job_not_found',
      'registration_disabled',
      'job_version_not_found',
      'job_version_is_current',
      'job_version_mismatch',
      'unknown_job_pool',
      'unknown_job_namespace',
    ],
    run: (cluster: Cluster, id: string, input: RevertInput, call: JobCall = {}) =>
      actOnJob(
        cluster,
        id,
        call,
        { may: ['submit-job'], refused: registrationsClosed },
        (ledger, job, env) => {
          const { Namespace, Version: present } = job.value
          const { version, enforcePriorVersion: prior = present } = input
          if (prior !== present)
            return refuse(
              'job_version_mismatch',
              `Current job has version ${present}; enforcing version ${prior}`,
            )
          if (version === present) return refuse('job_version_is_current', "can't revert to current version")
          const earlier = earlierVersions(ledger, job.value).find(({ Version }) => Version === version)
          if (earlier === undefined) return noVersion(job.value, version)
          const next = nextVersion(job.value, earlier, env)
          const strayed = poolProblem(ledger, next) ?? namespaceProblem(cluster, ledger, next)
          if (strayed !== undefined) return strayed
          const moved = writeVersion(ledger, next, env)
          const evaluation = evaluate(ledger, next, 'job-register', env)
          const registered = {
            type: 'job.registered',
            job: id,
            namespace: Namespace,
            version: next.Version,
          } as const
          return {
            ok: true,
            value: (rev) => jobWritten(evaluation, rev, undefined),
            events: [registered, ...moved],
          }
        },
      ),
  }),

  /**
   * Marks a version as stable or not, for automatic reverts; requires `namespace:submit-job`.
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
  markJobStable: operation({
    takes: [id, stability, call],
    refuses: ['permission_denied', 'job_not_found', 'job_version_not_found'],
    run: (cluster: Cluster, id: string, { version, stable }: StableInput, call: JobCall = {}) =>
      actOnJob(cluster, id, call, { may: ['submit-job'] }, (ledger, { value: job, modified }) => {
        const value = (rev: number) => ({
          ok: true as const,
          value: { JobModifyIndex: modified },
          index: rev,
        })
        if (version === job.Version) {
          ledger.markStable(job, stable)
          return { ok: true, value, events: [] }
        }
        const earlier = earlierVersions(ledger, job).find(({ Version }) => Version === version)
        if (earlier === undefined) return noVersion(job, version)
        ledger.tx.put(jobVersionRecords, { ...earlier, Stable: stable })
        return { ok: true, value, events: [] }
      }),
  }),
}

const noVersion = ({ Namespace, ID }: JobName, version: number) =>
  refuse('job_version_not_found', `job "${ID}" in namespace "${Namespace}" at version ${version} not found`)
