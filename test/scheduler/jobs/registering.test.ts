import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const group = { Name: 'app', Tasks: [{ Name: 'server' }] }
const web = { ID: 'web', TaskGroups: [group] }
type Body = Record<string, never>

describe('registering a job', () => {
  it.each([
    ['PUT', '/v1/jobs'],
    ['POST', '/v1/jobs'],
    ['PUT', '/v1/job/web'],
    ['POST', '/v1/job/web'],
  ])('is %s %s, answered with its evaluation', async (method, path) => {
    const { send, get } = await given()
    const done = await send(method, path, { Job: web })
    expect(done.status).toBe(200)
    expect(done.json).toEqual({
      EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      EvalCreateIndex: 2,
      JobModifyIndex: 2,
      Warnings: '',
      Index: 2,
      LastContact: 0,
      KnownLeader: true,
      NextToken: '',
    })
    expect(done.index).toBe(2)
    expect((await get('/v1/job/web')).json).toMatchObject({
      ID: 'web',
      Name: 'web',
      Namespace: 'default',
      Datacenters: ['*'],
      NodePool: 'default',
      Priority: 50,
      Type: 'service',
      Status: 'pending',
      Version: 0,
      Stable: false,
      CreateIndex: 2,
      ModifyIndex: 2,
      JobModifyIndex: 2,
    })
    const [evaluation] = (await get('/v1/job/web/evaluations')).json as Body[]
    expect(evaluation).toMatchObject({
      JobID: 'web',
      Status: 'pending',
      TriggeredBy: 'job-register',
      JobModifyIndex: 2,
      CreateIndex: 2,
    })
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Queued: 0, Starting: 0, Running: 0 } },
    })
  })

  it.each(['tab\tbed', 'line\nbreak', 'nbsp\u00a0', 'a/b', 'a/../b', '%2e', 'jöb', '...'])(
    'takes the ID %j as it is',
    async (ID) => {
      const { send, get, ids } = await given()
      expect((await send('PUT', '/v1/jobs', { Job: { ...web, ID } })).status).toBe(200)
      const path = `/v1/job/${encodeURIComponent(ID)}`
      expect((await get(path)).json).toMatchObject({ ID, Name: ID })
      await send('PUT', '/v1/jobs', { Job: { ...web, ID: '!first' } })
      const { nextToken } = await get('/v1/jobs?per_page=1')
      expect(await ids(`/v1/jobs?next_token=${encodeURIComponent(nextToken ?? '')}`)).toEqual([ID])
      expect((await send('DELETE', `${path}?purge=true`)).status).toBe(200)
      expect((await get(path)).status).toBe(404)
    },
  )

  it.each(['.', '..'])('refuses the ID %j, which no path can name', async (ID) => {
    const { send, get } = await given()
    const refused = await send('PUT', '/v1/jobs', { Job: { ...web, ID } })
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining(`Job ID must not be "${ID}"`),
    ])
    expect((await get('/v1/jobs')).json).toEqual([])
  })

  describe('with fields that no job has', () => {
    const body = {
      ID: 'web',
      Prioriti: 70,
      ConsulToken: '',
      taskgroups: [
        {
          ...group,
          Cuont: 3,
          Tasks: [{ Name: 'server', Config: { any: 1 }, Resources: { Cpu: 1, GPU: 1 } }],
        },
      ],
    }
    const warnings = [
      'Unknown field Prioriti was ignored; did you mean Priority?',
      'Unknown field TaskGroups[0].Tasks[0].Resources.GPU was ignored; did you mean CPU?',
      'Unknown field TaskGroups[0].Cuont was ignored; did you mean Count?',
    ]
    const expected = `3 warnings:\n\n${warnings.map((each) => `* ${each}`).join('\n')}`

    it.each([
      ['PUT', '/v1/jobs'],
      ['POST', '/v1/job/web/plan'],
      ['POST', '/v1/validate/job'],
    ])('names them in the answer of %s %s', async (method, path) => {
      const { send } = await given()
      expect((await send(method, path, { Job: body })).json).toMatchObject({ Warnings: expected })
    })

    it('names them beside the other warnings', async () => {
      const { send } = await given()
      const Update = { AutoPromote: true, Canary: 0 }
      const { json } = await send('PUT', '/v1/jobs', { Job: { ...body, Update } })
      expect(json).toMatchObject({
        Warnings: expect.stringMatching(
          /^4 warnings:\n\n\* Group "app": auto promote .*\n\* Unknown field Prio/,
        ),
      })
    })

    it('names the first twenty and counts the rest', async () => {
      const { send } = await given()
      const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`Nothing${at}`, 1]))
      const { json } = await send('PUT', '/v1/jobs', { Job: { ...web, ...many } })
      const { Warnings } = json as { readonly Warnings: string }
      expect(Warnings.startsWith('21 warnings:')).toBe(true)
      expect(Warnings).toMatch(/10 more unknown fields were ignored$/)
    })

    it('does not name those that only the service writes', async () => {
      const { send, get } = await given()
      await send('PUT', '/v1/jobs', { Job: web })
      const read = await get('/v1/job/web')
      const again = await send('PUT', '/v1/jobs', { Job: read.json })
      expect(again.json).toMatchObject({ Warnings: '' })
    })
  })

  describe('with PreserveCounts', () => {
    const groupOf = (Name: string, Count: number) => ({ Name, Count, Tasks: [{ Name: 'server' }] })
    const counts = async (get: Awaited<ReturnType<typeof given>>['get']) => {
      const { Version, TaskGroups } = (await get('/v1/job/web')).json as {
        readonly Version: number
        readonly TaskGroups: readonly { readonly Name: string; readonly Count: number }[]
      }
      return [Version, ...TaskGroups.map(({ Name, Count }) => `${Name}: ${Count}`)]
    }

    it('keeps the counts of task groups that are there; new ones have their own, others go', async () => {
      const { send, get } = await given()
      await send('PUT', '/v1/jobs', {
        Job: { ID: 'web', TaskGroups: [groupOf('app', 5), groupOf('old', 2)] },
      })
      const next = { ID: 'web', Priority: 70, TaskGroups: [groupOf('new', 3), groupOf('app', 1)] }
      await send('PUT', '/v1/jobs', { Job: next, PreserveCounts: true })
      expect(await counts(get)).toEqual([1, 'new: 3', 'app: 5'])
      await send('PUT', '/v1/jobs', { Job: next, preservecounts: null })
      expect(await counts(get)).toEqual([2, 'new: 3', 'app: 1'])
    })

    it('writes no version where counts alone differ: what was scaled stays scaled', async () => {
      const { send, get } = await given()
      await send('PUT', '/v1/jobs', { Job: { ID: 'web', TaskGroups: [groupOf('app', 1)] } })
      await send('PUT', '/v1/job/web/scale', { Target: { Group: 'app' }, Count: 0 })
      await send('PUT', '/v1/jobs', {
        Job: { ID: 'web', TaskGroups: [groupOf('app', 1)] },
        PreserveCounts: true,
      })
      expect(await counts(get)).toEqual([1, 'app: 0'])
    })

    it('is an option of the method too, of stopped jobs as well, and nothing to jobs that are new', async () => {
      const { scheduler, get } = await given()
      const preserveCounts = true
      await scheduler.registerJob({ ID: 'web', TaskGroups: [groupOf('app', 4)] }, { preserveCounts })
      expect(await counts(get)).toEqual([0, 'app: 4'])
      await scheduler.deregisterJob('web')
      await scheduler.registerJob({ ID: 'web', TaskGroups: [groupOf('app', 1)] }, { preserveCounts })
      expect(await counts(get)).toEqual([2, 'app: 4'])
    })

    it('is a yes or a no', async () => {
      const { send } = await given()
      const { status, text } = await send('PUT', '/v1/jobs', { Job: web, PreserveCounts: 'yes' })
      expect([status, text]).toEqual([400, 'PreserveCounts and PreserveResources must be true or false'])
    })
  })

  describe('with PreserveResources', () => {
    const task = (Name: string, CPU: number) => ({ Name, Resources: { CPU } })
    const group = (Name: string, Count: number, Tasks: ReturnType<typeof task>[]) => ({ Name, Count, Tasks })
    const roomy = { ID: 'web', TaskGroups: [group('app', 5, [task('server', 700), task('log', 50)])] }
    const next = {
      ID: 'web',
      TaskGroups: [
        group('app', 1, [task('server', 100), task('new', 30)]),
        group('other', 1, [task('server', 100)]),
      ],
    }
    const shown = async (get: Awaited<ReturnType<typeof given>>['get']) => {
      const { TaskGroups } = (await get('/v1/job/web')).json as typeof roomy
      return TaskGroups.map(({ Name, Count, Tasks }) => [
        `${Name}: ${Count}`,
        ...Tasks.map((each) => `${each.Name}: ${each.Resources.CPU}`),
      ])
    }

    it('keeps what tasks are given that are there, in groups of the same name', async () => {
      const { send, get } = await given()
      await send('PUT', '/v1/jobs', { Job: roomy })
      await send('PUT', '/v1/jobs', { Job: next, PreserveResources: true })
      expect(await shown(get)).toEqual([
        ['app: 1', 'server: 700', 'new: 30'],
        ['other: 1', 'server: 100'],
      ])
    })
    it('goes together with PreserveCounts, and is an option of the method', async () => {
      const { scheduler, get } = await given()
      await scheduler.registerJob(roomy)
      await scheduler.registerJob(next, { preserveResources: true, preserveCounts: true })
      expect((await shown(get))[0]).toEqual(['app: 5', 'server: 700', 'new: 30'])
    })
    it('is a yes or a no', async () => {
      const { send } = await given()
      expect((await send('PUT', '/v1/jobs', { Job: web, PreserveResources: 1 })).status).toBe(400)
    })
  })

  it('takes field names in any case, and ignores indexes, status and unknown fields', async () => {
    const { send, get } = await given()
    const job = {
      id: 'web',
      PRIORITY: 70,
      taskgroups: [{ name: 'app', tasks: [{ name: 't', resources: { cpu: 7 } }] }],
      Datacenters: null,
      CreateIndex: 99,
      Status: 'dead',
      Version: 12,
      Stop: true,
      Fancy: { a: 1 },
    }
    expect((await send('PUT', '/v1/jobs', { job })).status).toBe(200)
    expect((await get('/v1/job/web')).json).toMatchObject({
      Priority: 70,
      CreateIndex: 2,
      Status: 'pending',
      Version: 0,
      Stop: false,
      TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't', Resources: { CPU: 7 } }] }],
    })
  })

  it('keeps hostile keys as data and digits as they are', async () => {
    const { get } = await given()
    const body =
      '{"Job":{"ID":"web","Meta":{"__proto__":"a","constructor":"b"},"TaskGroups":[{"Name":"__proto__","Tasks":[{"Name":"t","Config":{"zero":-0}}]}]}}'
    expect((await get('/v1/jobs', { method: 'PUT', body })).status).toBe(200)
    expect((await get('/v1/job/web')).text).toContain('"Meta":{"constructor":"b","__proto__":"a"}')
    expect((await get('/v1/job/web/summary')).text).toContain('"__proto__":{"Queued":0')
  })

  it('writes a version only when the specification differs, and an evaluation each time', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', { Job: web })
    const same = (await send('PUT', '/v1/jobs', { Job: web })).json
    expect(same).toMatchObject({ JobModifyIndex: 2, EvalCreateIndex: 3 })
    expect((await send('PUT', '/v1/jobs', { Job: { ...web, Priority: 60 } })).json).toMatchObject({
      JobModifyIndex: 4,
    })
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 1, CreateIndex: 2, JobModifyIndex: 4 })
    const { Versions } = (await get('/v1/job/web/versions')).json as { Versions: Body[] }
    expect(
      Versions.map(({ Version, Priority, JobModifyIndex }) => [Version, Priority, JobModifyIndex]),
    ).toEqual([
      [1, 60, 4],
      [0, 50, 2],
    ])
  })

  it('keeps the newest six versions', async () => {
    const { send, get } = await given()
    for (let at = 0; at < 9; at += 1) await send('PUT', '/v1/jobs', { Job: { ...web, Priority: 10 + at } })
    const { Versions } = (await get('/v1/job/web/versions')).json as { Versions: Body[] }
    expect(Versions.map(({ Version }) => Version)).toEqual([8, 7, 6, 5, 4, 3])
  })

  it('takes the namespace of the query, else of the job', async () => {
    const { send, ids } = await given()
    await send('PUT', '/v1/jobs?namespace=prod', { Job: { ...web, Namespace: 'default' } })
    await send('PUT', '/v1/jobs', { Job: { ...web, Namespace: 'qa' } })
    expect(await ids('/v1/jobs?namespace=prod')).toEqual(['web'])
    expect(await ids('/v1/jobs?namespace=qa')).toEqual(['web'])
    expect(await ids('/v1/jobs')).toEqual([])
  })

  it('evaluates no job that only has children', async () => {
    const { send, get } = await given()
    const done = await send('PUT', '/v1/jobs', {
      Job: { ...web, ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' } },
    })
    expect(done.json).toMatchObject({ EvalID: '', EvalCreateIndex: 0, JobModifyIndex: 2 })
    expect((await get('/v1/job/nightly')).json).toMatchObject({ Status: 'running' })
  })

  it('holds to the index its writer believes in', async () => {
    const { send } = await given()
    const register = async (JobModifyIndex: number, Priority: number) => {
      const done = await send('PUT', '/v1/jobs', {
        Job: { ...web, Priority },
        EnforceIndex: true,
        JobModifyIndex,
      })
      return [done.status, done.status === 200 ? '' : done.text]
    }
    expect(await register(9, 50)).toEqual([400, 'Enforcing job modify index 9: job does not exist'])
    expect(await register(0, 50)).toEqual([200, ''])
    expect(await register(0, 60)).toEqual([400, 'Enforcing job modify index 0: job already exists'])
    expect(await register(9, 60)).toEqual([
      400,
      'Enforcing job modify index 9: job exists with conflicting job modify index: 2',
    ])
    expect(await register(2, 60)).toEqual([200, ''])
  })

  const deep = JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`)
  it.each([
    ['no body', undefined, 'Request body is empty'],
    ['an array', [web], 'Request body must be a JSON object'],
    ['no job', {}, 'Job must be specified'],
    ['a job that is none', { Job: 'web' }, 'Job must be specified'],
    ['no ID', { Job: { TaskGroups: [group] } }, "Job ID hasn't been provided"],
    ['a space in the ID', { Job: { ...web, ID: 'a b' } }, 'Job ID contains a space'],
    ['an ID that is too long', { Job: { ...web, ID: 'x'.repeat(2000) } }, 'Job ID is longer than 512 bytes'],
    ['half a character', { Job: { ...web, ID: 'a\ud800' } }, 'Job ID is not valid Unicode'],
    ['no task groups', { Job: { ID: 'web' } }, '1 error occurred:\n\t* Missing job task groups\n\n'],
    ['an unknown type', { Job: { ...web, Type: 'daemon' } }, 'Invalid job type: "daemon"'],
    ['a priority of 101', { Job: { ...web, Priority: 101 } }, 'job priority must be between [1, 100]'],
    ['a wrong type deep down', { Job: { ID: 'web', TaskGroups: [{ Name: 1 }] } }, 'TaskGroups[0].Name:'],
    ['two faults', { Job: { ID: 'a b', TaskGroups: [] } }, 'Job ID contains a space'],
    ['an unknown pool', { Job: { ...web, NodePool: 'gpu' } }, 'job "web" is in nonexistent node pool "gpu"'],
    ['a namespace that cannot be', { Job: { ...web, Namespace: 'a.b' } }, 'Namespace: a namespace has'],
    ['a bad evaluation priority', { Job: web, EvalPriority: 101 }, 'Eval priority must be between 1 and 100'],
    [
      'a bad index',
      { Job: web, EnforceIndex: true, JobModifyIndex: -1 },
      'EnforceIndex must be true or false',
    ],
    ['data nested too deep', { Job: { ...web, Meta: deep } }, 'nested more than 150 levels'],
  ])('is refused with 400 for %s, and changes nothing', async (_what, body, text) => {
    const { send, get } = await given()
    const refused = await send('PUT', '/v1/jobs', body)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
    expect((await get('/v1/jobs?namespace=*')).json).toEqual([])
  })

  it('is refused where path and body disagree', async () => {
    const { send } = await given()
    const refused = await send('PUT', '/v1/job/api', { Job: web })
    expect([refused.status, refused.text]).toEqual([400, 'Job ID does not match name'])
  })

  it.each([
    ['nothing', web, 'eu'],
    ['global', { ...web, Region: 'global' }, 'eu'],
    ['another region', { ...web, Region: 'us' }, 'us'],
  ])('is of the region its cluster is, where it says %s', async (_says, Job, Region) => {
    const { send, get } = await given({ jobs: [Job] }, { region: 'eu' })
    expect((await get('/v1/job/web')).json).toMatchObject({ Region, Version: 0 })
    const plan = await send('PUT', '/v1/job/web/plan', { Job, Diff: true })
    expect(plan.json).toMatchObject({ Diff: { Type: 'None' } })
    await send('PUT', '/v1/jobs', { Job })
    expect((await get('/v1/job/web')).json).toMatchObject({ Region, Version: 0 })
    await send('PUT', '/v1/jobs', { Job: { ...Job, ID: 'api' } })
    expect((await get('/v1/job/api')).json).toMatchObject({ Region })
  })

  it('never changes a type', async () => {
    const { send } = await given()
    await send('PUT', '/v1/jobs', { Job: web })
    const refused = await send('PUT', '/v1/jobs', { Job: { ...web, Type: 'batch' } })
    expect([refused.status, refused.text]).toEqual([400, 'cannot update job from type "service" to "batch"'])
  })

  it('answers mistakes with 500 where such services do', async () => {
    const { send } = await given({}, { errors: 'compat' })
    expect((await send('PUT', '/v1/jobs', { Job: { ID: 'web' } })).status).toBe(500)
  })

  it('wakes queries that wait for the job, and one of two racing writers wins each version', async () => {
    const { send, get } = await given()
    const waiting = get('/v1/job/web?index=1&wait=1m')
    await send('PUT', '/v1/jobs', { Job: web })
    expect((await waiting).json).toMatchObject({ ID: 'web', Version: 0 })
    await Promise.all([1, 2, 3, 4].map((at) => send('PUT', '/v1/jobs', { Job: { ...web, Priority: at } })))
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 4 })
  })
})

describe('stopping a job', () => {
  it('makes it dead, one version later', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', { Job: web })
    const stopped = await send('DELETE', '/v1/job/web')
    expect(stopped.json).toMatchObject({
      EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      JobModifyIndex: 3,
      VolumeEvalID: '',
      VolumeEvalIndex: 0,
    })
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'dead', Stop: true, Version: 1 })
    const evaluations = (await get('/v1/job/web/evaluations')).json as Body[]
    expect(evaluations.map(({ TriggeredBy, Status }) => [TriggeredBy, Status])).toEqual([
      ['job-register', 'canceled'],
      ['job-deregister', 'complete'],
    ])
    expect((await send('PUT', '/v1/jobs', { Job: web })).status).toBe(200)
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'pending', Stop: false, Version: 2 })
  })

  it('stops every allocation, however many there are', async () => {
    const allocations = [...Array(100).keys()].map((at) => ({
      ID: `a${at}`,
      JobID: 'web',
      TaskGroup: 'app',
      NodeID: `n${at}`,
      ClientStatus: 'running',
    }))
    const { send, get } = await given({ jobs: [web], allocations })
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'running' })
    await send('DELETE', '/v1/job/web')
    const rows = (await get('/v1/job/web/allocations')).json as Body[]
    expect(new Set(rows.map(({ DesiredStatus }) => DesiredStatus))).toEqual(new Set(['stop']))
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'dead' })
  })

  it('purges it and everything that belongs to it, and a new one of the name starts over', async () => {
    const allocations = [...Array(40).keys()].map((at) => ({ ID: `a${at}`, JobID: 'web', NodeID: `n${at}` }))
    const { send, get, ids } = await given({
      jobs: [web, { ...web, ID: 'other' }],
      allocations: [...allocations, { ID: 'b', JobID: 'other' }],
      deployments: [{ ID: 'd', JobID: 'web', Status: 'successful' }],
      evaluations: [{ ID: 'e', JobID: 'web', Status: 'pending' }],
    })
    await send('PUT', '/v1/jobs', { Job: { ...web, Priority: 1 } })
    expect((await send('DELETE', '/v1/job/web?purge=true')).status).toBe(200)
    expect((await get('/v1/job/web')).status).toBe(404)
    const missing = await get('/v1/job/web/versions')
    expect([missing.status, missing.text]).toEqual([404, 'job versions not found'])
    expect(await ids('/v1/allocations')).toEqual(['b'])
    expect(await ids('/v1/deployments')).toEqual([])
    expect((await get('/v1/evaluation/e')).json).toMatchObject({
      Status: 'complete',
      StatusDescription: 'job web deleted',
    })
    await send('PUT', '/v1/jobs', { Job: web })
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 0, Status: 'pending' })
  })

  it('changes nothing for an unknown job, as in the original; the method refuses it', async () => {
    const { scheduler, send } = await given({ jobs: [web] })
    const unknown = await send('DELETE', '/v1/job/none')
    expect(unknown.json).toMatchObject({ EvalID: '', JobModifyIndex: 0, Index: unknown.index })
    expect((await send('DELETE', '/v1/job/none?purge=true')).status).toBe(200)
    expect(await scheduler.deregisterJob('none')).toMatchObject({ refusal: { code: 'job_not_found' } })
  })

  it('is refused for values that are not booleans, and wrong priorities', async () => {
    const { send } = await given({ jobs: [web] })
    expect((await send('DELETE', '/v1/job/web?purge=maybe')).status).toBe(400)
    expect((await send('DELETE', '/v1/job/web?eval_priority=900')).status).toBe(400)
    expect((await send('DELETE', '/v1/job/web?eval_priority=high')).status).toBe(400)
    expect((await send('DELETE', '/v1/job/web?eval_priority=0')).status).toBe(200)
  })
})

describe('a job whose ID has slashes', () => {
  it('is found raw and percent-encoded, with any path after it', async () => {
    const { send, get } = await given()
    const Job = { ...web, ID: 'team/web/1' }
    expect((await send('PUT', '/v1/job/team/web/1', { Job })).status).toBe(200)
    for (const path of ['team/web/1', 'team%2Fweb%2F1']) {
      expect((await get(`/v1/job/${path}`)).json).toMatchObject({ ID: 'team/web/1' })
      expect((await get(`/v1/job/${path}/summary`)).json).toMatchObject({ JobID: 'team/web/1' })
      expect((await get(`/v1/job/${path}/versions`)).status).toBe(200)
      expect((await get(`/v1/job/${path}/evaluations`)).json).toHaveLength(1)
      expect((await get(`/v1/job/${path}/allocations`)).json).toEqual([])
      expect((await get(`/v1/job/${path}/deployments`)).json).toEqual([])
      expect((await get(`/v1/job/${path}/deployment`)).json).toBeNull()
    }
    expect((await get('/v1/job/team/none')).status).toBe(404)
    expect((await send('DELETE', '/v1/job/team/web/1')).status).toBe(200)
    expect((await get('/v1/job/team/web/1')).json).toMatchObject({ Status: 'dead' })
  })
})

describe('permissions to write jobs', () => {
  const acl = {
    policies: [
      { Name: 'reader', Rules: 'namespace "default" { policy = "read" }' },
      { Name: 'writer', Rules: 'namespace "default" { policy = "write" }' },
    ],
    tokens: [
      { SecretID: 'r', Type: 'client', Policies: ['reader'] },
      { SecretID: 'w', Type: 'client', Policies: ['writer'] },
    ],
  }
  it.each([
    ['PUT', '/v1/jobs', { Job: web }],
    ['DELETE', '/v1/job/web', undefined],
  ])('%s %s asks for submit-job, before anything else is looked at', async (method, path, body) => {
    const { send } = await given({ ...acl, jobs: [web] }, { acl: true })
    const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })
    expect((await send(method, path, body, as('w'))).status).toBe(200)
    for (const init of [as('r'), {}]) {
      const refused = await send(method, path, body, init)
      expect([refused.status, refused.text]).toEqual([403, 'Permission denied'])
    }
    expect((await send('PUT', '/v1/jobs', { Job: { ID: 'a b' } }, as('r'))).status).toBe(403)
  })
})
