import { transact } from '../../../store/index.ts'
import type { Cluster } from '../cluster.ts'
import { type Ledger, ledger } from './ledger.ts'

/** Decides and commits through a ledger: what is written and the statuses that follow from it, or none of it. */
export function record<Result>(
  cluster: Cluster,
  decide: (book: Ledger) => Result,
): Promise<{ readonly result: Result; readonly rev: number }> {
  const env = cluster.env()
  const write = () =>
    transact(
      cluster.view,
      () => env.newId('commit'),
      (tx) => {
        const book = ledger(cluster, tx)
        const result = decide(book)
        book.settle()
        return result
      },
    )
  return cluster.born()?.then(write) ?? write()
}
