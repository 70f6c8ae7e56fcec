import { type Refused, refuse } from '../../kernel/index.ts'
import type { Snapshot } from '../../store/index.ts'
import { deploymentRecords, jobRecords, jobStatusRecords, jobVersionRecords } from '../collections.ts'
import type { Deployment } from '../deployments/model.ts'
import { assembleJob } from '../jobs/assemble.ts'
import type { Job } from '../jobs/model.ts'
import { ofIncarnation } from '../jobs/work.ts'
import { readJob } from '../tables.ts'
import { permissionDenied } from './authenticate.ts'
import type { Found, ReadCall } from './call.ts'
import { type Cluster, indexOf } from './cluster.ts'
import { enter } from './enter.ts'
import { beginning } from './list.ts'
import { answerRead } from './read.ts'

/**
 * Every version of a job that is kept.
 *
 * @public
 */
export interface JobVersions {
  /** Newest first; all of them with the job's present status. */
  readonly Versions: readonly Job[]
  /** What changed from each to the next; not told. */
  readonly Diffs: null
}

/** The versions of a job as of a snapshot, newest first. */
export function versionsAt(now: Snapshot, namespace: string, id: string): readonly Job[] {
  const present = readJob(now, namespace, id)
  if (present === undefined) return []
  const { CreateIndex, Status, StatusDescription } = present
  const earlier = jobVersionRecords
    .list(now, namespace, id)
    .map(({ value, modified }) =>
      assembleJob(
        value,
        { Status, StatusDescription, Stable: value.Stable },
        { CreateIndex, ModifyIndex: modified, JobModifyIndex: value.JobModifyIndex },
      ),
    )
  return [present, ...earlier.reverse()]
}

/** What belongs to one job, beside its lists. */
export function jobReadMethods(cluster: Cluster) {
  return {
    /** Reads every version of a job that is kept, newest first; asks for `namespace:read-job`. */
    listJobVersions: (
      id: string,
      call: ReadCall = {},
    ): Promise<Found<JobVersions> | Refused<'permission_denied' | 'job_versions_not_found'>> =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default' } = call
        if (!access.namespace(namespace, 'read-job')) return permissionDenied()
        const versions = jobVersionRecords.markOf('job', namespace, id)
        const keys = [jobRecords.keyOf(namespace, id), jobStatusRecords.keyOf(namespace, id), versions]
        const mark = jobRecords.markOf('namespace', namespace)
        return answerRead(cluster, call, now, ['job-versions', namespace, id], (at) => {
          const Versions = versionsAt(at, namespace, id)
          if (Versions.length > 0) return { value: { Versions, Diffs: null }, index: indexOf(at, keys), keys }
          const index = indexOf(at, [mark])
          const missing = refuse('job_versions_not_found', 'job versions not found', { index })
          return { ...missing, index, keys: [mark] }
        })
      }),

    /** Reads a job's newest deployment; `null` where it has none. Asks for `namespace:read-job`. */
    readJobDeployment: (
      id: string,
      call: ReadCall = {},
    ): Promise<Found<Deployment | null> | Refused<'permission_denied'>> =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default' } = call
        if (!access.namespace(namespace, 'read-job')) return permissionDenied()
        const mark = deploymentRecords.markOf('job', namespace, id)
        return answerRead<Deployment | null>(cluster, call, now, ['job-deployment', namespace, id], (at) => {
          const created = jobRecords.get(at, namespace, id)?.created ?? 0
          const rows = cluster.tables.deployments
            .at(at)
            .by('job')
            .scan({ prefix: beginning([namespace, id]) })
          const value = rows.findLast((row) => ofIncarnation(row, created)) ?? null
          return { value, index: indexOf(at, [mark]), keys: [mark] }
        })
      }),
  }
}
