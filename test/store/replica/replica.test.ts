import { describe, expect, it } from 'vitest'
import {
  collection,
  hub,
  keyOf,
  type LocalStore,
  markOf,
  memoryStore,
  replica,
  type Store,
  StoreError,
  table,
} from '../../../src/store/index.ts'

const remote = ({ head, read, commit, changes, import: load, close }: LocalStore): Store => ({
  head,
  read,
  commit,
  changes,
  import: load,
  close,
})
const jobs = collection<{ readonly id: string }>({ name: 'job', key: (job) => [job.id] })
let commits = 0
const put = (id: string, more: object = {}) => {
  commits += 1
  return {
    id: `c-${commits}`,
    put: [{ key: keyOf('job', id), value: { id, ...more } }],
    touch: [markOf('job')],
  }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a replica of a store that is elsewhere', () => {
  it('loads the existing records and follows changes', async () => {
    const base = memoryStore()
    await base.commit([put('a')])
    const view = await replica(remote(base), [jobs])
    expect(jobs.list(view.stale()).map(({ value }) => value.id)).toEqual(['a'])
    const heard: unknown[] = []
    view.onChange((rev, keys) => heard.push([rev, keys]))
    await base.commit([put('b')])
    expect((await view.reached(2)).rev).toBe(2)
    expect(heard).toEqual([[2, [keyOf('job', 'b'), markOf('job')]]])
    await view.close()
    expect(() => view.stale()).toThrow('closed')
  })

  it('refuses to wait for what is no revision, as a replica of a local store does', async () => {
    const base = memoryStore()
    for (const view of [await replica(remote(base), [jobs]), await replica(base, [jobs])]) {
      for (const rev of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])
        await expect(view.reached(rev)).rejects.toMatchObject({ code: 'invalid' })
      await view.close()
    }
  })

  it('shares one round trip among all calls of the same turn', async () => {
    const base = memoryStore()
    let pulls = 0
    const counted: Store = {
      ...remote(base),
      changes: (since) => {
        if (since.waitMs === undefined) pulls += 1
        return base.changes(since)
      },
    }
    const view = await replica(counted, [jobs])
    pulls = 0
    const asked = Array.from({ length: 500 }, () => view.fresh())
    await base.commit([put('a')])
    // A read that starts now must not use a pull that began before the commit.
    const after = view.fresh()
    await Promise.all(asked)
    expect(jobs.get(await after, 'a')?.value.id).toBe('a')
    expect(pulls).toBeLessThanOrEqual(3)
    await view.close()
  })

  it('shares one round trip among callers that ask again as soon as they are answered', async () => {
    const base = memoryStore()
    let pulls = 0
    const counted: Store = {
      ...remote(base),
      changes: (since) => {
        if (since.waitMs === undefined) pulls += 1
        return base.changes(since)
      },
    }
    const view = await replica(counted, [jobs])
    pulls = 0
    const askTenTimes = async () => {
      for (let times = 0; times < 10; times += 1) await view.fresh()
    }
    await Promise.all(Array.from({ length: 16 }, askTenTimes))
    expect(pulls).toBe(10)
    await view.close()
  })

  it('asks nothing for a state that it has reached', async () => {
    const base = memoryStore()
    await base.commit([put('a')])
    let pulls = 0
    const counted: Store = {
      ...remote(base),
      changes: (since) => {
        if (since.waitMs === undefined) pulls += 1
        return base.changes(since)
      },
    }
    const view = await replica(counted, [jobs])
    pulls = 0
    expect((await view.fresh(1)).rev).toBe(1)
    expect(pulls).toBe(0)
    await view.close()
  })

  it('does not read again as a follower what a caller has read', async () => {
    const base = memoryStore()
    const waitsAfter: number[] = []
    const deaf: Store = {
      ...remote(base),
      changes: async (since) => {
        if (since.waitMs === undefined) return base.changes(since)
        waitsAfter.push(since.after)
        await new Promise((resolve) => since.signal?.addEventListener('abort', resolve))
        return { rev: since.after, put: [], gone: [], more: false }
      },
    }
    const view = await replica(deaf, [jobs])
    await base.commit([put('a')])
    await view.fresh()
    await settle()
    await settle()
    expect(waitsAfter).toEqual([0, 1])
    await view.close()
  })

  it('never shows part of a page of changes', async () => {
    const base = memoryStore()
    const torn: Store = { ...remote(base), changes: (since) => base.changes({ ...since, limit: 1 }) }
    const view = await replica(torn, [jobs])
    const sizes = new Set<number>()
    view.onChange(() => sizes.add(jobs.list(view.stale()).length % 2))
    for (let n = 0; n < 20; n += 1) {
      const [one, two] = [put(`x${n}`), put(`y${n}`)]
      await base.commit([{ ...one, put: [...one.put, ...two.put] }])
      await view.fresh()
    }
    expect([...sizes]).toEqual([0])
    await view.close()
  })

  it('reads everything again when the store no longer remembers, and reports what changed', async () => {
    const base = memoryStore({ remember: 5 })
    let blocked = true
    const deaf: Store = {
      ...remote(base),
      changes: (since) =>
        blocked && since.waitMs !== undefined ? new Promise(() => {}) : base.changes(since),
    }
    await base.commit([put('gone'), put('kept')])
    const view = await replica(deaf, [jobs])
    const rows = table(view, [jobs], (now, id) => jobs.get(now, id)?.value)
    expect(rows.at(view.stale()).size).toBe(2)
    const reported = new Set<string>()
    view.onChange((_, keys) => keys.forEach((key) => void reported.add(key)))
    await base.commit([{ id: 'del', del: [keyOf('job', 'gone')] }])
    for (let n = 0; n < 30; n += 1) await base.commit([put('new', { n })])
    blocked = false
    expect(jobs.list(await view.fresh()).map(({ value }) => value.id)).toEqual(['kept', 'new'])
    expect([...reported].sort()).toEqual([keyOf('job', 'gone'), keyOf('job', 'new'), markOf('job')])
    expect(
      rows
        .at(view.stale())
        .scan()
        .map(({ id }) => id),
    ).toEqual(['kept', 'new'])
    await view.close()
  })

  it('lets others have their turn while it finds out which of many keys changed', async () => {
    const base = memoryStore()
    const view = await replica(remote(base), [jobs])
    const heard: number[] = []
    view.onChange((_, keys) => heard.push(keys.length))
    const many = async function* () {
      for (let at = 0; at < 100_000; at += 1)
        yield { key: keyOf('job', `j${at}`), value: { id: `j${at}` }, created: 1, modified: 1 }
    }
    let turns = 0
    const nextTurn = () => {
      turns += 1
      if (heard.length === 0) setImmediate(nextTurn)
    }
    setImmediate(nextTurn)
    await base.import(many(), 1)
    expect((await view.fresh()).rev).toBe(1)
    expect(heard).toEqual([100_000])
    expect(turns).toBeGreaterThan(1)
    await view.close()
  })

  it('forgets everything when dropped, and is whole again after fresh, tables included', async () => {
    const base = memoryStore()
    await base.commit([put('a'), put('b')])
    const view = await replica(remote(base), [jobs])
    const rows = table(view, [jobs], (now, id) => jobs.get(now, id)?.value)
    expect(rows.at(view.stale()).size).toBe(2)
    view.drop()
    expect(() => view.stale()).toThrow(StoreError)
    await base.commit([{ id: 'while-dropped', del: [keyOf('job', 'a')] }])
    expect(
      rows
        .at(await view.fresh())
        .scan()
        .map(({ id }) => id),
    ).toEqual(['b'])
    await base.commit([put('c')])
    expect(rows.at(await view.reached(4)).size).toBe(2)
    await view.close()
  })

  it('continues after failures, and reports them', async () => {
    const base = memoryStore()
    let failing = 0
    const shaky: Store = {
      ...remote(base),
      changes: (since) => {
        if (failing > 0 && since.waitMs !== undefined) {
          failing -= 1
          return Promise.reject(new StoreError('unreachable', 'no network'))
        }
        return base.changes(since)
      },
    }
    const errors: unknown[] = []
    const view = await replica(shaky, [jobs], { onError: (error) => errors.push(error) })
    failing = 2
    // The first ends the wait that is under way.
    await base.commit([put('a')])
    await base.commit([put('b')])
    await view.reached(2)
    await base.commit([put('c')])
    await view.reached(3)
    expect(jobs.list(view.stale())).toHaveLength(3)
    expect(errors.length).toBeLessThanOrEqual(2)
    await view.close()
  })

  it('rejects waiting for a revision when its signal aborts', async () => {
    const view = await replica(remote(memoryStore()), [jobs])
    const abort = new AbortController()
    const waiting = view.reached(5, abort.signal)
    abort.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await view.close()
  })
})

