import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ReschedulePolicy, rescheduleAt } from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'

const second = 1_000_000_000
const nodes = [{ ID: 'n1', NodeResources: { Cpu: { CpuShares: 9000 }, Memory: { MemoryMB: 90_000 } } }]
const job = (policy: object | null, over: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }], ReschedulePolicy: policy }],
  ...over,
})
interface Row {
  readonly ID: string
  readonly ClientStatus: string
  readonly DesiredStatus: string
  readonly DesiredDescription: string
  readonly NextAllocation: string
  readonly FollowupEvalID: string
}

/** A cluster whose one allocation fails whenever it is told to. */
async function failing(Job: object) {
  const harness = await given({ nodes }, { place: true })
  const { send, get, scheduler, clock } = harness
  await send('PUT', '/v1/jobs', { Job })
  await scheduler.settled()
  const rows = async () => (await get('/v1/job/web/allocations')).json as Row[]
  const fail = async () => {
    const live = (await rows()).filter(({ ClientStatus }) => ClientStatus === 'pending')
    expect(live).toHaveLength(1)
    await scheduler.updateAllocations(live.map(({ ID }) => ({ ID, ClientStatus: 'failed' })))
    await scheduler.settled()
  }
  const pass = async (seconds: number) => {
    await clock.advance(seconds * 1000)
    await scheduler.settled()
  }
  return { ...harness, rows, fail, pass }
}

describe('a failed allocation', () => {
  it('is replaced after the delay of its policy, by one that names it', async () => {
    const { rows, fail, pass, get } = await failing(
      job({ Delay: 60 * second, DelayFunction: 'constant', Unlimited: true }),
    )
    await fail()
    const [failed] = await rows()
    expect(await rows()).toHaveLength(1)
    expect((await get(`/v1/evaluation/${failed?.FollowupEvalID}`)).json).toMatchObject({
      Status: 'pending',
      TriggeredBy: 'alloc-failure',
      WaitUntil: '2026-01-01T00:01:00.000Z',
    })
    await pass(59)
    expect(await rows()).toHaveLength(1)
    await pass(1)
    const [before, after] = (await rows()).sort((a) => (a.ID === failed?.ID ? -1 : 1))
    expect(before).toMatchObject({
      NextAllocation: after?.ID,
      ClientStatus: 'failed',
      DesiredStatus: 'stop',
      DesiredDescription: 'alloc was rescheduled because it failed',
    })
    expect((await get(`/v1/allocation/${after?.ID}`)).json).toMatchObject({
      PreviousAllocation: before?.ID,
      ClientStatus: 'pending',
    })
    expect((await get(`/v1/evaluation/${failed?.FollowupEvalID}`)).json).toMatchObject({ Status: 'complete' })
    expect((await get('/v1/evaluations?status=pending')).json).toEqual([])
  })

  it('waits longer every time', async () => {
    const { rows, fail, pass } = await failing(
      job({ Delay: 10 * second, DelayFunction: 'exponential', MaxDelay: 1000 * second, Unlimited: true }),
    )
    for (const [times, delay] of [10, 20, 40].entries()) {
      await fail()
      await pass(delay - 1)
      expect(await rows()).toHaveLength(times + 1)
      await pass(1)
      expect(await rows()).toHaveLength(times + 2)
    }
  })

  it('stays failed once it was tried as often as the policy allows', async () => {
    const { rows, fail, pass, get, send, scheduler } = await failing(
      job({ Attempts: 1, Interval: 3600 * second, Delay: 0, DelayFunction: 'constant', Unlimited: false }),
    )
    await fail()
    expect(await rows()).toHaveLength(2)
    await fail()
    await pass(7200)
    expect(await rows()).toHaveLength(2)
    expect((await get('/v1/job/web/summary')).json).toMatchObject({ Summary: { app: { Failed: 2 } } })
    // Other tasks are another matter.
    await send('PUT', '/v1/jobs', { Job: job(null, { Meta: { try: 'again' } }) })
    await scheduler.settled()
    expect(await rows()).toHaveLength(3)
  })

  it.each([
    ['service', 30],
    ['batch', 5],
  ])('of a %s is replaced after %i seconds where nothing is said', async (Type, delay) => {
    const { rows, fail, pass, get } = await failing(job(null, { Type }))
    expect((await get('/v1/job/web')).json).toMatchObject({
      TaskGroups: [{ ReschedulePolicy: { Delay: delay * second } }],
    })
    await fail()
    await pass(delay - 1)
    expect(await rows()).toHaveLength(1)
    await pass(1)
    expect(await rows()).toHaveLength(2)
  })

  it('is not waited for once its job is stopped', async () => {
    const { fail, pass, rows, send, get } = await failing(job(null))
    await fail()
    await send('DELETE', '/v1/job/web')
    await pass(60)
    expect(await rows()).toHaveLength(1)
    expect((await get('/v1/evaluations?status=pending')).json).toEqual([])
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'dead' })
  })
})

