import type { RunnerReport } from '../../scheduler/index.ts'
import { type ClusterClient, Refusal } from './cluster.ts'

/** Tells the cluster how allocations fare; of several things to tell of one, the newest. */
export interface Reports {
  readonly tell: (report: RunnerReport) => void
  readonly close: () => void
}

const pauseMs = 1000

/** Reports one allocation after another, and again where that came to nothing. */
export function reports(cluster: ClusterClient, log: (text: string) => void): Reports {
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
        // The cluster knows better: the allocation was lost, or collected, or has ended.
        if (error instanceof Refusal && (error.status === 400 || error.status === 404)) {
          log(`allocation ${id}: ${error.message}`)
          continue
        }
        if (!due.has(id)) due.set(id, report)
        log(`report: ${error instanceof Error ? error.message : String(error)}`)
        timer = setTimeout(() => void send(), pauseMs)
        break
      }
    }
    isSending = false
  }
  return {
    tell: (report) => {
      due.set(report.ID, report)
      // What changes at once is told at once.
      setImmediate(() => void send())
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
