import { systemTimers } from '../../kernel/index.ts'
import type { Store } from '../port/port.ts'
import { type Case, entry, newId, put, same, submitOne } from './harness.ts'

/** How many milliseconds a neighbour pauses between two commits: it must not take the machine from the case. */
const pauseMs = 5

/** Writes to other realms until it is stopped, and then fails unless each holds what was written to it, and no more. */
export function neighbours(stores: readonly Store[]): { stop(): Promise<void> } {
  let isWanted = true
  const living = Promise.all(
    stores.map(async (store) => {
      let count = 0
      do {
        count += 1
        same(await submitOne(store, put('a', count)), { ok: true, rev: count }, "a neighbour's commit")
        await pause(pauseMs)
      } while (isWanted)
      const all = await store.read((view) => view.scan({ prefix: '' }))
      same(all, [{ key: 'a', value: count, created: 1, modified: count }], "a neighbour's entries")
    }),
  )
  living.catch(() => undefined)
  return {
    stop: async () => {
      isWanted = false
      await living
    },
  }
}

/** Lets the event loop turn. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => void systemTimers.after(ms, resolve))

export const neighbourCases: readonly Case[] = [
  [
    'realms side by side are apart: in ids, keys, revisions and waits',
    async (store, _peer, { open }) => {
      const other = await open()
      const once = { id: newId(), put: [{ key: 'a', value: 'mine' }] }
      same(await submitOne(store, once), { ok: true, rev: 1 }, 'a commit')
      const waiting = store.changes({ after: 1, prefixes: [''], waitMs: 20_000 })
      const theirs = { ...once, put: [{ key: 'a', value: 'theirs' }], again: true }
      same(await submitOne(other, theirs), { ok: true, rev: 1 }, 'the same id in the other realm')
      same((await entry(store, 'a'))?.value, 'mine', 'the entry')
      same((await entry(other, 'a'))?.value, 'theirs', 'the entry of the other realm')
      await submitOne(store, put('b'))
      same((await waiting).rev, 2, 'what ended the wait')
      await other.close()
      same(await submitOne(store, put('c')), { ok: true, rev: 3 }, 'a commit after the other was closed')
    },
  ],
]
