import type { RunnerReport } from '../../scheduler/index.ts'
import { type ClusterClient, Refusal } from './cluster.ts'

/** Reports the status of allocations to the cluster; only the newest report of each is sent. */
export interface Reports {
  readonly report: (report: RunnerReport) => void
  readonly close: () => void
}

const pauseMs = 1000

/** Sends one report after another, and retries failed ones. */
export function reports(cluster: ClusterClient, failed: (what: string, error: unknown) => void): Reports {
  const due = new Map<string, RunnerReport>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSending = false
  let isClosed = false
  const send = async () => {
    if (isSending || isClosed) return
    isSending = true
    for (const [id, report] of due) {
      due.delete(id)
      try {
        await cluster.report(report)
      } catch (error) {
        // The cluster refuses the report: the allocation was lost, garbage-collected, or has ended.
        if (error instanceof Refusal && (error.status === 400 || error.status === 404)) {
          failed('report', new Error(`allocation ${id}: ${error.message}`))
          continue
        }
        if (!due.has(id)) due.set(id, report)
        failed('report', error)
        timer = setTimeout(() => void send(), pauseMs)
        break
      }
    }
    isSending = false
  }
  return {
    report: (report) => {
      due.set(report.ID, report)
      // Changes of the same turn are sent together.
      setImmediate(() => void send())
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
