import { describe, expect, it } from 'vitest'
import { answer, refuse, step } from '../../../src/kernel/index.ts'
import {
  type Commit,
  collection,
  faulty,
  keyOf,
  type LocalStore,
  markOf,
  memoryStore,
  replica,
  run,
  type Store,
  transact,
} from '../../../src/store/index.ts'

interface User {
  readonly id: string
  readonly email?: string
  readonly team: string
  readonly age: number
}
const users = collection<User>({
  name: 'user',
  key: (user) => [user.id],
  scopes: (user) => [[], [user.team]],
  unique: { email: (user) => (user.email === undefined ? undefined : [user.email.toLowerCase()]) },
  indexes: { age: (user) => [user.age] },
})
const ada: User = { id: 'ada', email: 'Ada@example.org', team: 'red', age: 36 }
const bob: User = { id: 'bob', team: 'red', age: 25 }

let commits = 0
const newId = () => {
  commits += 1
  return `t-${commits}`
}
/** Hides that a store is local, so that replicas follow it as they follow a database. */
const remote = ({ head, read, commit, changes, import: load, close }: LocalStore): Store => ({
  head,
  read,
  commit,
  changes,
  import: load,
  close,
})

const open = async () => {
  const store = memoryStore()
  const view = await replica(store, [users])
  return { store, view, write: (fn: Parameters<typeof transact<unknown>>[2]) => transact(view, newId, fn) }
}
const keys = (store: LocalStore) =>
  store
    .snapshot()
    .scan({ prefix: 'user' })
    .map(({ key }) => key)

