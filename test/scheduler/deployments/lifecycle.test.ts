import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newDeployment } from '../../../src/scheduler/deployments/create.ts'
import type { DeploymentRecord } from '../../../src/scheduler/deployments/model.ts'
import {
  type DeployedAllocation,
  missedDeadline,
  trackDeployment,
} from '../../../src/scheduler/deployments/progress.ts'
import { promoteDeployment } from '../../../src/scheduler/deployments/promote.ts'
import {
  cancelDeployment,
  failDeployment,
  pauseDeployment,
} from '../../../src/scheduler/deployments/steer.ts'
import { JobSpec } from '../../../src/scheduler/jobs/model.ts'
import { testClock } from '../../../src/testing/index.ts'

const clock = testClock({ now: Date.UTC(2026, 0, 1) })
const env = clock.env()
const job = (update: object | null, count = 2, type = 'service') =>
  JobSpec.parse({
    ID: 'web',
    Type: type,
    TaskGroups: [{ Name: 'app', Count: count, Update: update, Tasks: [{ Name: 't' }] }],
  })
const deploy = (update: object = {}, count = 2, previous = true): DeploymentRecord => {
  const made = newDeployment(
    {
      job: job(update, count),
      jobCreateIndex: 3,
      jobModifyIndex: 9,
      previous: new Set(previous ? ['app'] : []),
    },
    env,
  )
  if (made === undefined) throw new Error('nothing to deploy')
  return made
}
const alloc = (id: string, healthy: boolean | null, canary = false): DeployedAllocation => ({
  id,
  group: 'app',
  canary,
  healthy,
})
const state = <State>(
  outcome: { readonly ok: true; readonly state: State } | { readonly ok: false },
): State => {
  if (!outcome.ok) throw new Error('refused')
  return outcome.state
}

describe('a new deployment', () => {
  it('wants what the job wants, and canaries only beside a previous version', () => {
    expect(deploy({ Canary: 1 }).TaskGroups['app']).toMatchObject({
      DesiredTotal: 2,
      DesiredCanaries: 1,
      Promoted: false,
    })
    expect(deploy({ Canary: 1 }, 2, false).TaskGroups['app']).toMatchObject({ DesiredCanaries: 0 })
  })

  it('says what it waits for', () => {
    expect(deploy().StatusDescription).toBe('Deployment is running')
    expect(deploy({ Canary: 1 }).StatusDescription).toBe(
      'Deployment is running but requires manual promotion',
    )
    expect(deploy({ Canary: 1, AutoPromote: true }).StatusDescription).toBe(
      'Deployment is running pending automatic promotion',
    )
  })

  it('is not made for jobs that are not rolled out', () => {
    const about = { jobCreateIndex: 1, jobModifyIndex: 1, previous: new Set<string>() }
    expect(newDeployment({ job: job({}, 1, 'batch'), ...about }, env)).toBeUndefined()
    expect(newDeployment({ job: job(null), ...about }, env)).toBeUndefined()
  })
})

describe('the progress of a deployment', () => {
  it('is successful once every group has all the healthy allocations it wants', () => {
    const waiting = trackDeployment(deploy(), { allocations: [alloc('a', true), alloc('b', null)] }, env)
    expect(waiting.ok && waiting.value).toBe('waiting')
    const done = trackDeployment(state(waiting), { allocations: [alloc('a', true), alloc('b', true)] }, env)
    expect(done.ok && [done.value, done.state.Status, done.state.StatusDescription]).toEqual([
      'successful',
      'successful',
      'Deployment completed successfully',
    ])
  })

  it.each<[string, object, readonly DeployedAllocation[], string]>([
    ['one of two is unhealthy', {}, [alloc('a', true), alloc('b', false)], 'waiting'],
    ['all of several are unhealthy', {}, [alloc('a', false), alloc('b', false)], 'unhealthy'],
    ['one is, and there is no progress deadline', { ProgressDeadline: 0 }, [alloc('b', false)], 'unhealthy'],
    ['the only canary is', { Canary: 1 }, [alloc('a', false, true), alloc('b', true)], 'waiting'],
    ['both canaries are', { Canary: 2 }, [alloc('a', false, true), alloc('b', false, true)], 'unhealthy'],
  ])('once %s', (_what, update, allocations, expected) => {
    const outcome = trackDeployment(deploy(update), { allocations }, env)
    expect(outcome.ok && outcome.value).toBe(expected)
  })
  it('goes on with a single allocation that is unhealthy: its node may be the reason', () => {
    const outcome = trackDeployment(deploy({}, 1), { allocations: [alloc('a', false)] }, env)
    expect(outcome.ok && outcome.value).toBe('waiting')
  })

  it('asks to be promoted by itself once its canaries are healthy, and not before', () => {
    const canary = deploy({ Canary: 1, AutoPromote: true })
    expect(trackDeployment(canary, { allocations: [alloc('a', null, true)] }, env)).toMatchObject({
      value: 'waiting',
    })
    expect(trackDeployment(canary, { allocations: [alloc('a', true, true)] }, env)).toMatchObject({
      value: 'promotable',
    })
  })

  it('is never successful before promotion', () => {
    const outcome = trackDeployment(
      deploy({ Canary: 1 }),
      { allocations: [alloc('a', true, true), alloc('b', true)] },
      env,
    )
    expect(outcome.ok && outcome.value).toBe('waiting')
  })

  it('misses its deadline from the first placement on, and a healthy allocation restarts it', async () => {
    const time = testClock({ now: Date.UTC(2026, 0, 1) })
    const minute = 60_000_000_000
    const first = state(
      trackDeployment(deploy({ ProgressDeadline: minute }), { allocations: [alloc('a', null)] }, time.env()),
    )
    expect(missedDeadline(first, time.now() + 59_999)).toBe(false)
    expect(missedDeadline(first, time.now() + 60_000)).toBe(true)
    await time.advance(30_000)
    const second = state(trackDeployment(first, { allocations: [alloc('a', true)] }, time.env()))
    expect(missedDeadline(second, time.now() + 59_999)).toBe(false)
    expect(missedDeadline(second, time.now() + 60_000)).toBe(true)
  })

  it('counts the same after any history: counts are replaced, never added up', () => {
    const allocation = fc.record({
      id: fc.uuid(),
      group: fc.constant('app'),
      canary: fc.boolean(),
      healthy: fc.option(fc.boolean()),
    })
    const list = fc.array(allocation, { maxLength: 6 })
    fc.assert(
      fc.property(fc.array(list, { maxLength: 4 }), list, (history, last) => {
        let deployment = deploy({}, 100)
        for (const allocations of history)
          deployment = state(trackDeployment(deployment, { allocations }, env))
        const through = state(trackDeployment(deployment, { allocations: last }, env)).TaskGroups['app']
        const direct = state(trackDeployment(deploy({}, 100), { allocations: last }, env)).TaskGroups['app']
        const counts = (group: typeof through) => [
          group?.PlacedAllocs,
          group?.HealthyAllocs,
          group?.UnhealthyAllocs,
          group?.PlacedCanaries,
        ]
        expect(counts(through)).toEqual(counts(direct))
      }),
    )
  })
})