it('a replica of what is no list of collections, or no store yet, is refused', async () => {
  // @ts-expect-error As programs without types do.
  await expect(replica(memoryStore(), jobs)).rejects.toThrow('replica(store, [phones])')
  // @ts-expect-error
  await expect(replica(Promise.resolve(memoryStore()), [jobs])).rejects.toThrow('store is a promise')
})

describe('a replica of a local store', () => {
  it('is the store itself, but says which keys it would not hold elsewhere', async () => {
    const store = memoryStore()
    const view = await replica(store, [jobs, 'core/'])
    await store.commit([put('a')])
    expect(view.stale()).toBe(view.stale())
    expect(view.stale().rev).toBe(1)
    expect(view.holds('core/seal')).toBe(true)
    expect(() => view.stale().get('other\u0001x')).toThrow(/does not hold "other\/x"/)
    expect(() => view.stale().scan({ prefix: '' })).toThrow(StoreError)
    expect([...view.stale().chunks('job\u0001')].flat()).toEqual([{ id: 'a' }])
    const heard: unknown[] = []
    const stop = view.onChange((rev, keys) => heard.push(rev, keys))
    await store.commit([{ id: 'elsewhere', put: [{ key: 'other\u0001x', value: 1 }] }])
    await store.commit([put('b')])
    stop()
    await store.commit([put('c')])
    expect(heard).toEqual([3, [keyOf('job', 'b'), markOf('job')]])
  })
})

