import type { Reporter } from '../kernel/event-emitter.ts'
import type { Timers } from '../kernel/index.ts'
import { type Tally, tally } from '../store/background/tally.ts'
import { countDownloads } from './downloads/count.ts'
import type { ModuleAddress } from './modules/names.ts'
import { addressParts, type Commit, counters, modules } from './records.ts'
import type { ModuleRow } from './search/row.ts'

/** Counts downloads by module, without making them wait. */
export const downloadCounter = (options: {
  readonly commit: Commit
  readonly timers: Timers
  /** The address of a module; `undefined` once it was removed. */
  readonly whereIs: (moduleId: string) => ModuleAddress | undefined
  readonly onError: Reporter
}): Tally =>
  tally({
    timers: options.timers,
    onError: options.onError,
    store: async (counts) => {
      const { commit, whereIs } = options
      await commit((tx, env) => {
        for (const [moduleId, count] of counts) {
          // Expects the module to exist: the count of a removed one would never be deleted.
          const at = whereIs(moduleId)
          if (!at || tx.get(modules, ...addressParts(at))?.value.id !== moduleId) continue
          const counted = countDownloads(tx.get(counters, moduleId)?.value, { moduleId, count }, env)
          if (counted.ok) tx.put(counters, counted.state)
        }
        return { ok: true, value: undefined, events: [] }
      })
    },
  })

/** A module as lists show it, with the downloads that are not stored yet. */
export function withWaiting(row: ModuleRow, waiting: ReadonlyMap<string, number>): ModuleRow {
  const count = waiting.get(row.id)
  return count === undefined ? row : Object.assign({}, row, { downloads: row.downloads + count })
}
