import { transact } from '../../../store/index.ts'
import type { Cluster } from '../cluster.ts'
import { type Ledger, openLedger } from './ledger.ts'

/** Decides and commits through a ledger: what is written and the statuses that follow from it, or none of it. */
export function record<Result>(
  cluster: Cluster,
  decide: (ledger: Ledger) => Result,
): Promise<{ readonly result: Result; readonly rev: number }> {
  const env = cluster.env()
  const write = () =>
    transact(
      cluster.view,
      () => env.newId('commit'),
      (tx) => {
        const ledger = openLedger(cluster, tx)
        const result = decide(ledger)
        ledger.settle()
        return result
      },
    )
  return cluster.born()?.then(write) ?? write()
}
