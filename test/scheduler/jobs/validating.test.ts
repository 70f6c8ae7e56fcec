import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const group = (over: object = {}) => ({ Name: 'app', Count: 2, Tasks: [{ Name: 'server' }], ...over })
const job = (over: object = {}, ofGroup: object = {}) => ({
  ID: 'web',
  TaskGroups: [group(ofGroup)],
  ...over,
})
interface Verdict {
  readonly ValidationErrors: string[]
  readonly Error: string
  readonly Warnings: string
}
const judged = async (Job: object, records: Record<string, unknown> = {}) => {
  const harness = await given(records)
  const got = await harness.send('POST', '/v1/validate/job', { Job })
  return { ...harness, got, verdict: got.json as Verdict }
}

describe('judging a job', () => {
  it('finds nothing wrong with one that may be registered, and registers nothing', async () => {
    const { got, get } = await judged(job())
    expect([got.status, got.json]).toEqual([
      200,
      { DriverConfigValidated: true, ValidationErrors: [], Error: '', Warnings: '' },
    ])
    expect((await get('/v1/jobs')).json).toEqual([])
  })
  it('reports all problems together, as a list and as one text', async () => {
    const { got, verdict } = await judged({ ID: 'a b', Datacenters: [], TaskGroups: [group({ Count: -1 })] })
    expect(got.status).toBe(200)
    expect(verdict.ValidationErrors).toEqual([
      'Job ID contains a space',
      expect.stringContaining('Count'),
      'Missing job datacenters',
    ])
    expect(verdict.Error).toMatch(/^3 errors occurred:\n\t\* Job ID contains a space\n/)
  })
  it.each([
    [
      'its type',
      { ...job({}, { Tasks: [] }), Type: 'cron', Periodic: { Spec: '@daily' } },
      ['Invalid job type: "cron"', 'Task group app has no tasks'],
    ],
    [
      'its priority',
      { ID: 'web', Priority: 500 },
      ['job priority must be between [1, 100]', 'Missing job task groups'],
    ],
    [
      'its groups',
      job({ TaskGroups: {}, Datacenters: [] }),
      [expect.stringMatching(/^TaskGroups: /), 'Missing job datacenters'],
    ],
    ['its ID', { TaskGroups: [] }, ['Missing job ID', 'Missing job task groups']],
    ['its ID, which is empty', { ID: '', TaskGroups: [] }, ['Missing job ID', 'Missing job task groups']],
  ])('tells of the rest when %s cannot be read', async (_what, Job, problems) => {
    expect((await judged(Job)).verdict.ValidationErrors).toEqual(problems)
  })
  it.each([
    ['no ID', { TaskGroups: [group()] }, 'Missing job ID'],
    ['no groups', { ID: 'web' }, 'Missing job task groups'],
    ['a pool that is not there', job({ NodePool: 'moon' }), 'job "web" is in nonexistent node pool "moon"'],
    [
      'a task of another folder',
      job({}, { Tasks: [{ Name: '../x' }] }),
      'Task name "../x" cannot include slashes',
    ],
    ['another type than it has', job({ ID: 'old' }), 'cannot update job from type "batch" to "service"'],
    ['a namespace that is no text', job({ Namespace: 7 }), 'Namespace: expected a string, received 7'],
  ])('finds %s', async (_what, Job, text) => {
    const { verdict } = await judged(Job, { jobs: [job({ ID: 'old', Type: 'batch' })] })
    expect(verdict.ValidationErrors).toEqual([expect.stringContaining(text)])
  })
  it('says the same as registering', async () => {
    const { send, verdict } = await judged(job({ Update: { Canary: -1 } }))
    const refused = await send('PUT', '/v1/jobs', { Job: job({ Update: { Canary: -1 } }) })
    expect([refused.status, refused.text]).toEqual([400, verdict.Error])
  })
  it('warns of what is allowed and hardly meant, as planning and registering do', async () => {
    const Job = job({ Update: { MaxParallel: 5, AutoPromote: true } })
    const { verdict, send } = await judged(Job)
    expect(verdict.ValidationErrors).toEqual([])
    expect(verdict.Warnings).toMatch(/^2 warnings:\n\n\* Group "app": update max parallel count .*5 > 2/)
    expect(verdict.Warnings).toContain('auto promote has no effect without canaries')
    const plan = await send('PUT', '/v1/job/web/plan', { Job })
    expect((plan.json as Verdict).Warnings).toBe(verdict.Warnings)
    expect(((await send('PUT', '/v1/jobs', { Job })).json as Verdict).Warnings).toBe(verdict.Warnings)
  })
  it.each([
    ['0 0 31 2 *', 1],
    ['0 0 1 1 * 2020', 1],
    ['0 0 29 2 *', 0],
  ])('warns of a schedule that is never met: %s', async (Spec, warnings) => {
    const { verdict } = await judged(job({ Type: 'batch', Periodic: { Spec } }))
    expect(verdict.ValidationErrors).toEqual([])
    expect(verdict.Warnings.match(/the job is never launched/g) ?? []).toHaveLength(warnings)
  })
  it.each([
    [{ Type: 'batch', Periodic: { Spec: '*'.repeat(100_000) } }, 'Invalid cron spec "***'],
    [{ Type: 'x'.repeat(100_000) }, 'Invalid job type: "xxx'],
    [{ Constraints: [{ Operand: '='.repeat(100_000) }] }, 'unknown operand "==='],
  ])('does not send a long text back: %#', async (over, text) => {
    const { verdict } = await judged(job(over))
    expect(verdict.Error).toContain(text)
    expect(verdict.Error.length).toBeLessThan(1000)
  })
  it('refuses thousands of task groups, whose rows every commit would write', async () => {
    const TaskGroups = Array.from({ length: 10_000 }, (_, at) => group({ Name: `g${at}`, Count: 1 }))
    const { verdict, send } = await judged({ ID: 'web', TaskGroups })
    const problem = 'the job has 10000 task groups, more than the 2000 that one job may have'
    expect(verdict.ValidationErrors).toEqual([problem])
    const refused = await send('PUT', '/v1/jobs', { Job: { ID: 'web', TaskGroups } })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(problem)])
  })
  it.each([
    [undefined, 'Request body is empty'],
    [[], 'Request body must be a JSON object'],
    [{}, 'Job must be specified'],
    [{ Job: [] }, 'Job must be specified'],
  ])('refuses a body without a job: %j', async (body, text) => {
    const { send } = await given()
    const refused = await send('PUT', '/v1/validate/job', body)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
  })
  it('requires read-job, also for an invalid job', async () => {
    const { send } = await given({}, { acl: true })
    for (const Job of [job(), { ID: 'a b' }])
      expect((await send('PUT', '/v1/validate/job', { Job })).status).toBe(403)
  })
})

