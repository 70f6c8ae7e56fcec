import type { Env, Timers } from '../kernel/index.ts'
import { type Tally, tally } from '../store/background/tally.ts'
import { type Replica, transact } from '../store/index.ts'
import { countDownloads } from './downloads/count.ts'
import type { ModuleAddress } from './modules/names.ts'
import { addressParts, counters, modules } from './records.ts'
import type { ModuleRow } from './search/row.ts'

/** Counts downloads by module, without making them wait. */
export const downloadCounter = (options: {
  readonly view: () => Promise<Replica>
  readonly env: () => Env
  readonly timers: Timers
  /** Where a module is; `undefined` once it was removed. */
  readonly whereIs: (moduleId: string) => ModuleAddress | undefined
  readonly onError: (error: unknown) => void
}): Tally =>
  tally({
    timers: options.timers,
    onError: options.onError,
    store: async (counts) => {
      const { env, whereIs } = options
      const present = env()
      const view = await options.view()
      await transact(
        view,
        () => env().newId('commit'),
        (tx) => {
          for (const [moduleId, count] of counts) {
            // Expected to be there still: one that was removed needs no count, and nobody would ever remove it.
            const at = whereIs(moduleId)
            if (!at || tx.get(modules, ...addressParts(at))?.value.id !== moduleId) continue
            const counted = countDownloads(tx.get(counters, moduleId)?.value, { moduleId, count }, present)
            if (counted.ok) tx.put(counters, counted.state)
          }
        },
      )
    },
  })

/** A module as it is listed, with the downloads that are not stored yet. */
export function withWaiting(row: ModuleRow, waiting: ReadonlyMap<string, number>): ModuleRow {
  const count = waiting.get(row.id)
  return count === undefined ? row : Object.assign({}, row, { downloads: row.downloads + count })
}
