import { describe, expect, it } from 'vitest'
import { AllocationRecord, type CanaryState, canaryWork, TaskGroup } from '../../../src/scheduler/index.ts'

const env = { now: Date.UTC(2026, 0, 1) }
const group = TaskGroup.parse({ Name: 'app', Count: 5 })
const canary = (ID: string, over: object = {}) =>
  AllocationRecord.parse({
    ID,
    TaskGroup: 'app',
    NodeID: `n${ID}`,
    ClientStatus: 'running',
    DeploymentStatus: { Canary: true },
    ...over,
  })
const [one, two] = [canary('1'), canary('2')]
const work = (
  canaries: readonly AllocationRecord[],
  { status = 'running', ...input }: Partial<Parameters<typeof canaryWork>[1]> & Partial<CanaryState> = {},
) => {
  const found = canaryWork({ group, canaries, status }, { desired: 2, ...input }, env)
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
  return { place: found.place, stop: ids(found.stop), replace: ids(found.replace), canary: found.canary }
}

describe('what the canaries of a task group want done now', () => {
  it('is as many as are desired and missing', () => {
    expect(work([])).toEqual({ place: 2, stop: [], replace: [], canary: true })
    expect(work([one])).toMatchObject({ place: 1 })
    expect(work([one, two])).toMatchObject({ place: 0, stop: [], replace: [] })
  })

  it('is to replace what was lost, and what may leave its draining node', () => {
    expect(work([one, canary('2', { ClientStatus: 'lost' })])).toMatchObject({ place: 1, replace: ['2'] })
    expect(work([one, two], { leaving: new Set([two]) })).toMatchObject({ place: 1, replace: ['2'] })
    expect(work([one, two], { leaves: () => true })).toMatchObject({ place: 0, replace: [] })
  })

  it('is nothing new where one has failed by itself before the deployment failed', () => {
    expect(work([one, two, canary('3', { ClientStatus: 'failed' })])).toMatchObject({ place: 0, stop: [] })
  })

  it('is to stop all of them once the deployment has failed', () => {
    const failed = canary('3', { ClientStatus: 'failed' })
    const ended = canary('4', { ClientStatus: 'complete', DesiredStatus: 'stop' })
    expect(work([one, two, failed, ended], { status: 'failed' })).toEqual({
      place: 0,
      stop: ['1', '2', '3'],
      replace: [],
      canary: false,
    })
  })

  it.each(['paused', 'pending', 'cancelled'] as const)(
    'is only to leave draining nodes while the deployment is %s',
    (status) => {
      expect(work([one], { status })).toMatchObject({ place: 0, stop: [] })
      const leaves = (nodeId: string) => nodeId === 'n2'
      expect(work([one, two], { status, leaves })).toMatchObject({ place: 0, stop: ['2'], replace: [] })
    },
  )
})
