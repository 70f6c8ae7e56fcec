import { collection } from '../port/collection.ts'
import type { Store } from '../port/port.ts'
import { hub } from '../replica/hub.ts'
import { replica } from '../replica/open-replica.ts'
import { transact } from '../transactions/transact.ts'
import { type Case, holds, newId, put, same, submitOne } from './harness.ts'
import { pause } from './neighbours.ts'

const counters = collection<{ readonly id: string; readonly count: number }>({
  name: 'counter',
  key: (counter) => [counter.id],
})

export const followerCases: readonly Case[] = [
  [
    'a replica follows commits of other handles, and transactions on two replicas lose nothing',
    async (store, peer) => {
      const [mine, theirs] = await Promise.all([replica(store, [counters]), replica(peer, [counters])])
      const bump = (view: typeof mine) =>
        transact(view, newId, (tx) => {
          const count = tx.get(counters, 'c')?.value.count ?? 0
          tx.put(counters, { id: 'c', count: count + 1 })
          return count + 1
        })
      for (let round = 0; round < 5; round += 1) await Promise.all([bump(mine), bump(theirs)])
      for (const view of [mine, theirs]) {
        same(counters.get(await view.fresh(), 'c')?.value.count, 10, 'count')
        same((await view.reached(10)).rev, 10, 'reached')
      }
      await submitOne(peer, { del: [counters.keyOf('c')] })
      same((await mine.reached(11)).get(counters.keyOf('c')), undefined, 'after a deletion by the other')
      await Promise.all([mine.close(), theirs.close()])
    },
  ],
  [
    'a hub wakes exactly the waits on keys that another handle writes',
    async (store, peer) => {
      await submitOne(store, put('before'))
      const view = await replica(store, ['a', 'b'])
      for (const polls of [hub(view), hub(store)]) {
        const after = await store.head()
        const woken: string[] = []
        const wait = (key: string) => polls.wait([key], after).done.then(() => woken.push(key))
        const [a, mark] = [wait('a'), wait('~\u0001t')]
        const b = polls.wait(['b'], after)
        void b.done.then(() => woken.push('b'))
        await submitOne(peer, { put: [{ key: 'a', value: after }], touch: ['~\u0001t'] })
        await Promise.all([a, mark])
        same(woken.toSorted(), ['a', '~\u0001t'], 'woken')
        await polls.wait(['a'], after).done
        polls.close()
        await b.done
      }
      await view.close()
    },
  ],
  [
    'followers without news sleep, and wake with the next commit',
    async (store, peer) => {
      await submitOne(store, put('before'))
      let calls = 0
      // The port alone: a replica of a local store has nothing to follow.
      const counted: Store = {
        head: () => store.head(),
        read: (fn) => store.read(fn),
        commit: (batch) => store.commit(batch),
        changes: (since) => {
          calls += 1
          return store.changes(since)
        },
        import: (entries, head) => store.import(entries, head),
        close: () => store.close(),
      }
      const view = await replica(counted, [''])
      const polls = hub(counted)
      const woken = polls.wait(['a'], 1).done
      for (let turn = 0; turn < 50; turn += 1) await pause(2)
      holds(calls <= followerCalls, `two followers asked ${calls} times, and there was no news`)
      await submitOne(peer, put('a'))
      same((await view.reached(2)).get('a')?.modified, 2, 'what the replica was told')
      await woken
      polls.close()
      await view.close()
    },
  ],
  [
    'a wait that a caller awaits keeps the process alive, one in the background does not',
    async (store) => {
      await submitOne(store, put('before'))
      // What was asked before is answered by then, however slow the store is.
      const settle = async () => {
        for (let answers = 0; answers < 5; answers += 1) {
          await store.head()
          await pause(1)
        }
      }
      const wait = async (background: boolean) => {
        await settle()
        const before = aliveBy()
        const stop = new AbortController()
        const waiting = store.changes({
          after: 1,
          prefixes: [''],
          waitMs: 60_000,
          signal: stop.signal,
          background,
        })
        await settle()
        const during = aliveBy()
        stop.abort()
        await waiting
        return during - before
      }
      // What else the process does begins and ends meanwhile.
      const usual = async (background: boolean) => {
        const all: number[] = []
        while (all.length < 9) all.push(await wait(background))
        return all.sort((a, b) => a - b)[4] ?? 0
      }
      const paused = pause(1)
      if (!(aliveBy() > 0)) return
      await paused
      holds((await usual(true)) <= 0, 'a wait in the background keeps the process alive')
      holds((await usual(false)) > 0, 'a wait that is awaited lets the process end')
    },
  ],
]

/** How often two followers may ask while nothing happens: each once, and some more for the start. */
const followerCalls = 10

/** How many resources keep the process alive. Bun always says none; NaN where the host does not say. */
const aliveBy = (): number => {
  const { process: host } = globalThis as { process?: { getActiveResourcesInfo?(): readonly string[] } }
  try {
    return host?.getActiveResourcesInfo?.().length ?? Number.NaN
  } catch {
    return Number.NaN // as workerd, which has the method and refuses to answer
  }
}
