import { describe, expect, it } from 'vitest'
import { hub, memoryStore, type Rev, replica, type Store } from '../../../src/store/index.ts'

/** A store whose driver always sees news, and whose pages are empty: its `changes` returns at once, however long it may wait. */
const restless = () => {
  const store = memoryStore()
  let [calls, isResting] = [0, false]
  const port: Store = {
    head: () => store.head(),
    read: (fn) => store.read(fn),
    commit: (batch) => store.commit(batch),
    changes: async (since) => {
      calls += 1
      // What never rests would not let the test end.
      if (calls > 10_000) await new Promise(() => undefined)
      if (since.waitMs === undefined || isResting) return store.changes(since)
      if (since.after > (await store.head())) return store.changes(since)
      return { rev: since.after, put: [], gone: [], more: false }
    },
    import: (entries, head: Rev) => store.import(entries, head),
    close: () => store.close(),
  }
  return {
    port,
    calls: () => calls,
    rest: () => {
      isResting = true
    },
  }
}

const put = (id: string) => ({ id, put: [{ key: 'a', value: id }] })

describe('a follower of a store that announces news and has none', () => {
  it.each([
    ['replica', (port: Store) => replica(port, [''])],
    ['hub', async (port: Store) => hub(port)],
  ])('lets timers fire, and asks again with pauses: a %s', async (_, follow) => {
    const { port, calls } = restless()
    await port.commit([put('1')])
    const following = await follow(port)
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(calls()).toBeLessThan(1_000)
    await following.close()
  })

  it('goes on once the store tells the truth', async () => {
    const { port, rest } = restless()
    await port.commit([put('1')])
    const view = await replica(port, [''])
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
    rest()
    await port.commit([put('2')])
    expect((await view.reached(2)).get('a')?.value).toBe('2')
    await view.close()
  })
})
