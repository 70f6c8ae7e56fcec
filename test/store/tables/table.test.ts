import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collection, memoryStore, replica, type Snapshot, table, transact } from '../../../src/store/index.ts'

interface Job {
  readonly ns: string
  readonly id: string
  readonly size: number
}
interface Status {
  readonly ns: string
  readonly id: string
  readonly text: string
}
const jobs = collection<Job>({ name: 'job', key: (job) => [job.ns, job.id] })
const statuses = collection<Status>({ name: 'job-status', key: (status) => [status.ns, status.id] })

const open = async () => {
  const view = await replica(memoryStore(), [jobs, statuses])
  let commits = 0
  const rows = table(
    view,
    [jobs, statuses],
    (now, ns, id) => {
      const job = jobs.get(now, ns, id)?.value
      return job && { ...job, text: statuses.get(now, ns, id)?.value.text ?? 'pending' }
    },
    { size: (row) => [row.size] },
  )
  return {
    view,
    rows,
    write: (fn: Parameters<typeof transact>[2]) => transact(view, () => `c${++commits}`, fn),
  }
}
type Opened = Awaited<ReturnType<typeof open>>

const plain = (now: Snapshot) =>
  jobs.list(now).map(({ value }) => ({
    ...value,
    text: statuses.get(now, value.ns, value.id)?.value.text ?? 'pending',
  }))
const bySize = <T extends Job>(rows: T[]) =>
  rows.toSorted(
    (a, b) =>
      a.size - b.size || (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  )

const fill = async ({ write }: Opened, count: number) => {
  for (let at = 0; at < count; at += 30)
    await write((tx) => {
      for (let n = at; n < Math.min(count, at + 30); n += 1)
        tx.put(jobs, { ns: `ns-${n % 3}`, id: `job-${n}`, size: (n * 7919) % 101 })
    })
}

describe('a table', () => {
  it('joins records under one key and leaves out rows its function declines', async () => {
    const opened = await open()
    await opened.write((tx) => {
      tx.put(jobs, { ns: 'default', id: 'web', size: 1 })
      tx.put(statuses, { ns: 'default', id: 'web', text: 'running' })
      tx.put(statuses, { ns: 'default', id: 'orphan', text: 'dead' })
    })
    const rows = opened.rows.at(opened.view.stale())
    expect(rows.scan()).toEqual([{ ns: 'default', id: 'web', size: 1, text: 'running' }])
    expect(rows.get('default', 'web')?.text).toBe('running')
    expect(rows.get('default', 'orphan')).toBeUndefined()
    expect(rows.size).toBe(1)
  })

  it('equals a fresh join after any sequence of puts and deletes, in every order', async () => {
    const step = fc.record({
      kind: fc.constantFrom('job', 'status', 'drop'),
      n: fc.nat(700),
      size: fc.nat(9),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.nat(600),
        fc.array(fc.array(step, { maxLength: 20 }), { maxLength: 12 }),
        async (count, commits) => {
          const opened = await open()
          await fill(opened, count)
          opened.rows.at(opened.view.stale())
          for (const commit of commits) {
            await opened.write((tx) => {
              for (const { kind, n, size } of commit) {
                const [ns, id] = [`ns-${n % 3}`, `job-${n}`]
                if (kind === 'job') tx.put(jobs, { ns, id, size })
                else if (kind === 'status') tx.put(statuses, { ns, id, text: `s${size}` })
                else tx.delete(jobs, ns, id)
              }
            })
            const now = opened.view.stale()
            const rows = opened.rows.at(now)
            expect(rows.scan()).toEqual(plain(now))
            expect(rows.by('size').scan()).toEqual(bySize(plain(now)))
            expect(rows.size).toBe(plain(now).length)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('answers for an older snapshot than the one it was last read with', async () => {
    const opened = await open()
    await fill(opened, 300)
    const held = [opened.view.stale()]
    opened.rows.at(held[0] as Snapshot)
    for (let n = 0; n < 40; n += 1) {
      await opened.write((tx) => tx.put(jobs, { ns: 'ns-0', id: `late-${n}`, size: n }))
      held.push(opened.view.stale())
      if (n % 3 === 0) opened.rows.at(opened.view.stale())
    }
    for (const now of held.toReversed()) expect(opened.rows.at(now).scan()).toEqual(plain(now))
  })

  it('is right when it was not read during changes', async () => {
    const opened = await open()
    await fill(opened, 20)
    const early = opened.view.stale()
    await opened.write((tx) => tx.put(jobs, { ns: 'ns-0', id: 'new', size: 1 }))
    expect(opened.rows.at(early).size).toBe(20)
    expect(opened.rows.at(opened.view.stale()).size).toBe(21)
  })

  it.each(['before', 'after'])(
    'loses no commit of a batch to a listener added %s it that reads at once',
    async (when) => {
      const store = memoryStore()
      const view = await replica(store, [jobs])
      let look = () => {}
      const seen: number[] = []
      if (when === 'before') view.onChange(() => look())
      const rows = table(view, [jobs], (now, ns, id) => jobs.get(now, ns, id)?.value)
      look = () => seen.push(rows.at(view.stale()).size)
      look()
      if (when === 'after') view.onChange(() => look())
      const put = (id: string) => ({
        id,
        put: [{ key: jobs.keyOf('ns', id), value: { ns: 'ns', id, size: 1 } }],
      })
      await store.commit([put('a'), put('b'), put('c')])
      expect(seen).toHaveLength(2)
      expect(rows.at(view.stale()).size).toBe(3)
      await store.commit([put('d')])
      expect(rows.at(view.stale()).scan()).toEqual(jobs.list(view.stale()).map(({ value }) => value))
    },
  )

  it('shows what was imported into the empty store it stood on', async () => {
    const store = memoryStore()
    const view = await replica(store, [jobs])
    const rows = table(view, [jobs], (now, ns, id) => jobs.get(now, ns, id)?.value)
    expect(rows.at(view.stale()).size).toBe(0)
    const value = { ns: 'ns', id: 'a', size: 1 }
    const imported = async function* () {
      yield { key: jobs.keyOf('ns', 'a'), value, created: 1, modified: 2 }
    }
    await store.import(imported(), 5)
    expect(rows.at(view.stale()).scan()).toEqual([value])
  })

  it('gives pages of any range in both directions', async () => {
    const opened = await open()
    await fill(opened, 1000)
    const now = opened.view.stale()
    const all = plain(now)
    const keyOf = (row: Job) => `${row.ns}\u0001${row.id}`
    fc.assert(
      fc.property(
        fc.nat(all.length - 1),
        fc.nat(600),
        fc.boolean(),
        fc.constantFrom('from', 'after'),
        (at, limit, reverse, bound) => {
          const start = all[at] as Job
          const direction = reverse ? all.toReversed() : all
          const index =
            direction.findIndex((row) => keyOf(row) === keyOf(start)) + (bound === 'after' ? 1 : 0)
          const rows = opened.rows.at(now)
          expect(rows.scan({ [bound]: keyOf(start), limit, reverse })).toEqual(
            direction.slice(index, index + limit),
          )
        },
      ),
    )
    const inOne = all.filter((row) => row.ns === 'ns-1')
    expect(opened.rows.at(now).scan({ prefix: 'ns-1\u0001' })).toEqual(inOne)
    expect(opened.rows.at(now).scan({ prefix: 'ns-1\u0001', reverse: true })).toEqual(inOne.toReversed())
    expect([...opened.rows.at(now).chunks()].every((run) => run.length <= 256)).toBe(true)
    expect([...opened.rows.at(now).chunks()].flat()).toEqual(all)
  })
})