describe('a hub', () => {
  it('wakes ten thousand waiters with one write, and none with a write elsewhere', async () => {
    const store = memoryStore()
    const polls = hub(await replica(store, [jobs]))
    let woken = 0
    for (let n = 0; n < 10_000; n += 1) void polls.wait([markOf('job')], 0).done.then(() => (woken += 1))
    await store.commit([{ id: 'elsewhere', touch: [markOf('node')] }])
    await settle()
    expect(woken).toBe(0)
    await store.commit([put('a')])
    await settle()
    expect(woken).toBe(10_000)
  })

  it('answers immediately when the key has changed already', async () => {
    const store = memoryStore()
    const view = await replica(store, [jobs])
    await store.commit([put('a')])
    for (const polls of [hub(view), hub(store)]) {
      await polls.wait([keyOf('job', 'a')], 0).done
      expect(await polls.changed([keyOf('job', 'a')], 0, new AbortController().signal)).toBe(true)
      polls.close()
    }
  })

  it('sleeps through what happened before the revision it was given', async () => {
    const store = memoryStore()
    const polls = hub(store)
    await store.commit([put('a')])
    const abort = new AbortController()
    const changed = polls.changed([keyOf('job', 'a')], 1, abort.signal)
    await store.commit([put('b')])
    await settle()
    abort.abort()
    expect(await changed).toBe(false)
    expect(await polls.changed([], 0, abort.signal)).toBe(false)
  })

  it('needs the mark to notice a deletion', async () => {
    const store = memoryStore()
    const polls = hub(store)
    await store.commit([put('a')])
    await store.commit([{ id: 'deletion', del: [keyOf('job', 'a')], touch: [markOf('job')] }])
    await polls.wait([keyOf('job', 'a'), markOf('job')], 1).done
    expect(await store.head()).toBe(2)
  })

  it('wakes all waits when it drains or closes, and keeps none afterwards', async () => {
    const polls = hub(memoryStore())
    const waiting = polls.wait([markOf('job')], 0)
    polls.wakeAll()
    await waiting.done
    const later = polls.wait([markOf('job')], 0)
    polls.close()
    await later.done
    await polls.wait([markOf('job')], 0).done
    waiting.cancel()
  })

  it('wakes waits for a revision of a realm that was set back, or whose replica was dropped', async () => {
    const base = memoryStore()
    let behind = base
    const store: Store = {
      ...remote(base),
      head: () => behind.head(),
      read: (fn) => behind.read(fn),
      changes: (since) => behind.changes(since),
    }
    for (const id of ['a', 'b', 'c']) await base.commit([put(id)])
    const view = await replica(store, [jobs])
    const polls = hub(view)
    const waiting = polls.wait([markOf('job')], 3)
    behind = memoryStore()
    await behind.commit([put('a')])
    await view.fresh()
    await waiting.done
    const again = polls.wait([markOf('job')], 1)
    view.drop()
    await view.fresh()
    await again.done
    view.drop()
    await polls.wait([markOf('job')], 1).done
    polls.close()
    await view.close()
  })
})