describe('a job may not have', () => {
  it.each([
    [{ ParentID: 'web' }, {}, 'The job is its own parent'],
    [{ ID: 'a\u0000b' }, {}, 'Job ID contains a null character'],
    [{ Update: { MaxParallel: -1 } }, {}, 'The update strategy of the job has MaxParallel -1, less than 0'],
    [
      { Update: { HealthCheck: 'luck' } },
      {},
      'HealthCheck is "luck", not one of checks, task_states, manual',
    ],
    [{}, { Update: { Canary: -2 } }, 'Task group app: the update strategy has Canary -2, less than 0'],
    [{}, { RestartPolicy: { Attempts: -1 } }, 'the restart policy has Attempts -1, less than 0'],
    [{}, { RestartPolicy: { Mode: 'pray' } }, `the restart policy's Mode is "pray", not one of delay, fail`],
    [{}, { ReschedulePolicy: { DelayFunction: 'random' } }, 'DelayFunction is "random", not one of constant'],
    [
      {},
      { ReschedulePolicy: { Attempts: 3, Interval: 60e9, Unlimited: true } },
      'the reschedule policy is ambiguous: it has Attempts 3 and is unlimited; set Unlimited to false',
    ],
    [{}, { ReschedulePolicy: { Attempts: 3 } }, 'Attempts 3 and no Interval to count them in'],
    [{}, { Migrate: { MaxParallel: -1 } }, 'the migrate strategy has MaxParallel -1, less than 0'],
    [{}, { Migrate: { HealthCheck: 'manual' } }, 'HealthCheck is "manual", not one of checks, task_states'],
    [{}, { Migrate: { HealthyDeadline: 1 } }, 'MinHealthyTime is longer than its HealthyDeadline'],
    [{ Type: 'batch' }, { Migrate: {} }, 'is not supported for a job of type "batch"'],
    [{}, { EphemeralDisk: { SizeMB: -1 } }, 'the ephemeral disk has SizeMB -1, less than 0'],
    [{}, { MaxClientDisconnect: -1 }, 'Task group app has MaxClientDisconnect -1, less than 0'],
    [{ Spreads: [{ Attribute: 'rack', Weight: 101 }] }, {}, 'the spread over "rack": Weight is 101'],
    [
      {},
      { Spreads: [{ Attribute: 'rack', SpreadTarget: [{ Value: 'r1', Percent: -1 }] }] },
      'the Percent of "r1" is -1, not between 0 and 100',
    ],
    [
      {},
      { Networks: [{ ReservedPorts: [{ Label: 'http', Value: 70_000 }] }] },
      'the Value of port "http" is 70000, not between 0 and 65535',
    ],
    [{}, { Scaling: { Min: 1 } }, 'the scaling policy needs a Max: a whole number of at least 0'],
    [{}, { Scaling: { Max: -3 } }, 'the scaling policy needs a Max'],
    [{}, { Scaling: { Max: '3' } }, 'the scaling policy needs a Max'],
    [{}, { Scaling: { Min: -1, Max: 3 } }, "the scaling policy's Min is not a whole number of at least 0"],
    [{}, { Scaling: { Min: 5, Max: 3 } }, "the scaling policy's Max 3 is less than its Min 5"],
    [{}, { Scaling: { Max: 1 } }, "the scaling policy's Max 1 is less than its Min 2"],
    [{}, { Scaling: { Min: 3, Max: 4 } }, 'the Count of the group is 2, not between 3 and 4'],
    [{}, { Scaling: { Max: 4, Type: 'cpu' } }, 'the scaling policy\'s Type is "cpu", not horizontal'],
    [{}, { Tasks: [{ Name: 't', KillTimeout: -1 }] }, 'Task t has KillTimeout -1, less than 0'],
    [{}, { Tasks: [{ Name: 't', LogConfig: { MaxFiles: -1 } }] }, 'Task t: the log has MaxFiles -1'],
  ])('%j %j: %s', async (over, ofGroup, text) => {
    const { verdict } = await judged(job(over, ofGroup))
    expect(verdict.ValidationErrors).toEqual([expect.stringContaining(text)])
  })
  it('but these are what they say', async () => {
    const { verdict } = await judged(
      job(
        { Update: { MaxParallel: 0, HealthCheck: 'manual' }, Spreads: [{ Attribute: 'rack', Weight: 0 }] },
        { Networks: [{ DynamicPorts: [{ Label: 'http', To: -1 }] }], RestartPolicy: { Mode: 'delay' } },
      ),
    )
    expect(verdict.ValidationErrors).toEqual([])
  })
})

