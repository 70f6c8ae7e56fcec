import { afterEach, describe, expect, it } from 'vitest'
import { demoCluster } from '../../src/scheduler/demo/index.ts'
import { createScheduler, type Scheduler } from '../../src/scheduler/index.ts'
import { memoryStore, type Store } from '../../src/store/index.ts'

/** A store as a database across the network shows it: nothing but the port. */
const remote = (store: Store): Store => ({
  head: () => store.head(),
  read: (fn) => store.read(fn),
  commit: (batch) => store.commit(batch),
  changes: (since) => store.changes(since),
  import: (entries, head) => store.import(entries, head),
  close: async () => {},
})

const open: Scheduler[] = []
afterEach(async () => {
  for (const scheduler of open.splice(0)) await scheduler.close()
})

/** Two servers of one cluster: one store, and each its own replica of it. */
function twoServers(): readonly [Scheduler, Scheduler] {
  const store = memoryStore()
  const [one, other] = [createScheduler({ store: remote(store) }), createScheduler({ store: remote(store) })]
  open.push(one, other)
  return [one, other]
}

const pool = (Name: string, Description = '') => ({
  Name,
  Description,
  Meta: null,
  SchedulerConfiguration: null,
})

describe('two servers on one database', () => {
  it('show each other’s writes to every default read', async () => {
    const [one, other] = twoServers()
    for (let write = 0; write < 20; write += 1) {
      const [writer, reader] = write % 2 === 0 ? [one, other] : [other, one]
      const written = await writer.upsertPool(pool('gpu', String(write)))
      const read = await reader.readPool('gpu')
      expect(read.ok && read.value.Description).toBe(String(write))
      expect(read.ok && written.ok && read.index === written.index).toBe(true)
    }
  })

  it('wake each other’s long polls', async () => {
    const [one, other] = twoServers()
    const waiting = Array.from({ length: 50 }, () => one.listPools({ index: 1 }))
    const elsewhere = one.listNodes({ index: 1 })
    while (one.waiting() < 51) await new Promise((resolve) => setTimeout(resolve, 2))
    await other.upsertPool(pool('gpu'))
    const answers = await Promise.all(waiting)
    expect(answers.every((answer) => answer.ok && answer.index === 2)).toBe(true)
    expect(one.waiting()).toBe(1)
    one.drain()
    await elsewhere
  })

  it('follow a pool over its whole life from the other side', async () => {
    const [one, other] = twoServers()
    const seen: (string | undefined)[] = []
    let index = 1
    const watch = (async () => {
      for (;;) {
        const answer = await one.readPool('gpu', { index })
        if (answer.ok) {
          index = answer.index
          seen.push(answer.value.Description)
          continue
        }
        if (seen.length > 0) return
        index = Number(answer.refusal.detail?.['index'] ?? index)
      }
    })()
    const until = async (count: number) => {
      while (seen.length < count) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await other.upsertPool(pool('gpu', 'first'))
    await until(1)
    await other.upsertPool(pool('gpu', 'second'))
    await until(2)
    await other.deletePool('gpu')
    await watch
    expect(seen).toEqual(['first', 'second'])
  })

  it('page through one list, each page from another server', async () => {
    const [one, other] = twoServers()
    const loaded = await one.load(demoCluster())
    expect(loaded.ok).toBe(true)
    const whole = await one.listJobs({ namespace: '*', filter: 'Type == "service"' })
    const seen: string[] = []
    let nextToken: string | undefined
    let turn = 0
    do {
      const server = turn % 2 === 0 ? one : other
      const page = await server.listJobs({
        namespace: '*',
        filter: 'Type == "service"',
        perPage: 4,
        nextToken,
      })
      if (!page.ok) throw new Error(page.refusal.message)
      seen.push(...page.value.map(({ ID }) => ID))
      nextToken = page.nextToken
      turn += 1
    } while (nextToken !== undefined)
    expect(whole.ok && whole.value.map(({ ID }) => ID)).toEqual(seen)
  })

  it('answer a stale read immediately with their own state', async () => {
    const [one, other] = twoServers()
    await one.listPools()
    await other.upsertPool(pool('gpu'))
    const stale = await one.listPools({ stale: true })
    expect(stale.ok && [1, 2]).toContain(stale.ok && stale.index)
  })

  it('let one of two win where a pool is deleted while it is written', async () => {
    const [one, other] = twoServers()
    await one.upsertPool(pool('gpu'))
    const [deleted, written] = await Promise.all([
      one.deletePool('gpu'),
      other.upsertPool(pool('gpu', 'again')),
    ])
    expect([deleted.ok, written.ok]).toEqual([true, true])
    const read = await one.readPool('gpu')
    const last = deleted.ok && written.ok && written.index > deleted.index
    expect(read.ok).toBe(last)
  })
})
