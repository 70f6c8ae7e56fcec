import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const TaskGroups = [{ Name: 'app', Tasks: [{ Name: 't' }] }]
const parent = {
  ID: 'mail',
  Type: 'batch',
  ParameterizedJob: { Payload: 'optional', MetaRequired: ['to'] },
  TaskGroups,
}
const web = (Priority = 50) => ({ ID: 'web', Priority, TaskGroups })
type Body = Record<string, never>

describe('dispatching', () => {
  it('makes a child, which the parent counts', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', { Job: parent })
    const done = await send('PUT', '/v1/job/mail/dispatch', { Meta: { to: 'ada' }, Payload: 'aGk=' })
    const { DispatchedJobID: child } = done.json as Body
    expect(child).toMatch(/^mail\/dispatch-1767225600-[0-9a-f]{8}$/)
    expect(done.json).toMatchObject({ EvalCreateIndex: 3, JobCreateIndex: 3, Index: 3 })
    expect((await get(`/v1/job/${child}`)).json).toMatchObject({
      ParentID: 'mail',
      Dispatched: true,
      Payload: 'aGk=',
      Meta: { to: 'ada' },
      Status: 'pending',
    })
    expect((await get('/v1/job/mail/summary')).json).toMatchObject({
      Children: { Pending: 1, Running: 0, Dead: 0 },
    })
    expect((await send('DELETE', `/v1/job/${child}`)).status).toBe(200)
    expect((await get('/v1/job/mail/summary')).json).toMatchObject({
      Children: { Pending: 0, Running: 0, Dead: 1 },
    })
    await send('DELETE', `/v1/job/${encodeURIComponent(String(child))}?purge=true`)
    expect((await get('/v1/job/mail/summary')).json).toMatchObject({
      Children: { Pending: 0, Running: 0, Dead: 0 },
    })
  })

  it('gives the same child for the same token', async () => {
    const { send, ids } = await given()
    await send('PUT', '/v1/jobs', { Job: parent })
    const dispatch = async () =>
      (
        (await send('PUT', '/v1/job/mail/dispatch', { Meta: { to: 'a' }, IdempotencyToken: 'once' }))
          .json as Body
      )['DispatchedJobID']
    expect(await dispatch()).toBe(await dispatch())
    expect(await ids('/v1/jobs')).toHaveLength(2)
  })
})

describe('launching a periodic job', () => {
  it('makes a child named by its second', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', {
      Job: { ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' }, TaskGroups },
    })
    expect((await send('PUT', '/v1/job/nightly/periodic/force')).json).toMatchObject({ EvalCreateIndex: 3 })
    expect((await get('/v1/job/nightly/periodic-1767225600')).json).toMatchObject({ ParentID: 'nightly' })
    expect((await send('PUT', '/v1/job/nightly/periodic/force')).status).toBe(200)
  })

  it.each([
    ['dispatch-job', 200],
    ['submit-job', 200],
    ['scale-job', 403],
  ])('by a caller with %s is answered with %i', async (capability, status) => {
    const { send } = await given(
      {
        jobs: [{ ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' }, TaskGroups }],
        policies: [{ Name: 'p', Rules: `namespace "default" { capabilities = ["${capability}"] }` }],
        tokens: [{ SecretID: 't', Type: 'client', Policies: ['p'] }],
      },
      { acl: true },
    )
    const as = { headers: { 'X-Scheduler-Token': 't' } }
    expect((await send('PUT', '/v1/job/nightly/periodic/force', undefined, as)).status).toBe(status)
  })
})

describe('a child that is registered under another parent', () => {
  it('counts there and no longer where it was', async () => {
    const { send, get } = await given({ jobs: [{ ID: 'one' }, { ID: 'two' }] })
    const children = async (id: string) =>
      ((await get(`/v1/job/${id}/summary`)).json as { readonly Children: object }).Children
    const none = { Pending: 0, Running: 0, Dead: 0 }
    await send('PUT', '/v1/jobs', { Job: { ...web(50), ParentID: 'one' } })
    expect([await children('one'), await children('two')]).toEqual([{ ...none, Pending: 1 }, none])
    await send('PUT', '/v1/jobs', { Job: { ...web(50), ParentID: 'two' } })
    expect([await children('one'), await children('two')]).toEqual([none, { ...none, Pending: 1 }])
    await send('DELETE', '/v1/job/web?purge=true')
    expect([await children('one'), await children('two')]).toEqual([none, none])
  })
})

describe('going back to an earlier version', () => {
  it('registers it again as the next one', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', { Job: web(50) })
    await send('PUT', '/v1/jobs', { Job: web(60) })
    const done = await send('PUT', '/v1/job/web/revert', { JobID: 'web', JobVersion: 0 })
    expect(done.json).toMatchObject({ JobModifyIndex: 4, EvalCreateIndex: 4 })
    expect((await get('/v1/job/web')).json).toMatchObject({ Priority: 50, Version: 2 })
  })

  it('knows which versions are good', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', { Job: web(50) })
    await send('PUT', '/v1/jobs', { Job: web(60) })
    for (const JobVersion of [0, 1])
      expect((await send('PUT', '/v1/job/web/stable', { JobVersion, Stable: true })).status).toBe(200)
    const { Versions } = (await get('/v1/job/web/versions')).json as { Versions: Body[] }
    expect(Versions.map(({ Stable }) => Stable)).toEqual([true, true])
  })
})

