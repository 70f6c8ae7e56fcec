import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../src/kernel/index.ts'
import { dispatchJob } from '../../../src/scheduler/jobs/dispatch.ts'
import { JobSpec } from '../../../src/scheduler/jobs/model.ts'
import { registerJob } from '../../../src/scheduler/jobs/register.ts'
import { stopJob } from '../../../src/scheduler/jobs/stop.ts'
import { surplusVersions } from '../../../src/scheduler/jobs/versions.ts'
import { testClock } from '../../../src/testing/index.ts'

const clock = testClock({ now: Date.UTC(2026, 0, 1) })
const env = clock.env()
const job = (over: object = {}) =>
  JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }], ...over })
const batch = (over: object) => job({ ID: 'nightly', Type: 'batch', ...over })
const fresh = { jobModifyIndex: 0 }
const registered = (spec: JobSpec, from?: JobSpec) => {
  const outcome = registerJob(from, { job: spec }, env, { jobModifyIndex: from ? 7 : 0 })
  if (!outcome.ok || outcome.state === undefined) throw new Error('refused')
  return outcome.state
}

describe('registering a job', () => {
  it('writes version 0, named after its id, and says when it was submitted', () => {
    const first = registered(job({ Version: 9, Stop: true }))
    expect([first.Version, first.Name, first.Stop, first.SubmitTime]).toEqual([
      0,
      'web',
      false,
      env.now * 1e6,
    ])
  })

  it('counts versions up when the specification changes, and only then', () => {
    const first = registered(job())
    const again = registerJob(first, { job: job() }, env, { jobModifyIndex: 7 })
    expect(again.ok && [again.value.written, again.state === first]).toEqual([false, true])
    expect(registered(job({ Priority: 70 }), first).Version).toBe(1)
  })

  it('starts a stopped job again as a new version, even when nothing else changed', () => {
    const stopped = unwrapState(stopJob(registered(job()), {}, env))
    expect(registered(job(), stopped)).toMatchObject({ Version: 2, Stop: false })
  })

  it.each([
    ['only if there is none, and there is', 0, true, 'Enforcing job modify index 0: job already exists'],
    ['only over one that does not exist', 5, false, 'Enforcing job modify index 5: job does not exist'],
    ['only over another index', 5, true, 'job exists with conflicting job modify index: 7'],
    ['only over the index it has', 7, true, undefined],
    ['only if there is none', 0, false, undefined],
  ])('holds to what the writer believes: %s', (_what, enforceIndex, exists, text) => {
    const present = exists ? registered(job()) : undefined
    const outcome = registerJob(present, { job: job({ Priority: 60 }), enforceIndex }, env, {
      jobModifyIndex: exists ? 7 : 0,
    })
    if (text === undefined) expect(outcome.ok).toBe(true)
    else
      expect(outcome).toMatchObject({
        ok: false,
        refusal: { code: 'job_index_mismatch', message: expect.stringContaining(text) },
      })
  })

  it.each([
    ['no task groups', { TaskGroups: [] }, 'Missing job task groups'],
    ['a group without tasks', { TaskGroups: [{ Name: 'app' }] }, 'Task group app has no tasks'],
    [
      'two groups of one name',
      { TaskGroups: [1, 2].map(() => ({ Name: 'app', Tasks: [{ Name: 't' }] })) },
      'Job task group "app" is defined more than once',
    ],
    [
      'negative resources',
      { TaskGroups: [{ Name: 'a', Tasks: [{ Name: 't', Resources: { CPU: -5 } }] }] },
      'Task t has CPU -5, less than 0',
    ],
    [
      'a negative delay',
      { TaskGroups: [{ Name: 'a', Tasks: [{ Name: 't' }], ReschedulePolicy: { Delay: -1 } }] },
      'the reschedule policy has Delay -1, less than 0',
    ],
    ['a periodic service', { Periodic: {} }, 'Periodic can only be used with "batch"'],
    [
      'a system job with a count',
      { Type: 'system', TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 't' }] }] },
      'Count cannot exceed 1',
    ],
  ])('refuses %s', (_what, over, text) => {
    const outcome = registerJob(undefined, { job: job(over) }, env, fresh)
    expect(outcome).toMatchObject({
      ok: false,
      refusal: { code: 'invalid_job', message: expect.stringContaining(text) },
    })
  })

  it.each([
    ['its type', job(), job({ Type: 'batch' }), 'cannot update job from type "service" to "batch"'],
    [
      'to periodic',
      batch({}),
      batch({ Periodic: { Spec: '@daily' } }),
      'cannot update non-periodic job to being periodic',
    ],
    [
      'from parameterized',
      batch({ ParameterizedJob: {} }),
      batch({}),
      'cannot update parameterized job to being non-parameterized',
    ],
  ])('never changes %s', (_what, from, to, text) => {
    expect(registerJob(registered(from), { job: to }, env, { jobModifyIndex: 7 })).toMatchObject({
      ok: false,
      refusal: { code: 'job_type_changed', message: text },
    })
  })
})

