import { stayAwake } from '../../kernel/system-env.ts'
import type { Store } from '../port/port.ts'
import { changeCases } from './changes.ts'
import { commitCases } from './commits.ts'
import { concurrencyCases, modelCase } from './concurrency.ts'
import type { Case, Harness } from './harness.ts'
import { importCases } from './imports.ts'
import { readCases } from './reads.ts'
import { reopeningCases, retentionCases } from './reopening.ts'
import { snapshotCases } from './snapshots.ts'
import { valueCases } from './values.ts'

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
    ...(harness.reopen === undefined ? [] : reopeningCases),
    ...(harness.retaining === undefined ? [] : retentionCases),
    modelCase(open),
  ]
  for (const [sentence, run] of cases)
    harness.test(sentence, async () => {
      // A runner in the same process, such as `node:test`, ends with the event loop, which some stores' waits do not
      // keep alive.
      const sleep = stayAwake()
      try {
        const store = await open()
        const peer = (await harness.peer?.(store)) ?? store
        try {
          await run(store, peer, harness)
        } finally {
          if (peer !== store) await peer.close()
          // A case that reopened the realm has closed it already; closing twice is harmless.
          await store.close()
        }
      } finally {
        sleep()
      }
    })
}
