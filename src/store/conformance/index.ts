import type { Store } from '../port/port.ts'
import { changeCases } from './changes.ts'
import { commitCases } from './commits.ts'
import { concurrencyCases } from './concurrency.ts'
import { followerCases } from './followers.ts'
import type { Case, Harness } from './harness.ts'
import { importCases } from './imports.ts'
import { neighbourCases, neighbours } from './neighbours.ts'
import { readCases } from './reads.ts'
import { reopeningCases, retentionCases } from './reopening.ts'
import { snapshotCases } from './snapshots.ts'
import { valueCases } from './values.ts'
import { watched, watchedKit } from './watch.ts'

export { crashConformance } from './crash.ts'
export type { Harness, ProcessHarness } from './harness.ts'
export { historyConformance } from './history.ts'
export { historyFaults, type Operation } from './history-faults.ts'

/**
 * The suite every store passes: run it over your own adapter, or over a decorator around one.
 *
 * @param open - opens a fresh, empty realm; called once per test and once per random sequence
 * @param harness - the test runner's `test`, and how to open a second handle and to reopen a realm, if the adapter can
 *
 * @example
 * ```ts
 * import { memoryStore, storeConformance } from 'plinth/store'
 *
 * const sentences: string[] = []
 * storeConformance(async () => memoryStore(), { test: (name) => sentences.push(name) })
 * sentences.length > 40 // true
 * ```
 */
export function storeConformance(open: () => Promise<Store>, harness: Harness): void {
  const cases: readonly Case[] = [
    ...commitCases,
    ...valueCases,
    ...readCases,
    ...importCases,
    ...changeCases,
    ...concurrencyCases,
    ...snapshotCases,
    ...followerCases,
    ...(harness.neighbours === undefined ? [] : neighbourCases),
    ...(harness.reopen === undefined ? [] : reopeningCases),
    ...(harness.retaining === undefined ? [] : retentionCases),
  ]
  for (const [sentence, run] of cases)
    harness.test(
      sentence,
      watched(async (watch) => {
        const kit = watchedKit(watch, open, harness)
        const store = await kit.open()
        const peer = (await kit.peer?.(store)) ?? store
        const others: Store[] = []
        for (let left = harness.neighbours ?? 0; left > 0; left -= 1) others.push(await open())
        const beside = neighbours(others)
        try {
          await run(store, peer, kit)
        } finally {
          await beside.stop()
          for (const other of others) await other.close()
          if (peer !== store) await peer.close()
          // A case that reopened the realm has closed it already; closing twice is harmless.
          await store.close()
        }
      }),
    )
}
