import { describe, expect, it } from 'vitest'
import { agesAt, anyAge, indexAt, usualTimes, withSample } from '../../../src/scheduler/gc/ages.ts'
import { collectible, type Remains } from '../../../src/scheduler/gc/collectible.ts'
import { Allocation, Deployment, Evaluation, JobSpec } from '../../../src/scheduler/index.ts'

const at = (ModifyIndex: number) => ({ JobID: 'web', CreateIndex: 1, ModifyIndex })
const allocation = (ID: string, over: object = {}) =>
  Allocation.parse({ ID, DesiredStatus: 'stop', ClientStatus: 'complete', ...at(5), ...over })
const evaluation = (ID: string, over: object = {}) => Evaluation.parse({ ID, ...at(5), ...over })
const deployment = (ID: string, over: object = {}) =>
  Deployment.parse({ ID, Status: 'successful', ...at(5), ...over })
const job = (over: object = {}): Remains['job'] => ({
  ...JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app' }] }),
  Status: 'dead',
  CreateIndex: 2,
  ModifyIndex: 5,
  ...over,
})
const nothing: Remains = { job: job(), hasChildren: false, allocations: [], evaluations: [], deployments: [] }

describe('what may be collected of a job', () => {
  it('is itself, once it is stopped, dead and old', () => {
    const goes = (over: object, index = 5) =>
      collectible({ ...nothing, job: job({ Stop: true, ...over }) }, anyAge(index)).job
    expect(goes({})).toBe(true)
    expect(goes({}, 4)).toBe(false)
    expect(goes({ Stop: false })).toBe(false)
    expect(goes({ Stop: false, Type: 'batch' })).toBe(true)
    expect(goes({ Stop: false, Type: 'batch', ParameterizedJob: {} })).toBe(false)
    expect(goes({ Status: 'running' })).toBe(false)
    expect(goes({ VersionTag: { Name: 'keep' } })).toBe(false)
  })
  it('is not itself while anything of it is young, or runs on', () => {
    const stopped = { ...nothing, job: job({ Stop: true }) }
    for (const left of [
      { hasChildren: true },
      { allocations: [allocation('a', { ClientStatus: 'running' })] },
      { allocations: [allocation('a', { ModifyIndex: 6 })] },
      { evaluations: [evaluation('e', { Status: 'pending' })] },
      { evaluations: [evaluation('e', { ModifyIndex: 6 })] },
      { deployments: [deployment('d', { Status: 'running' })] },
    ])
      expect(collectible({ ...stopped, ...left }, anyAge(5)).job).toBe(false)
  })
  it('is not its newest deployment, nor one that something runs of', () => {
    const remains = {
      ...nothing,
      allocations: [
        allocation('live', { DesiredStatus: 'run', ClientStatus: 'running', DeploymentID: 'd1' }),
      ],
      deployments: ['d0', 'd1', 'd2'].map((id) => deployment(id)),
    }
    expect(collectible(remains, anyAge(9)).deployments).toEqual(['d0'])
    expect(collectible({ ...remains, job: undefined }, anyAge(9)).deployments).toEqual(['d0', 'd2'])
  })
  it('is not an evaluation whose allocations stay', () => {
    const remains = {
      ...nothing,
      allocations: [
        allocation('stays', { DesiredStatus: 'run', ClientStatus: 'running', EvalID: 'e0' }),
        allocation('goes', { EvalID: 'e1' }),
      ],
      evaluations: ['e0', 'e1', 'e2'].map((id) => evaluation(id)),
    }
    expect(collectible(remains, anyAge(9))).toMatchObject({ allocations: ['goes'], evaluations: ['e1'] })
  })
  it('stays longer where it is a batch job’s', () => {
    const ages = { ...anyAge(9), batch: 4 }
    const remains = {
      ...nothing,
      evaluations: [evaluation('e0', { Type: 'batch' }), evaluation('e1'), evaluation('e2')],
    }
    expect(collectible(remains, ages).evaluations).toEqual(['e1'])
  })
  it('is what an earlier incarnation left behind', () => {
    const allocations = [
      allocation('old', { DesiredStatus: 'run', ClientStatus: 'failed', JobCreateIndex: 1 }),
    ]
    expect(collectible({ ...nothing, allocations }, anyAge(9)).allocations).toEqual(['old'])
  })
})

describe('how old things are', () => {
  const seen = (index: number, instant: number) => ({ index, at: instant })
  it('is known as far back as it was looked up', () => {
    const samples = [seen(10, 1000), seen(20, 2000)]
    expect([999, 1000, 1999, 2000, 5000].map((instant) => indexAt(samples, instant))).toEqual([
      0, 10, 10, 20, 20,
    ])
  })
  it('is forgotten when no question goes back so far', () => {
    let samples = [seen(1, 0)] as readonly { index: number; at: number }[]
    for (let index = 2; index <= 100; index += 1)
      samples = withSample(samples, seen(index, index * 1000), 5000)
    expect(samples.map(({ index }) => index)).toEqual([95, 96, 97, 98, 99, 100])
    expect(indexAt(samples, 95_000)).toBe(95)
  })
  it('is four hours for jobs and an hour for evaluations by default', () => {
    const samples = [seen(7, 0), seen(9, 3 * 3_600_000)]
    const now = 4 * 3_600_000
    expect(agesAt(samples, now, usualTimes)).toEqual({
      jobs: 7,
      evaluations: 9,
      batch: 0,
      deployments: 9,
      nodes: 0,
    })
  })
})
