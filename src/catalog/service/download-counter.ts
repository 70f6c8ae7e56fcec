import type { Timers } from '../../kernel/index.ts'
import { type Tally, tally } from '../../store/background/tally.ts'
import { boxes, downloads } from '../records.ts'
import type { Core } from './core.ts'

/** Counts downloads by box, without making them wait. */
export const downloadCounter = ({
  commit,
  timers,
  onError,
}: Pick<Core, 'commit' | 'onError'> & { readonly timers: Timers }): Tally =>
  tally({
    timers,
    onError,
    store: async (counts) => {
      await commit((tx) => {
        for (const [boxId, count] of counts) {
          // A box that was deleted needs no count.
          if (!tx.find(boxes, 'id', boxId)) continue
          const before = tx.get(downloads, boxId)?.value.count ?? 0
          tx.put(downloads, { boxId, count: before + count })
        }
        return { ok: true, value: undefined, events: [] }
      })
    },
  })
