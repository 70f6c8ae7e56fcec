import { describe, expect, it, onTestFinished } from 'vitest'
import { createScheduler, NodeRecord, type SchedulerOptions } from '../../src/scheduler/index.ts'
import { memoryStore, type Store } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'

const ttl = 6_000
const node = (ID: string) => NodeRecord.parse({ ID, Status: 'ready' })

/** The store as servers of several machines have it: they do not hear of each other's commits in the process. */
const remote = ({ head, read, commit, changes, import: fill, close }: Store): Store => ({
  head,
  read,
  commit,
  changes,
  import: fill,
  close,
})

/** Servers on one store and one clock, and the links between each of them and the store. */
async function servers(count: number, options: Partial<SchedulerOptions> = {}) {
  const [clock, store] = [testClock(), memoryStore()]
  let commits = 0
  const cut = new Set<number>()
  const start = (at: number) => {
    const link = remote(store)
    const whole = <Result>(work: () => Promise<Result>): Promise<Result> =>
      cut.has(at) ? Promise.reject(new Error('cut off')) : work()
    const over: Store = {
      ...link,
      head: () => whole(link.head),
      read: (fn) => whole(() => link.read(fn)),
      commit: (batch) => {
        commits += batch.length
        return whole(() => link.commit(batch))
      },
      changes: (since) => whole(() => link.changes(since)),
    }
    return createScheduler({
      store: over,
      heartbeatTtlMs: ttl,
      onError: () => {},
      env: clock.env,
      timers: clock.timers,
      ...options,
    })
  }
  const all = Array.from({ length: count }, (_, at) => start(at))
  onTestFinished(async () => {
    for (const each of all) await each.close()
  })
  for (const each of all) await each.settled()
  const settled = async () => {
    // What one server writes, another may answer.
    for (let round = 0; round < 3; round += 1) for (const each of all) await each.settled().catch(() => {})
  }
  return {
    all,
    clock,
    cut,
    /** Starts one more. */
    add: async () => {
      const server = start(all.length)
      all.push(server)
      await server.settled()
    },
    commits: () => commits,
    settled,
    /** Lets time pass in steps of two seconds. */
    pass: async (seconds: number, at: (second: number) => Promise<unknown> = async () => {}) => {
      for (let second = 2; second <= seconds; second += 2) {
        await clock.advance(2_000)
        await settled()
        await at(second)
        await settled()
      }
    },
    statusOf: async (at: number, id: string) => {
      const found = await all[at]?.readNode(id)
      return found?.ok === true ? found.value.Status : undefined
    },
  }
}

describe('a node whose heartbeats reach several servers', () => {
  it('stays ready if they go to each in turn', async () => {
    const { all, pass, statusOf } = await servers(3)
    await all[0]?.registerNode(node('n1'))
    const seen = new Set<string | undefined>()
    await pass(60, async (second) => {
      for (const at of [0, 1, 2]) seen.add(await statusOf(at, 'n1'))
      await all[(second / 2) % 3]?.heartbeatNode('n1')
    })
    expect([...seen]).toEqual(['ready'])
  })

  it('stays ready if they move from one to another', async () => {
    const { all, pass, statusOf } = await servers(2)
    await all[0]?.registerNode(node('n1'))
    await pass(20, () => all[0]?.heartbeatNode('n1') ?? Promise.resolve())
    const seen = new Set<string | undefined>()
    await pass(40, async () => {
      seen.add(await statusOf(0, 'n1'))
      await all[1]?.heartbeatNode('n1')
    })
    expect([...seen]).toEqual(['ready'])
  })

  it('is down once none has heard from it, also if the one that did is cut off', async () => {
    const { all, pass, cut, statusOf } = await servers(2)
    for (const id of ['n1', 'n2']) await all[0]?.registerNode(node(id))
    await pass(20, async () => {
      await all[0]?.heartbeatNode('n1')
      await all[1]?.heartbeatNode('n2')
    })
    cut.add(0)
    await pass(20, () => all[1]?.heartbeatNode('n2') ?? Promise.resolve())
    expect(await statusOf(1, 'n1')).toBe('down')
    expect(await statusOf(1, 'n2')).toBe('ready')
  })

  it('is down once none has heard from it, even while servers start that expect its heartbeats', async () => {
    const { all, add, pass, statusOf } = await servers(1)
    await all[0]?.registerRunner(node('n1'))
    await pass(12, async (second) => {
      if (second % 4 === 0) await add()
    })
    expect(await statusOf(0, 'n1')).toBe('down')
  })

  it('is announced no more by a server that closes while the store is away', async () => {
    const errors: unknown[] = []
    const link = remote(memoryStore())
    let commit = link.commit
    const store: Store = { ...link, commit: (batch) => commit(batch) }
    const { all, clock } = await servers(1, { store, onError: (error) => errors.push(error) })
    await all[0]?.registerNode(node('n1'))
    await all[0]?.heartbeatNode('n1')
    let refuse = (_: Error) => {}
    const away = new Promise<never>((_, reject) => {
      refuse = reject
    })
    commit = () => away
    await clock.advance(ttl / 3)
    const closed = all[0]?.close()
    refuse(new Error('away'))
    await closed
    const before = errors.length
    await clock.advance(10 * ttl)
    expect(errors.length).toBe(before)
  })

  it('costs no commit a heartbeat', async () => {
    const { all, pass, commits } = await servers(2)
    const ids = Array.from({ length: 20 }, (_, at) => `n${at}`)
    for (const id of ids) await all[0]?.registerNode(node(id))
    const before = commits()
    await pass(60, async () => {
      for (const [at, id] of ids.entries()) await all[at % 2]?.heartbeatNode(id)
    })
    // One for each server in a third of the TTL, of 600 heartbeats.
    expect(commits() - before).toBeLessThanOrEqual(2 * 31)
  })
})
