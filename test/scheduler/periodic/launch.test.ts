import { describe, expect, it } from 'vitest'
import { JobSpec, launchPeriodicJob } from '../../../src/scheduler/index.ts'
import { testClock } from '../../../src/testing/index.ts'

const env = testClock({ now: Date.UTC(2026, 0, 1) }).env()
const nightly = (over: object = {}) =>
  JobSpec.parse({ ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' }, ...over })

describe('launching a periodic job', () => {
  it('makes a child named by its second', () => {
    const launch = launchPeriodicJob(nightly(), {}, env)
    expect(launch).toMatchObject({
      ok: true,
      value: { ID: 'nightly/periodic-1767225600', ParentID: 'nightly', Periodic: null },
      events: [{ type: 'job.launched', parent: 'nightly' }],
    })
    expect(launchPeriodicJob(nightly(), { at: env.now + 61_500 }, env)).toMatchObject({
      value: { ID: 'nightly/periodic-1767225661' },
    })
  })

  it.each([
    ['not_periodic', { Periodic: null }],
    ['job_is_stopped', { Stop: true }],
    ['schedule_is_off', { Periodic: { Enabled: false } }],
    ['schedule_is_off', { ParameterizedJob: {} }],
  ])('is refused as %s for %j', (code, over) => {
    expect(launchPeriodicJob(nightly(over), {}, env)).toMatchObject({ ok: false, refusal: { code } })
  })
})
