import { describe, expect, it } from 'vitest'
import { memoryStore, type Store, StoreError } from '../../src/store/index.ts'
import { given, type Harness } from './harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const nodes = [{ ID: 'n1', NodeResources: room }]
const job = (ID: string, Priority = 50) => ({
  ID,
  Priority,
  TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }],
})
const second = 1000
const minute = 60 * second

/** A cluster whose store refuses commits that place the job "bad" while it is poisoned. */
async function poisoned() {
  const kept = memoryStore()
  const errors: unknown[] = []
  const state = { isPoisoned: true, isAway: false, attempts: 0 }
  const placesBad = (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    'AllocatedResources' in value &&
    Reflect.get(value, 'JobID') === 'bad'
  const store: Store = {
    ...kept,
    commit: async (batch) => {
      const isBad = batch.some(({ put = [] }) => put.some(({ value }) => placesBad(value)))
      if (isBad) state.attempts += 1
      if (isBad && state.isPoisoned) throw new Error('cannot place this')
      return kept.commit(batch)
    },
  }
  const onError = (error: unknown) => errors.push(error)
  const harness = await given({ nodes }, { store, place: true, simulate: true, collect: false, onError })
  return { ...harness, state, errors }
}

interface Evaluation {
  readonly ID: string
  readonly Status: string
  readonly StatusDescription: string
  readonly TriggeredBy: string
  readonly WaitUntil: string | null
  readonly NextEval: string
  readonly PreviousEval: string
}
const evaluationsOf = async ({ get }: Pick<Harness, 'get'>, id: string) =>
  (await get(`/v1/job/${id}/evaluations`)).json as Evaluation[]
const statuses = async (harness: Pick<Harness, 'get'>, id: string) =>
  (await evaluationsOf(harness, id)).map(({ Status }) => Status)

describe('an evaluation that cannot be worked off', () => {
  it('is tried three times, with longer and longer pauses, and has then failed', async () => {
    const harness = await poisoned()
    const { send, scheduler, clock, state } = harness
    await send('PUT', '/v1/jobs', { Job: job('bad') })
    await scheduler.settled()
    expect([state.attempts, await statuses(harness, 'bad')]).toEqual([1, ['pending']])
    await clock.advance(10 * second)
    expect([state.attempts, await statuses(harness, 'bad')]).toEqual([2, ['pending']])
    await clock.advance(19 * second)
    expect(state.attempts).toBe(2)
    await clock.advance(second)
    expect(state.attempts).toBe(3)
    const [failed, followUp] = await evaluationsOf(harness, 'bad')
    expect(failed).toMatchObject({
      Status: 'failed',
      StatusDescription: 'evaluation reached delivery limit (3)',
      NextEval: followUp?.ID,
    })
    expect(followUp).toMatchObject({
      Status: 'pending',
      TriggeredBy: 'failed-follow-up',
      PreviousEval: failed?.ID,
      WaitUntil: '2026-01-01T00:01:30.000Z',
    })
  })
  it('is reported once', async () => {
    const { send, scheduler, clock, errors } = await poisoned()
    await send('PUT', '/v1/jobs', { Job: job('bad') })
    await scheduler.settled()
    await clock.advance(59 * second)
    expect(errors).toEqual([new Error('cannot place this')])
  })
  it('is not tried any sooner because others are worked off', async () => {
    const harness = await poisoned()
    const { send, scheduler, state } = harness
    await send('PUT', '/v1/jobs', { Job: job('bad', 100) })
    await scheduler.settled()
    for (const id of ['a', 'b', 'c', 'd']) await send('PUT', '/v1/jobs', { Job: job(id) })
    await scheduler.settled()
    expect(state.attempts).toBe(1)
    expect(await statuses(harness, 'd')).toEqual(['complete'])
  })
  it('leaves its job to a follow-up, which places it when nothing stands in the way any more', async () => {
    const harness = await poisoned()
    const { send, scheduler, clock, state, get } = harness
    await send('PUT', '/v1/jobs', { Job: job('bad') })
    await scheduler.settled()
    await clock.advance(30 * second)
    state.isPoisoned = false
    await clock.advance(minute)
    await scheduler.settled()
    expect(await statuses(harness, 'bad')).toEqual(['failed', 'complete'])
    expect((await get('/v1/job/bad')).json).toMatchObject({ Status: 'running' })
  })
  it('has follow-ups that wait twice as long each, an hour at most', async () => {
    const harness = await poisoned()
    const { send, scheduler, clock } = harness
    await send('PUT', '/v1/jobs', { Job: job('bad') })
    await scheduler.settled()
    await clock.advance(5 * 60 * minute)
    await scheduler.settled()
    const rows = await evaluationsOf(harness, 'bad')
    const begun = rows.map(({ WaitUntil }) => (WaitUntil === null ? 0 : Date.parse(WaitUntil)))
    const pauses = begun.slice(2).map((at, nth) => Math.floor((at - (begun[nth + 1] ?? 0)) / minute))
    // Half a minute of trying comes between.
    expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60, 60, 60])
    expect(rows.filter(({ Status }) => Status === 'pending')).toHaveLength(1)
  })
  it('has none where its job was purged meanwhile', async () => {
    const harness = await poisoned()
    const { send, scheduler, clock, errors } = harness
    await send('PUT', '/v1/jobs', { Job: job('bad') })
    await scheduler.settled()
    await send('DELETE', '/v1/job/bad?purge=true')
    await clock.advance(60 * minute)
    await scheduler.settled()
    expect(await statuses(harness, 'bad')).not.toContain('pending')
    expect(errors).toHaveLength(1)
  })
})

