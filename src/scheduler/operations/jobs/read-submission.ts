import { refuse } from '../../../kernel/index.ts'
import { operation } from '../../../operation/operation.ts'
import { jobRecords, jobSubmissionRecords, jobVersionRecords } from '../../records/collections.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { ReadCall } from '../../service/call.ts'
import { type Cluster, indexOf } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { answerRead } from '../../service/read/read.ts'
import type { JobSubmission } from '../../submissions/model.ts'
import { call, id } from '../arguments.ts'

export const submissionOperations = {
  /**
   * Reads the source text of a version of a job, by default the current one; requires `namespace:read-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] }
   * await scheduler.registerJob(job, { submission: { Source: 'job "web" { }', Format: 'hcl2' } })
   * const found = await scheduler.readJobSubmission('web')
   * found.ok && found.value.Source // 'job "web" { }'
   * ```
   */
  readJobSubmission: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'job_submission_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall & { readonly version?: number | undefined } = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default', version } = call
        if (!access.namespace(namespace, 'read-job')) return permissionDenied()
        const keys = [jobRecords.keyOf(namespace, id), jobVersionRecords.markOf('job', namespace, id)]
        const mark = jobRecords.markOf('namespace', namespace)
        return answerRead<JobSubmission, 'job_submission_not_found'>(
          cluster,
          call,
          now,
          ['job-submission', namespace, id, version],
          (at) => {
            const wanted = version ?? jobRecords.get(at, namespace, id)?.value.Version
            const found =
              wanted === undefined ? undefined : jobSubmissionRecords.get(at, namespace, id, wanted)
            if (found !== undefined)
              return {
                value: { ...found.value, JobModifyIndex: found.created },
                index: indexOf(at, keys),
                keys,
              }
            const index = indexOf(at, [mark])
            const missing = refuse('job_submission_not_found', 'job source not found', { index })
            return { ...missing, index, keys: [mark] }
          },
        )
      }),
  }),
}
