import type { Reporter } from '../../../kernel/event-emitter.ts'
import type { Timers } from '../../../kernel/index.ts'
import { isStoreError } from '../../../store/index.ts'
import { agesAt, type CollectOptions, type IndexSample, timesOf, withSample } from '../../gc/ages.ts'
import type { Cluster } from '../cluster.ts'
import type { Background } from './background.ts'
import { collectGarbage } from './collect.ts'

/** Collects periodically what has been finished for long enough, as far as this process has observed. */
export function collector(
  cluster: Cluster,
  options: CollectOptions & { readonly timers: Timers; readonly onError: Reporter },
): Background {
  const { timers, onError } = options
  const times = timesOf(options)
  const longest = Math.max(
    times.jobsMs,
    times.evaluationsMs,
    times.batchMs,
    times.deploymentsMs,
    times.nodesMs,
  )
  const sample = (): IndexSample => ({ index: cluster.view.stale().rev, at: cluster.env().now })
  let samples: readonly IndexSample[] = [sample()]
  let running: Promise<boolean> | undefined
  let closed = false
  let cancel = () => {}
  const arm = () => {
    if (!closed) cancel = timers.after(times.everyMs, look)
  }
  const look = () => {
    samples = withSample(samples, sample(), longest)
    arm()
    // Collections do not overlap, even if one takes longer than the pause.
    running ??= collectGarbage(cluster, agesAt(samples, cluster.env().now, times), () => closed)
      .then(() => true)
      .catch((error: unknown) => {
        if (!closed && !isStoreError(error, 'closed')) onError(error)
        return false
      })
      .finally(() => {
        running = undefined
      })
  }
  arm()
  return {
    isBusy: () => running !== undefined,
    settled: async () => {
      while (running !== undefined) if (!(await running)) return false
      return true
    },
    close: async () => {
      closed = true
      cancel()
      await running
    },
  }
}
