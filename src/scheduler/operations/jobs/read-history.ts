import { refuse } from '../../../kernel/index.ts'
import { operation } from '../../../operation/operation.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { Deployment } from '../../deployments/model.ts'
import type { JobDiff } from '../../jobs/diff.ts'
import type { diffVersions } from '../../jobs/diff-versions.ts'
import type { Job } from '../../jobs/model.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import {
  deploymentRecords,
  jobRecords,
  jobStatusRecords,
  jobVersionRecords,
} from '../../records/collections.ts'
import { earlierJob, readJob } from '../../records/tables.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { ReadCall } from '../../service/call.ts'
import { type Cluster, indexOf } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { beginning } from '../../service/read/list.ts'
import { answerRead } from '../../service/read/read.ts'
import { call, id } from '../arguments.ts'
import type { JobVersionsCall } from '../calls.ts'

/**
 * Every version of a job that is kept.
 */
export interface JobVersions {
  /** Newest first; all of them with the job's present status. */
  readonly Versions: readonly Job[]
  /** The changes of each version from the one before it, so one fewer; `null` unless requested. */
  readonly Diffs: readonly JobDiff[] | null
}

/** The changes of each version from the one before it, newest first. */
const diffsOf = (versions: readonly Job[], diff: typeof diffVersions): readonly JobDiff[] =>
  versions.slice(0, -1).flatMap((version, at) => {
    const before = versions[at + 1]
    return before === undefined ? [] : [diff(before, version)]
  })

/** The versions of a job as of a snapshot, newest first. */
export function versionsAt(now: Snapshot, namespace: string, id: string): readonly Job[] {
  const present = readJob(now, namespace, id)
  if (present === undefined) return []
  const earlier = jobVersionRecords
    .list(now, namespace, id)
    .map((version) => earlierJob(now, present, version))
  return [present, ...earlier.reverse()]
}

/** Reads of one job's related objects, besides its lists. */
export const jobHistoryOperations = {
  /**
   * Reads every version of a job that is kept, newest first; requires `namespace:read-job`.
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
   * const found = await scheduler.listJobVersions('web', { diffs: true })
   * found.ok && found.value.Diffs?.[0]?.Fields.map(({ Name, Old, New }) => `${Name}: ${Old} to ${New}`) // ['Priority: 50 to 70']
   * ```
   */
  listJobVersions: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'job_versions_not_found'],
    run: (cluster: Cluster, id: string, call: JobVersionsCall = {}) =>
      enter(cluster, call, async ({ now, access }) => {
        const { namespace = 'default' } = call
        if (!access.namespace(namespace, 'read-job')) return permissionDenied()
        const versions = jobVersionRecords.markOf('job', namespace, id)
        const keys = [jobRecords.keyOf(namespace, id), jobStatusRecords.keyOf(namespace, id), versions]
        const mark = jobRecords.markOf('namespace', namespace)
        const { diffs = false } = call
        const compare = diffs ? await import('../../jobs/diff-versions.ts') : undefined
        return answerRead(cluster, call, now, ['job-versions', namespace, id, diffs], (at) => {
          const Versions = versionsAt(at, namespace, id)
          const Diffs = compare === undefined ? null : diffsOf(Versions, compare.diffVersions)
          if (Versions.length > 0) return { value: { Versions, Diffs }, index: indexOf(at, keys), keys }
          const index = indexOf(at, [mark])
          const missing = refuse('job_versions_not_found', 'job versions not found', { index })
          return { ...missing, index, keys: [mark] }
        })
      }),
  }),

  /**
   * Reads a job's newest deployment; `null` if it has none, or only a successful one of an earlier version. Requires
   * `namespace:read-job`.
   *
   * @example await scheduler.readJobDeployment('web')
   */
  readJobDeployment: operation({
    takes: [id, call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default' } = call
        if (!access.namespace(namespace, 'read-job')) return permissionDenied()
        const mark = deploymentRecords.markOf('job', namespace, id)
        return answerRead<Deployment | null>(cluster, call, now, ['job-deployment', namespace, id], (at) => {
          const job = jobRecords.get(at, namespace, id)
          const [newest] = cluster.tables.deployments
            .at(at)
            .by('job')
            .scan({ prefix: beginning([namespace, id]), reverse: true, limit: 1 })
          const isOwn = newest !== undefined && ofIncarnation(newest, job?.created ?? 0)
          // The result of an earlier version says nothing about one that is not evaluated yet.
          const isOutdated =
            job !== undefined &&
            !job.value.Stop &&
            newest !== undefined &&
            newest.JobVersion < job.value.Version
          const value = isOwn && !(isOutdated && newest.Status === 'successful') ? newest : null
          const keys = [mark, jobRecords.keyOf(namespace, id)]
          return { value, index: indexOf(at, keys), keys }
        })
      }),
  }),
}