describe('steering a deployment', () => {
  it('pauses and resumes', () => {
    const paused = state(pauseDeployment(deploy(), { pause: true }, env))
    expect([paused.Status, paused.StatusDescription]).toEqual(['paused', 'Deployment is paused'])
    expect(state(pauseDeployment(paused, { pause: false }, env)).Status).toBe('running')
  })

  it('has no deadline while it is paused, even when allocations are placed, and a new one when it resumes', () => {
    const deadline = (deployment: DeploymentRecord) => deployment.TaskGroups['app']?.RequireProgressBy
    const begun = state(trackDeployment(deploy(), { allocations: [alloc('a', null)] }, env))
    expect(deadline(begun)).toBe('2026-01-01T00:10:00.000Z')
    const paused = state(pauseDeployment(begun, { pause: true }, env))
    const placed = [alloc('a', true), alloc('b', null)]
    const followed = state(trackDeployment(paused, { allocations: placed }, env))
    expect([followed.TaskGroups['app']?.HealthyAllocs, deadline(followed)]).toEqual([1, null])
    const later = { ...env, now: env.now + 3_600_000 }
    expect(deadline(state(pauseDeployment(followed, { pause: false }, later)))).toBe(
      '2026-01-01T01:10:00.000Z',
    )
  })

  it.each([
    [undefined, 'Deployment marked as failed - no stable job version to auto revert to', undefined],
    [{ version: 3, sameSpec: false }, 'Deployment marked as failed - rolling back to job version 3', 3],
    [
      { version: 3, sameSpec: true },
      'Deployment marked as failed - not rolling back to stable job version 3 as current job has same specification',
      undefined,
    ],
  ])('goes back to a stable version when it fails and wants to: %j', (stable, description, revertTo) => {
    const outcome = failDeployment(deploy({ AutoRevert: true }), { cause: 'user', stable }, env)
    expect(outcome.ok && [outcome.state.StatusDescription, outcome.value.revertTo]).toEqual([
      description,
      revertTo,
    ])
  })

  it('promotes all the chosen groups or none', () => {
    const canary = deploy({ Canary: 2 })
    expect(promoteDeployment(canary, { healthyCanaries: { app: 1 } }, env)).toMatchObject({
      ok: false,
      refusal: { code: 'unhealthy_canaries', message: 'Task group "app" has 1/2 healthy allocations' },
    })
    expect(promoteDeployment(canary, { groups: ['nope'], healthyCanaries: {} }, env)).toMatchObject({
      ok: false,
      refusal: { code: 'unknown_task_group' },
    })
    const promoted = state(promoteDeployment(canary, { healthyCanaries: { app: 2 } }, env))
    expect([promoted.TaskGroups['app']?.Promoted, promoted.StatusDescription]).toEqual([
      true,
      'Deployment is running',
    ])
  })

  it('is still paused when it is promoted meanwhile', () => {
    const paused = state(pauseDeployment(deploy({ Canary: 1 }), { pause: true }, env))
    const promoted = state(promoteDeployment(paused, { healthyCanaries: { app: 1 } }, env))
    expect([promoted.Status, promoted.StatusDescription]).toEqual(['paused', 'Deployment is paused'])
    expect(state(pauseDeployment(promoted, { pause: false }, env)).StatusDescription).toBe(
      'Deployment is running',
    )
  })

  it('changes nothing once it is over', () => {
    const over = state(cancelDeployment(deploy(), { cause: 'newerVersion' }, env))
    expect(over.StatusDescription).toBe('Cancelled due to newer version of job')
    const text = (verb: string) => ({
      ok: false,
      refusal: { code: 'deployment_is_over', message: `can't ${verb} terminal deployment` },
    })
    expect(pauseDeployment(over, { pause: true }, env)).toMatchObject(text('pause'))
    expect(pauseDeployment(over, { pause: false }, env)).toMatchObject(text('resume'))
    expect(failDeployment(over, { cause: 'user' }, env)).toMatchObject(text('fail'))
    expect(promoteDeployment(over, { healthyCanaries: {} }, env)).toMatchObject(text('promote'))
    expect(cancelDeployment(over, { cause: 'stopped' }, env)).toMatchObject({
      ok: true,
      value: { cancelled: false },
    })
    expect(trackDeployment(over, { allocations: [] }, env)).toMatchObject({ value: 'over' })
  })
})
