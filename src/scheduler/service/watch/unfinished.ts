import type { Collection } from '../../../store/index.ts'
import { evaluationRecords, nodeChangeRecords, purgeRecords } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { followNodeChange } from '../write/node-change.ts'
import { sweepPurged } from '../write/purge.ts'
import { workOffStop } from '../write/stop-job.ts'
import { type Alarms, retryPause } from './alarms.ts'

/**
 * Takes up what was begun and not finished. Purges, changes of nodes and stops of jobs take many commits; the process that does
 * them may crash, or lose the store. That they are under way is stored, so no process has to remember: what is found when
 * a store is opened is taken up at once, and what appears later when it is still there after a pause.
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
    // One after the other: what is left of one job is often left of others, too.
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