describe('a transaction', () => {
  it('writes a record with its unique values, indexes and marks, and takes them away with it', async () => {
    const { store, view, write } = await open()
    await write((tx) => tx.put(users, ada))
    expect(keys(store)).toEqual(
      [keyOf('user', 'ada'), 'user!email\u0001ada@example.org', keyOf('user#age', 36, 'ada')].sort(),
    )
    expect(users.find(view.stale(), 'email', 'ada@example.org')?.value).toEqual(ada)
    await write((tx) => tx.put(users, { ...ada, email: 'countess@example.org', team: 'blue', age: 37 }))
    expect(keys(store)).toEqual(
      [keyOf('user', 'ada'), 'user!email\u0001countess@example.org', keyOf('user#age', 37, 'ada')].sort(),
    )
    const revOf = (mark: string) => store.snapshot().get(mark)?.modified
    expect([revOf(markOf('user')), revOf(markOf('user', 'red')), revOf(markOf('user', 'blue'))]).toEqual([
      2, 2, 2,
    ])
    await write((tx) => tx.delete(users, 'ada'))
    expect(keys(store)).toEqual([])
    expect([revOf(markOf('user')), revOf(markOf('user', 'red')), revOf(markOf('user', 'blue'))]).toEqual([
      3, 2, 3,
    ])
  })

  it('sees its own writes', async () => {
    const { write } = await open()
    await write((tx) => tx.put(users, ada))
    await write((tx) => {
      tx.put(users, bob)
      expect(tx.get(users, 'bob')?.value).toEqual(bob)
      expect(tx.list(users, []).map(({ value }) => value.id)).toEqual(['ada', 'bob'])
      expect(tx.delete(users, 'ada')).toBe(true)
      expect(tx.delete(users, 'ada')).toBe(false)
      expect(tx.find(users, 'email', 'ada@example.org')).toBeUndefined()
      tx.put(users, { ...bob, email: 'ADA@example.org' })
      expect(tx.find(users, 'email', 'ada@example.org')?.value.id).toBe('bob')
      expect(tx.list(users, []).map(({ value }) => value.id)).toEqual(['bob'])
    })
  })

  it('refuses a second holder of a unique value as a bug, and lets one transaction move it', async () => {
    const { write } = await open()
    await write((tx) => tx.put(users, ada))
    await expect(write((tx) => tx.put(users, { ...bob, email: 'ada@EXAMPLE.org' }))).rejects.toMatchObject({
      code: 'unique',
    })
    await write((tx) => {
      tx.put(users, { id: 'ada', team: 'red', age: 36 })
      tx.put(users, { ...bob, email: 'ada@example.org' })
    })
  })

  it('commits nothing for a refusal, an unchanged record or a thrown error', async () => {
    const { store, write } = await open()
    await write((tx) => tx.put(users, ada))
    const refused = await write((tx) => {
      tx.put(users, bob)
      return refuse('team_full', 'no room')
    })
    expect(refused).toEqual({ result: refuse('team_full', 'no room'), rev: 1 })
    await write((tx) => {
      const now = tx.get(users, 'ada')
      if (now) tx.put(users, now.value)
    })
    const thrown = write((tx) => {
      tx.put(users, bob)
      throw new Error('a bug')
    })
    await expect(thrown).rejects.toThrow('a bug')
    expect(await store.head()).toBe(1)
  })

  it('is decided again when what it read has changed, and gives up when others always win', async () => {
    const { store, view } = await open()
    await transact(view, newId, (tx) => tx.put(users, ada))
    let decisions = 0
    const contended = transact(view, newId, (tx) => {
      decisions += 1
      const now = tx.get(users, 'ada')?.value ?? ada
      // Another writer, between this decision and its commit.
      void store.commit([
        { id: newId(), put: [{ key: keyOf('user', 'ada'), value: { ...ada, age: decisions } }] },
      ])
      tx.put(users, { ...now, age: now.age + 1000 })
    })
    await expect(contended).rejects.toMatchObject({ code: 'contended' })
    expect(decisions).toBe(16)
  })

  it('does not refuse on a replica that lags behind', async () => {
    const base = memoryStore()
    const held = { release: () => {} }
    // A store whose changes arrive only when they are asked for, never by waiting.
    const lagging: Store = {
      ...remote(base),
      changes: (since) =>
        since.waitMs === undefined
          ? base.changes(since)
          : new Promise((_, reject) => {
              held.release = () => reject(new Error('over'))
              since.signal?.addEventListener('abort', held.release)
            }),
    }
    const view = await replica(lagging, [users])
    await base.commit([{ id: newId(), put: [{ key: keyOf('user', 'ada'), value: { ...ada } }] }])
    expect(view.stale().get(keyOf('user', 'ada'))).toBeUndefined()
    const { result } = await transact(view, newId, (tx) => tx.get(users, 'ada')?.value.id ?? 'not found')
    expect(result).toBe('ada')
    await view.close()
  })

  it('guards a decision about a whole list against what comes and goes', async () => {
    const { store, view } = await open()
    let first = true
    const { result } = await transact(view, newId, (tx) => {
      const count = tx.list(users, ['red']).length
      if (first) {
        first = false
        const key = keyOf('user', 'bob')
        void store.commit([
          { id: newId(), put: [{ key, value: { ...bob } }], touch: [markOf('user', 'red')] },
        ])
      }
      tx.put(users, { ...ada, age: count })
      return count
    })
    expect(result).toBe(1)
    expect(users.get(store.snapshot(), 'ada')?.value.age).toBe(1)
  })

  it('counts no loss under a store that loses answers, repeats itself and lags', async () => {
    for (let seed = 0; seed < 40; seed += 1) {
      const base = memoryStore()
      const view = await replica(
        faulty(remote(base), { seed, faults: { unknownApplied: 0.2, unknownLost: 0.2 } }),
        [users],
      )
      let applied = 0
      const bump = async () => {
        for (let n = 0; n < 5; n += 1) {
          try {
            await transact(view, newId, (tx) =>
              tx.put(users, { ...ada, age: (tx.get(users, 'ada')?.value.age ?? 0) + 1 }),
            )
            applied += 1
          } catch (error) {
            // Five lost answers in a row: applied or not, and said so.
            expect(error).toMatchObject({ code: 'unknown' })
            const before = users.get(base.snapshot(), 'ada')?.value.age ?? 0
            applied = Math.max(applied, before)
          }
        }
      }
      await bump()
      expect(users.get(base.snapshot(), 'ada')?.value.age).toBe(applied)
      await view.close()
    }
  })

  it('reads and replaces records outside the replica that it loads first, and refuses to guess about others', async () => {
    const versions = collection<{ id: string; data: string }>({
      name: 'data',
      key: (v) => [v.id],
      scopes: () => [],
    })
    const { store, view, write } = await open()
    await write((tx) => tx.put(versions, { id: '1', data: 'blind' }))
    await expect(write((tx) => tx.get(versions, '1'))).rejects.toMatchObject({ code: 'not_held' })
    const { result } = await transact(
      view,
      newId,
      (tx) => {
        const found = tx.get(versions, '1')
        if (found) tx.put(versions, { ...found.value, data: 'loaded' })
        return found?.value.data
      },
      { load: [versions.keyOf('1')] },
    )
    expect(result).toBe('blind')
    expect(versions.get(store.snapshot(), '1')?.value.data).toBe('loaded')
  })

  it('says how many keys are too many', async () => {
    const { write } = await open()
    const many = write((tx) => {
      for (let n = 0; n < 40; n += 1) tx.put(users, { ...bob, id: `u${n}` })
    })
    await expect(many).rejects.toThrow(/may write 64 keys.*not 82/)
  })
})