describe('what cannot be done with a job', () => {
  it.each([
    ['/v1/job/none/dispatch', {}, 404, 'job not found'],
    ['/v1/job/web/dispatch', {}, 400, 'Specified job "web" is not a parameterized job'],
    ['/v1/job/mail/dispatch', {}, 400, 'Dispatch did not provide required meta keys: to'],
    ['/v1/job/mail/dispatch', { JobID: 'x' }, 400, 'Job ID does not match name'],
    ['/v1/job/mail/dispatch', { Meta: { to: 1 } }, 400, 'invalid dispatch: Meta.to:'],
    ['/v1/job/mail/evaluate', {}, 400, "can't evaluate parameterized job"],
    ['/v1/job/none/evaluate', {}, 404, 'job not found'],
    ['/v1/job/web/revert', undefined, 400, 'Request body is empty'],
    ['/v1/job/web/revert', {}, 400, 'invalid revert: JobVersion:'],
    ['/v1/job/web/revert', { JobVersion: 0 }, 400, "can't revert to current version"],
    ['/v1/job/web/revert', { JobVersion: 7 }, 404, 'job "web" in namespace "default" at version 7 not found'],
    [
      '/v1/job/web/revert',
      { JobVersion: 7, EnforcePriorVersion: 3 },
      400,
      'Current job has version 0; enforcing version 3',
    ],
    ['/v1/job/web/stable', { JobVersion: 7 }, 404, 'at version 7 not found'],
    ['/v1/job/web/periodic/force', undefined, 400, 'Specified job "web" is not a periodic job'],
    ['/v1/job/none/periodic/force', undefined, 404, 'job not found'],
  ])('%s with %j is %i: %s', async (path, body, status, text) => {
    const { send } = await given({ jobs: [parent, web()] })
    const refused = await send('PUT', path, body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(text)])
  })

  it('is done with a new evaluation otherwise', async () => {
    const { send, get } = await given({ jobs: [web()] })
    expect((await send('POST', '/v1/job/web/evaluate', { JobID: 'web' })).status).toBe(200)
    expect((await get('/v1/job/web/evaluations')).json).toHaveLength(1)
  })
})

describe('the configuration of the scheduler', () => {
  const path = '/v1/operator/scheduler/configuration'
  it('is read with its defaults and replaced whole', async () => {
    const { send, get } = await given()
    expect((await get(path)).json).toMatchObject({
      SchedulerConfig: { SchedulerAlgorithm: 'binpack', CreateIndex: 1, ModifyIndex: 1 },
      Index: 1,
    })
    expect((await send('PUT', path, { SchedulerAlgorithm: 'spread' })).json).toMatchObject({ Updated: true })
    const read = await get(path)
    expect(read.json).toMatchObject({ SchedulerConfig: { SchedulerAlgorithm: 'spread', ModifyIndex: 2 } })
    expect((await send('PUT', `${path}?cas=1`, {})).json).toMatchObject({ Updated: false })
    expect((await send('PUT', `${path}?cas=2`, {})).json).toMatchObject({ Updated: true })
  })
  it.each([
    [
      `${path}`,
      { SchedulerAlgorithm: 'best' },
      'invalid scheduler algorithm "best", must be binpack or spread',
    ],
    [`${path}`, undefined, 'Request body is empty'],
    [`${path}`, { PauseEvalBroker: 1 }, 'invalid scheduler configuration: PauseEvalBroker:'],
    [`${path}?cas=x`, {}, 'cas must be the ModifyIndex'],
  ])('%s refuses %j', async (at, body, text) => {
    const { send } = await given()
    const refused = await send('PUT', at, body)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
  })
})

describe('while registration is switched off', () => {
  it('only management registers', async () => {
    const management = '4f2c1f5e-7b1e-4f0a-9d43-8c2a5d0b7e11'
    const { send } = await given(
      {
        jobs: [parent, { ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' }, TaskGroups }],
        policies: [{ Name: 'w', Rules: 'namespace "default" { policy = "write" }' }],
        tokens: [{ SecretID: 'w', Type: 'client', Policies: ['w'] }],
      },
      { managementToken: management },
    )
    const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })
    const path = '/v1/operator/scheduler/configuration'
    expect((await send('PUT', path, { RejectJobRegistration: true }, as('w'))).status).toBe(403)
    await send('PUT', path, { RejectJobRegistration: true }, as(management))
    const refused = await send('PUT', '/v1/jobs', { Job: web() }, as('w'))
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('registration')])
    for (const [at, body] of [
      ['mail/dispatch', { Meta: { to: 'a' } }],
      ['mail/scale', { Target: { Group: 'app' }, Count: 2 }],
      ['mail/revert', { JobVersion: 0 }],
    ] as const) {
      expect((await send('PUT', `/v1/job/${at}`, body, as('w'))).status).toBe(403)
      expect((await send('PUT', `/v1/job/${at}`, body, as(management))).text).not.toContain('disabled')
    }
    // Launches of periodic jobs are no registrations.
    expect((await send('PUT', '/v1/job/nightly/periodic/force', undefined, as('w'))).status).toBe(200)
    expect((await send('PUT', '/v1/jobs', { Job: web() }, as(management))).status).toBe(200)
  })
})
