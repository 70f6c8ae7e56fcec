import { onTestFinished } from 'vitest'
import { createScheduler, NodeRecord, type SchedulerOptions } from '../../src/scheduler/index.ts'
import { memoryStore, type Store } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'

export const ttl = 6_000
export const node = (ID: string) => NodeRecord.parse({ ID, Status: 'ready' })

/** The store as servers of several machines have it: they do not hear of each other's commits in the process. */
export const remote = ({ head, read, commit, changes, import: fill, close }: Store): Store => ({
  head,
  read,
  commit,
  changes,
  import: fill,
  close,
})

/** Servers on one store and one clock, and the links between each of them and the store. */
export async function servers(count: number, options: Partial<SchedulerOptions> = {}) {
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