describe('run', () => {
  interface Counter {
    readonly id: string
    readonly count: number
  }
  const counters = collection<Counter>({ name: 'counter', key: (counter) => [counter.id] })
  const zero: Counter = { id: 'c', count: 0 }
  const increment = (counter: Counter = zero) => step(counter, (draft) => (draft.count += 1))

  it('creates, updates, answers, refuses and deletes one record, each with its revision', async () => {
    const store = memoryStore()
    const view = await replica(store, [counters])
    expect(await run(view, counters, ['c'], increment)).toMatchObject({ ok: true, value: 1, rev: 1 })
    expect(await run(view, counters, ['c'], increment)).toMatchObject({ value: 2, rev: 2 })
    expect(await run(view, counters, ['c'], (counter) => answer(counter, counter?.count))).toMatchObject({
      value: 2,
      rev: 2,
    })
    expect(await run(view, counters, ['c'], () => refuse('full', 'enough'))).toEqual({
      ...refuse('full', 'enough'),
      rev: 2,
    })
    const gone = await run(view, counters, ['c'], () =>
      answer<Counter | undefined, string>(undefined, 'gone'),
    )
    expect(gone).toMatchObject({ value: 'gone', rev: 3 })
    expect(counters.get(view.stale(), 'c')).toBeUndefined()
  })

  it('refuses a command that gives another record than the one it was asked about', async () => {
    const store = memoryStore()
    const view = await replica(store, [counters])
    await run(view, counters, ['d'], () => answer<Counter | undefined, null>({ id: 'd', count: 7 }, null))
    await expect(run(view, counters, ['c'], () => answer({ id: 'd', count: 0 }, null))).rejects.toThrow(
      'a command on the counter c returned another record, d',
    )
    expect(counters.get(await view.fresh(), 'd')?.value.count).toBe(7)
  })

  it('refuses a command that is not done when it answers, and writes nothing of it', async () => {
    const view = await replica(memoryStore(), [counters])
    const slow = async () => increment()
    // @ts-expect-error A command gives an outcome, not a promise of one.
    await expect(run(view, counters, ['c'], slow)).rejects.toThrow('a decision must be synchronous')
    const deciding = transact(view, newId, async (tx) => {
      tx.put(counters, zero)
    })
    await expect(deciding).rejects.toThrow(TypeError)
    expect(counters.list(await view.fresh())).toEqual([])
  })

  it('loses none of many concurrent updates', async () => {
    const view = await replica(remote(memoryStore()), [counters])
    await Promise.all(Array.from({ length: 8 }, () => run(view, counters, ['c'], increment)))
    expect(counters.get(await view.fresh(), 'c')?.value.count).toBe(8)
    await view.close()
  })

  it.each([
    ['beside it', (store: LocalStore) => store],
    ['behind a replica', remote],
  ])('lets a thousand conflicting writers of one record succeed (%s)', async (_, wrap) => {
    const view = await replica(wrap(memoryStore()), [counters])
    await Promise.all(Array.from({ length: 1000 }, () => run(view, counters, ['c'], increment)))
    expect(counters.get(await view.fresh(), 'c')?.value.count).toBe(1000)
    await view.close()
  })
})

it('commits of a transaction expect what it read and nothing else', async () => {
  const base = memoryStore()
  const seen: Commit[] = []
  const recording: LocalStore = {
    ...base,
    commit: (batch) => {
      seen.push(...batch)
      return base.commit(batch)
    },
  }
  const view = await replica(recording, [users])
  await transact(view, newId, (tx) => {
    tx.guard('user', 'red')
    tx.put(users, { ...bob })
    tx.touch('audit')
  })
  expect(seen[0]?.expect).toEqual([
    { key: markOf('user', 'red'), rev: 0 },
    { key: keyOf('user', 'bob'), rev: 0 },
  ])
  expect(seen[0]?.touch).toEqual([markOf('user'), markOf('user', 'red'), markOf('audit')])
})
