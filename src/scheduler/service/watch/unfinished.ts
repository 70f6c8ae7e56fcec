import type { Collection } from '../../../store/index.ts'
import { evaluationRecords, nodeChangeRecords, purgeRecords } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { followNodeChange } from '../write/node-change.ts'
import { sweepPurged } from '../write/purge.ts'
import { workOffStop } from '../write/stop-job.ts'
import { type Alarms, retryPause } from './alarms.ts'

/**
 * Resumes unfinished work. Purges, changes of nodes and stops of jobs take many commits, and their process may crash or
 * lose the store. A stored record says that they are in progress: work that is found when a store is opened is resumed
 * at once, and work that appears later if it is still there after a pause.
 *
 * @returns what to call with the keys of records that changed
 */
export function unfinished(cluster: Cluster, alarms: Alarms): (keys: readonly string[]) => void {
  const { view } = cluster
  const watch = <Row>(
    records: Collection<Row>,
    isUnderWay: (row: Row) => boolean,
    resume: (row: Row) => Promise<unknown>,
  ) => {
    // In sequence: after a crash several jobs often have work left.
    let last: Promise<unknown> = Promise.resolve()
    const resumeAt = async (key: string) => {
      const entry = (await view.fresh()).get(key)
      const row = entry && records.stored(entry).value
      if (row !== undefined && isUnderWay(row)) await resume(row)
    }
    const due = alarms.kind((key) => {
      const work = last.then(() => resumeAt(key))
      last = work.catch(() => {})
      return work
    })
    for (const { key, value } of records.list(view.stale())) if (isUnderWay(value)) due.ring(key)
    return (key: string) => {
      if (!key.startsWith(records.prefix)) return
      const entry = view.stale().get(key)
      if (entry !== undefined && isUnderWay(records.stored(entry).value)) due.setIn(key, retryPause)
      else if (due.has(key)) due.set(key, undefined)
    }
  }
  const looks = [
    watch(
      purgeRecords,
      () => true,
      () => sweepPurged(cluster),
    ),
    watch(
      nodeChangeRecords,
      () => true,
      ({ NodeID }) => followNodeChange(cluster, NodeID),
    ),
    watch(
      evaluationRecords,
      ({ TriggeredBy, Status }) => TriggeredBy === 'job-deregister' && Status === 'pending',
      ({ Namespace, JobID }) => workOffStop(cluster, { Namespace, ID: JobID }),
    ),
  ]
  return (keys) => {
    for (const key of keys) for (const look of looks) look(key)
  }
}