describe('work on a store that takes longer to fail than a retry waits', () => {
  it('is tried again, and not waited for', async () => {
    const kept = memoryStore()
    const state = { taken: Number.POSITIVE_INFINITY, tries: 0 }
    const harness = await given(
      { nodes },
      {
        place: true,
        collect: false,
        heartbeatTtlMs: 13 * second,
        onError: () => {},
        store: {
          ...kept,
          commit: (batch) => {
            if (state.taken > 0) {
              state.taken -= 1
              return kept.commit(batch)
            }
            state.tries += 1
            return new Promise((_resolve, reject) => {
              const fail = () => reject(new StoreError('unreachable', 'down'))
              harness.clock.timers.after(20 * second, fail)
            })
          },
        },
      },
    )
    const { send, scheduler, clock, get } = harness
    await scheduler.heartbeatNode('n1')
    state.taken = 1
    await send('PUT', '/v1/jobs', { Job: job('web') })
    // Placing the job and losing the node are tried in turns: one of them is always under way.
    await clock.advance(20 * second)
    let isSettled = false
    const settled = scheduler.settled().then(() => {
      isSettled = true
    })
    await clock.advance(10 * minute)
    expect(isSettled).toBe(true)
    expect(state.tries).toBeGreaterThan(20)
    state.taken = Number.POSITIVE_INFINITY
    await clock.advance(minute)
    await settled
    await scheduler.settled()
    expect((await get('/v1/node/n1')).json).toMatchObject({ Status: 'down' })
    expect(await statuses(harness, 'web')).not.toContain('pending')
  })
})

describe('a stop that cannot be worked off', () => {
  it('is tried again after longer and longer pauses, five minutes at most, and not given up', async () => {
    const kept = memoryStore()
    let isPoisoned = true
    const store: Store = {
      ...kept,
      commit: async (batch) => {
        const isStop = batch.some(({ put = [] }) =>
          put.some(({ value }) => JSON.stringify(value).includes('"DesiredStatus":"stop"')),
        )
        if (isStop && isPoisoned) throw new Error('cannot stop this')
        return kept.commit(batch)
      },
    }
    const errors: unknown[] = []
    const allocations = [{ ID: 'a1', JobID: 'web', TaskGroup: 'app' }]
    const options = { store, onError: (error: unknown) => errors.push(error) }
    const { send, get, clock, scheduler } = await given({ jobs: [job('web')], allocations }, options)
    expect((await send('DELETE', '/v1/job/web')).status).toBe(500)
    const reported = errors.length
    await clock.advance(60 * minute)
    // After 10, 20, 40, 80, 160 and 320 seconds, and then every five minutes.
    expect(errors.length - reported).toBe(16)
    isPoisoned = false
    await clock.advance(5 * minute)
    await scheduler.settled()
    expect((await get('/v1/allocation/a1')).json).toMatchObject({ DesiredStatus: 'stop' })
  })
})