describe('a group without a count', () => {
  it('has the least that its scaling policy allows', async () => {
    const { send, get } = await given()
    const Job = job({}, { Count: null, Scaling: { Min: 3, Max: 5 } })
    await send('PUT', '/v1/jobs', { Job })
    expect((await get('/v1/job/web')).json).toMatchObject({ TaskGroups: [{ Count: 3 }] })
  })
})

describe('a part of an identifier', () => {
  const mail = { ID: 'mail', Type: 'batch', ParameterizedJob: {}, TaskGroups: [group()] }
  it.each([
    ['\ud800', 'Dispatched job ID prefix must be valid Unicode without spaces and U+0000'],
    ['a b', 'Dispatched job ID prefix must be valid Unicode without spaces and U+0000'],
    ['x'.repeat(129), 'Dispatched job ID prefix is longer than 128 bytes'],
  ])('is refused where no identifier could have it: the prefix %j', async (IdPrefixTemplate, text) => {
    const { send } = await given()
    await send('PUT', '/v1/jobs', { Job: mail })
    const refused = await send('PUT', '/v1/job/mail/dispatch', { IdPrefixTemplate })
    expect([refused.status, refused.text]).toEqual([400, text])
  })
  it.each([
    ['\ud800', 'Job parent ID must be valid Unicode without spaces and U+0000'],
    ['x'.repeat(513), 'Job parent ID is longer than 512 bytes'],
  ])('is refused where no identifier could have it: the parent %j', async (ParentID, text) => {
    const { verdict } = await judged(job({ ParentID }))
    expect(verdict.ValidationErrors).toEqual([text])
  })
  it('may be as long as that', async () => {
    const { send } = await given()
    await send('PUT', '/v1/jobs', { Job: { ...mail, ID: 'm'.repeat(512) } })
    const path = `/v1/job/${'m'.repeat(512)}/dispatch`
    expect((await send('PUT', path, { IdPrefixTemplate: 'x'.repeat(128) })).status).toBe(200)
  })
})
