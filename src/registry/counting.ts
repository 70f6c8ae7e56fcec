import type { Env } from '../kernel/index.ts'
import { type Replica, transact } from '../store/index.ts'
import { countDownloads } from './downloads/count.ts'
import type { ModuleAddress } from './modules/names.ts'
import { addressParts, counters, modules } from './records.ts'

/** How many modules' counts go into one commit. */
const perCommit = 32

/**
 * Counts downloads without making them wait: one commit is under way at a time, and what comes in meanwhile goes
 * into the next, added up by module.
 */
export interface Counting {
  /** Notes one download. */
  readonly count: (moduleId: string) => void
  /** Settles when everything noted so far is stored, or could not be. */
  readonly settled: () => Promise<void>
}

export function counting(options: {
  readonly view: () => Promise<Replica>
  readonly env: () => Env
  /** Where a module is; `undefined` once it was removed. */
  readonly whereIs: (moduleId: string) => ModuleAddress | undefined
  /** Hears of counts that could not be stored; they are tried again with the next download. */
  readonly onError: (error: unknown) => void
}): Counting {
  const { env, whereIs } = options
  const pending = new Map<string, number>()
  let flushing: Promise<void> | undefined
  const note = (moduleId: string, count: number) =>
    pending.set(moduleId, (pending.get(moduleId) ?? 0) + count)

  const store = async (batch: readonly (readonly [string, number])[]): Promise<void> => {
    const present = env()
    const view = await options.view()
    await transact(
      view,
      () => env().newId('commit'),
      (tx) => {
        for (const [moduleId, count] of batch) {
          // Expected to be there still: one that was removed needs no count, and nobody would ever remove it.
          const at = whereIs(moduleId)
          if (!at || tx.get(modules, ...addressParts(at))?.value.id !== moduleId) continue
          const counted = countDownloads(tx.get(counters, moduleId)?.value, { moduleId, count }, present)
          if (counted.ok) tx.put(counters, counted.state)
        }
      },
    )
  }
  const flush = async (): Promise<void> => {
    while (pending.size > 0) {
      const batch = [...pending].slice(0, perCommit)
      for (const [moduleId] of batch) pending.delete(moduleId)
      try {
        await store(batch)
      } catch (error) {
        for (const [moduleId, count] of batch) note(moduleId, count)
        options.onError(error)
        return
      }
    }
  }
  const begin = (): Promise<void> => {
    flushing ??= flush().finally(() => {
      flushing = undefined
    })
    return flushing
  }
  return {
    count: (moduleId) => {
      note(moduleId, 1)
      void begin()
    },
    settled: async () => {
      // The round under way may have begun before the last note; `flush` itself goes on until nothing is left.
      if (flushing || pending.size > 0) await begin()
    },
  }
}