describe('when a failed allocation is replaced', () => {
  const policy = (over: object) => ReschedulePolicy.parse({ Delay: second, MaxDelay: 0, ...over })
  const delays = (over: object, times: number) => {
    const replacedAt: number[] = []
    return Array.from({ length: times }, () => {
      const failedAt = replacedAt.at(-1) ?? 0
      const at = rescheduleAt({ failedAt, replacedAt }, policy(over))
      replacedAt.push(at ?? Number.NaN)
      return ((at ?? Number.NaN) - failedAt) / 1000
    })
  }
  it.each([
    ['constant', [1, 1, 1, 1, 1, 1]],
    ['exponential', [1, 2, 4, 8, 16, 32]],
    ['fibonacci', [1, 1, 2, 3, 5, 8]],
    ['unheard-of', [1, 1, 1, 1, 1, 1]],
  ])('%s delays are %j', (DelayFunction, expected) => {
    expect(delays({ DelayFunction }, 6)).toEqual(expected)
  })
  it('never waits longer than the most it may', () => {
    expect(delays({ DelayFunction: 'exponential', MaxDelay: 5 * second }, 5)).toEqual([1, 2, 4, 5, 5])
  })
  it('starts over after one that ran for longer than that', () => {
    const grown = policy({ DelayFunction: 'exponential', MaxDelay: 4 * second })
    expect(rescheduleAt({ failedAt: 20_000, replacedAt: [1000, 3000, 7000] }, grown)).toBe(21_000)
    expect(rescheduleAt({ failedAt: 10_000, replacedAt: [1000, 3000, 7000] }, grown)).toBe(14_000)
  })
  it('is counted where attempts are given, and unlimited where they are not', () => {
    const limited = { Attempts: 2, Interval: 3600 * second, DelayFunction: 'constant' }
    expect(delays(limited, 4)).toEqual([1, 1, Number.NaN, Number.NaN])
    expect(delays({ ...limited, Attempts: 0 }, 4)).toEqual([1, 1, 1, 1])
    expect(delays({ ...limited, Attempts: 0, Unlimited: false }, 1)).toEqual([Number.NaN])
  })
  it('lies after the failure and never beyond the longest delay, for any history', () => {
    const functions = fc.constantFrom('constant', 'exponential', 'fibonacci')
    const gaps = fc.array(fc.nat(100_000), { maxLength: 60 })
    fc.assert(
      fc.property(functions, gaps, fc.integer({ min: 1, max: 9 }), (DelayFunction, spans, times) => {
        const replacedAt: number[] = []
        for (const span of spans) replacedAt.push((replacedAt.at(-1) ?? 0) + span)
        const failedAt = (replacedAt.at(-1) ?? 0) + 5
        const over = { DelayFunction, MaxDelay: times * second, Unlimited: true }
        const at = rescheduleAt({ failedAt, replacedAt }, policy(over)) ?? Number.NaN
        expect(at - failedAt).toBeGreaterThanOrEqual(1000)
        expect(at - failedAt).toBeLessThanOrEqual(times * 1000)
      }),
    )
  })
})
