import { describe, expect, it } from 'vitest'
import {
  collection,
  type LocalStore,
  memoryStore,
  replica,
  type Store,
  transact,
} from '../../../src/store/index.ts'

interface Account {
  readonly name: string
  readonly left: number
  readonly note?: string
}
const accounts = collection<Account>({ name: 'account', key: ({ name }) => [name], values: 'read' })
let commits = 0
const newId = () => {
  commits += 1
  return `c-${commits}`
}
const put = (...all: readonly Account[]) => ({
  id: newId(),
  put: all.map((account) => ({ key: accounts.keyOf(account.name), value: { ...account } })),
})

/** A store elsewhere, with a count of its reads; a deaf one is told of changes when it asks, and not before. */
function elsewhere(base: LocalStore, { isDeaf = false } = {}) {
  const { head, read, commit, changes, import: load, close } = base
  const counts = { reads: 0 }
  const store: Store = {
    head,
    commit,
    changes: (since) =>
      isDeaf && since.waitMs !== undefined ? new Promise(() => undefined) : changes(since),
    import: load,
    close,
    read: (fn) => {
      counts.reads += 1
      return read(fn)
    },
  }
  return { store, counts }
}

describe('a replica of a collection whose values are read', () => {
  it('holds the keys and revisions, and says of a value that it must be read', async () => {
    const base = memoryStore()
    await base.commit([put({ name: 'a', left: 1 }, { name: 'b', left: 2 })])
    const view = await replica(elsewhere(base).store, [accounts])
    const listed = accounts.list(view.stale())
    expect(listed.map(({ key, created, modified }) => [key, created, modified])).toEqual([
      [accounts.keyOf('a'), 1, 1],
      [accounts.keyOf('b'), 1, 1],
    ])
    expect(() => listed[0]?.value).toThrow(expect.objectContaining({ code: 'not_held' }))
    expect(() => [...view.stale().chunks(accounts.prefix)]).toThrow(
      expect.objectContaining({ code: 'not_held' }),
    )
    const [b, none] = await view.load([accounts.keyOf('b'), accounts.keyOf('c')])
    expect([b?.value, none]).toEqual([{ name: 'b', left: 2 }, undefined])
    await expect(view.load(['other'])).rejects.toMatchObject({ code: 'not_held' })
    await view.close()
    await expect(view.load([accounts.keyOf('b')])).rejects.toMatchObject({ code: 'closed' })
  })

  it('shows a value that was read or written lately with the snapshots of its revision, and no others', async () => {
    const base = memoryStore()
    await base.commit([put({ name: 'a', left: 1 })])
    const view = await replica(elsewhere(base, { isDeaf: true }).store, [accounts])
    await view.load([accounts.keyOf('a')])
    const before = view.stale()
    expect(accounts.get(before, 'a')?.value.left).toBe(1)
    await base.commit([put({ name: 'a', left: 2 })])
    expect(accounts.get(view.stale(), 'a')?.value.left).toBe(1)
    // Newer than what the replica has come to: it is not shown in what came before.
    const [newer] = await view.load([accounts.keyOf('a')])
    expect(newer).toMatchObject({ modified: 2, value: { left: 2 } })
    expect(accounts.get(view.stale(), 'a')).toMatchObject({ modified: 1, value: { left: 1 } })
    const after = await view.fresh()
    expect(accounts.get(after, 'a')).toMatchObject({ modified: 2, value: { left: 2 } })
    expect(() => accounts.get(before, 'a')?.value).toThrow(expect.objectContaining({ code: 'not_held' }))
    view.drop()
    expect(() => accounts.get(after, 'a')?.value).toThrow(expect.objectContaining({ code: 'not_held' }))
    await view.close()
  })

  it('gives decisions what they read, and reads it once', async () => {
    const base = memoryStore()
    await base.commit([put({ name: 'a', left: 5 }, { name: 'b', left: 0 }, { name: 'c', left: 7 })])
    const { store, counts } = elsewhere(base)
    const view = await replica(store, [accounts])
    counts.reads = 0
    const move = (from: string, to: string) =>
      transact(view, newId, (tx) => {
        const [giver, taker] = [tx.get(accounts, from)?.value, tx.get(accounts, to)?.value]
        if (giver === undefined || taker === undefined || giver.left === 0) return { ok: false }
        tx.put(accounts, { ...giver, left: giver.left - 1 })
        tx.put(accounts, { ...taker, left: taker.left + 1 })
        return { ok: true }
      })
    expect((await move('a', 'b')).result.ok).toBe(true)
    // One for each value that the decision came to need.
    expect(counts.reads).toBe(2)
    await view.fresh()
    expect((await move('b', 'a')).result.ok).toBe(true)
    expect((await move('a', 'unknown')).result.ok).toBe(false)
    expect(counts.reads).toBe(2)
    const sum = await transact(view, newId, (tx) =>
      tx.list(accounts, []).reduce((all, { value }) => all + value.left, 0),
    )
    expect(sum.result).toBe(12)
    expect(counts.reads).toBe(3)
    await transact(view, newId, (tx) => tx.delete(accounts, 'c'))
    expect(accounts.list(await view.fresh()).length).toBe(2)
    await view.close()
  })

  it('decides on one snapshot, also when values are written during the read', async () => {
    const base = memoryStore()
    // Too long for two of them to be kept: the last one is.
    const note = 'x'.repeat(5 * 1024 * 1024)
    const last = { name: 'c', left: 0, note }
    await base.commit([put({ name: 'a', left: 50, note }, { name: 'b', left: 50, note }, last)])
    const { store } = elsewhere(base, { isDeaf: true })
    let moves = 0
    const busy: Store = {
      ...store,
      // Before each of the first reads another writer moves something from one to the other.
      read: async (fn) => {
        moves += 1
        if (moves > 1 && moves < 6)
          await base.commit([
            put({ name: 'a', left: 50 - moves, note }, { name: 'b', left: 50 + moves, note }, last),
          ])
        return store.read(fn)
      },
    }
    const view = await replica(busy, [accounts])
    const seen: number[] = []
    const { result } = await transact(view, newId, (tx) => {
      const sum = (tx.get(accounts, 'a')?.value.left ?? 0) + (tx.get(accounts, 'b')?.value.left ?? 0)
      seen.push(sum)
      return sum
    })
    expect(result).toBe(100)
    expect(new Set(seen)).toEqual(new Set([100]))
    await view.close()
  })

  it('decides again if a record is removed while its value is read', async () => {
    const base = memoryStore()
    await base.commit([put({ name: 'a', left: 50 })])
    const { store, counts } = elsewhere(base, { isDeaf: true })
    const removing: Store = {
      ...store,
      read: async (fn) => {
        if (counts.reads === 1) await base.commit([{ id: newId(), del: [accounts.keyOf('a')] }])
        return store.read(fn)
      },
    }
    const view = await replica(removing, [accounts])
    expect((await transact(view, newId, (tx) => tx.get(accounts, 'a') === undefined)).result).toBe(true)
    expect(counts.reads).toBe(2)
    await view.close()
  })

  it('is as any other on a store of this process', async () => {
    const store = memoryStore()
    const view = await replica(store, [accounts])
    await transact(view, newId, (tx) => tx.put(accounts, { name: 'a', left: 1 }))
    expect(accounts.get(view.stale(), 'a')?.value.left).toBe(1)
    expect((await view.load([accounts.keyOf('a')]))[0]?.value).toEqual({ name: 'a', left: 1 })
    await view.close()
  })
})