describe('stopping a job', () => {
  it('is one more version, once', () => {
    const stopped = unwrapState(stopJob(registered(job()), {}, env))
    expect(stopped).toMatchObject({ Stop: true, Version: 1 })
    const again = stopJob(stopped, {}, env)
    expect(again.ok && [again.value.stopped, again.state === stopped]).toEqual([false, true])
  })
})

describe('the versions of a job', () => {
  it('are the newest six, and the newest stable one, which a revert would need', () => {
    const versions = [...Array(9).keys()].map((Version) => ({
      Version,
      VersionTag: null,
      Stable: Version === 1,
    }))
    expect(surplusVersions(versions)).toEqual([0, 2, 3])
  })

  it('keep tagged ones on top', () => {
    const tag = { Name: 'golden', Description: '', TaggedTime: 0 }
    const versions = [...Array(8).keys()].map((Version) => ({
      Version,
      VersionTag: Version === 0 ? tag : null,
      Stable: false,
    }))
    expect(surplusVersions(versions)).toEqual([1])
  })

  it('never lose a tagged or the newest stable one, and never keep more than six others', () => {
    const version = fc.record({ tagged: fc.boolean(), Stable: fc.boolean() })
    fc.assert(
      fc.property(fc.array(version, { maxLength: 20 }), (list) => {
        const versions = list.map(({ tagged, Stable }, Version) => ({
          Version,
          Stable,
          VersionTag: tagged ? { Name: 't', Description: '', TaggedTime: 0 } : null,
        }))
        const dropped = new Set(surplusVersions(versions))
        const kept = versions.filter(({ Version }) => !dropped.has(Version))
        const stable = versions.filter(({ Stable }) => Stable).at(-1)
        return (
          kept.filter(({ VersionTag }) => VersionTag === null).length <= 6 &&
          versions.every(({ VersionTag, Version }) => VersionTag === null || !dropped.has(Version)) &&
          (stable === undefined || kept.includes(stable))
        )
      }),
    )
  })
})

describe('dispatching a parameterized job', () => {
  const parent = registered(
    batch({
      ParameterizedJob: { Payload: 'required', MetaRequired: ['user'], MetaOptional: ['why'] },
      Meta: { team: 'infra' },
    }),
  )

  it('makes a child with the payload and the metadata of both', () => {
    const child = unwrap(dispatchJob(parent, { payload: 'aGk=', meta: { user: 'ada' }, idPrefix: 'p' }, env))
    expect(child.ID).toMatch(/^nightly\/dispatch-p-1767225600-[0-9a-f]{8}$/)
    expect(child).toMatchObject({
      ParentID: 'nightly',
      Dispatched: true,
      ParameterizedJob: null,
      Payload: 'aGk=',
      Meta: { team: 'infra', user: 'ada' },
      Version: 0,
    })
  })

  it('names everything that is wrong with payload and metadata', () => {
    const outcome = dispatchJob(parent, { meta: { shoe: '7' } }, env)
    expect(outcome).toMatchObject({
      ok: false,
      refusal: {
        code: 'invalid_dispatch',
        message:
          'Payload is not provided but required by parameterized job; Dispatch did not provide required meta keys: user; Dispatch request included unpermitted metadata keys: shoe',
      },
    })
  })

  it.each([
    [16_384, true],
    [16_385, false],
    [16_386, false],
  ])('takes a payload of %i bytes: %s', (bytes, fits) => {
    const payload = Buffer.alloc(bytes).toString('base64')
    expect(dispatchJob(parent, { payload, meta: { user: 'ada' } }, env).ok).toBe(fits)
  })

  it.each(['A', 'AB', 'AB=', 'AAAA=', '=', '===='])('refuses %j, which is no base64', (payload) => {
    expect(dispatchJob(parent, { payload, meta: { user: 'ada' } }, env)).toMatchObject({
      refusal: { message: 'Payload is not base64' },
    })
  })

  it('refuses a payload beyond 16 KiB, and jobs that take none', () => {
    const big = { payload: 'A'.repeat(30_000), meta: { user: 'ada' } }
    expect(dispatchJob(parent, big, env)).toMatchObject({ ok: false, refusal: { code: 'invalid_dispatch' } })
    expect(dispatchJob(registered(job()), {}, env)).toMatchObject({
      ok: false,
      refusal: { code: 'not_parameterized' },
    })
    expect(dispatchJob({ ...parent, Stop: true }, {}, env)).toMatchObject({
      ok: false,
      refusal: { code: 'job_is_stopped' },
    })
  })
})

function unwrapState<State>(
  outcome: { readonly ok: true; readonly state: State } | { readonly ok: false },
): State {
  if (!outcome.ok) throw new Error('refused')
  return outcome.state
}
