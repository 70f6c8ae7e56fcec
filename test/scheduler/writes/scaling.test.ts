import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const nodes = [{ ID: 'n1', NodeResources: { Cpu: { CpuShares: 9000 }, Memory: { MemoryMB: 90_000 } } }]
const job = (group: object = {}, over: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 't' }], ...group }],
  ...over,
})
const scale = (Count?: number | null, over: object = {}) => ({ Target: { Group: 'app' }, Count, ...over })

describe('scaling a task group', () => {
  it('is a next version that differs in nothing but the count', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true, simulate: true })
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.settled()
    const scaled = await send('POST', '/v1/job/web/scale', scale(4, { Message: 'more', Meta: { by: 'me' } }))
    expect(scaled.status).toBe(200)
    const { EvalID, JobModifyIndex } = scaled.json as Record<string, string>
    await scheduler.settled()
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 1, TaskGroups: [{ Count: 4 }] })
    expect((await get(`/v1/evaluation/${EvalID}`)).json).toMatchObject({ TriggeredBy: 'job-scaling' })
    expect((await get('/v1/job/web/summary')).json).toMatchObject({ Summary: { app: { Running: 4 } } })
    const status = await get('/v1/job/web/scale')
    expect(status.json).toMatchObject({
      JobID: 'web',
      Namespace: 'default',
      JobModifyIndex,
      JobStopped: false,
      TaskGroups: {
        app: {
          Desired: 4,
          Placed: 4,
          Running: 4,
          Events: [
            {
              Count: 4,
              PreviousCount: 2,
              Message: 'more',
              Error: false,
              Meta: { by: 'me' },
              EvalID,
              CreateIndex: JobModifyIndex,
            },
          ],
        },
      },
    })
    expect(status.index).toBeGreaterThan(Number(JobModifyIndex))
  })

  it('to what it has writes no version', async () => {
    const { send, get } = await given({ jobs: [job()] })
    expect((await send('PUT', '/v1/job/web/scale', scale(2))).status).toBe(200)
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 0 })
  })

  it('keeps notes, the last twenty, without a count too', async () => {
    const { send, get } = await given({ jobs: [job()] })
    await send('PUT', '/v1/job/web/scale', scale(3))
    for (let note = 0; note < 25; note += 1)
      await send('PUT', '/v1/job/web/scale', scale(null, { Error: true, Message: `note ${note}` }))
    const { TaskGroups } = (await get('/v1/job/web/scale')).json as {
      TaskGroups: { app: { Events: { Message: string; CreateIndex: number }[] } }
    }
    const { Events } = TaskGroups.app
    expect([Events.length, Events[0]?.Message, Events.at(-1)?.Message]).toEqual([20, 'note 24', 'note 5'])
    const indexes = Events.map(({ CreateIndex }) => CreateIndex)
    expect(indexes).toEqual([...indexes].sort((a, b) => b - a))
    expect(new Set(indexes).size).toBe(20)
    await send('DELETE', '/v1/job/web?purge=true')
    await send('PUT', '/v1/jobs', { Job: job() })
    expect((await get('/v1/job/web/scale')).json).toMatchObject({ TaskGroups: { app: { Events: [] } } })
  })

  it.each([
    ['/v1/job/none/scale', scale(1), 404, 'job not found'],
    ['/v1/job//scale', scale(1), 404, 'job not found'],
    ['/v1/job/web/scale', undefined, 400, 'Request body is empty'],
    ['/v1/job/web/scale', [], 400, 'Request body must be a JSON object'],
    ['/v1/job/web/scale', { Count: 1 }, 400, 'missing task group name for scaling action'],
    ['/v1/job/web/scale', { Count: 1, Target: 'app' }, 400, 'invalid scaling: Target:'],
    [
      '/v1/job/web/scale',
      { Count: 1, Target: { Group: 'db' } },
      400,
      'task group "db" specified for scaling does not exist in job',
    ],
    [
      '/v1/job/web/scale',
      { Count: 1, Target: { Group: '__proto__' } },
      400,
      'task group "__proto__" specified for scaling does not exist in job',
    ],
    ['/v1/job/web/scale', scale(-1), 400, "scaling action count can't be negative"],
    ['/v1/job/web/scale', scale(1.5), 400, 'invalid scaling: Count:'],
    ['/v1/job/web/scale', scale(3e9), 400, 'a whole number up to 2147483647'],
    ['/v1/job/web/scale', scale(1e300), 400, 'invalid scaling: Count:'],
    ['/v1/job/web/scale', scale(9), 400, 'greater than scaling policy maximum: 9 > 5'],
    ['/v1/job/web/scale', scale(0), 400, 'less than scaling policy minimum: 0 < 1'],
    ['/v1/job/web/scale', scale(3, { Error: true }), 400, 'should not contain count if error is true'],
    ['/v1/job/web/scale', scale(3, { JobModifyIndex: 99 }), 400, 'Enforcing job modify index 99'],
    [
      '/v1/job/web/scale',
      { Count: 1, Target: { Job: 'x', Group: 'app' } },
      400,
      'job ID in payload did not match URL',
    ],
    ['/v1/job/agent/scale', { Count: 2, Target: { Group: 'app' } }, 400, 'can only be scaled to 1 or 0'],
  ])('%s with %j is %i: %s', async (path, body, status, text) => {
    const { send } = await given({
      jobs: [
        job({ Scaling: { Min: 1, Max: 5 } }),
        { ID: 'agent', Type: 'system', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }] },
      ],
    })
    const refused = await send('PUT', path, body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(text)])
  })

  it('waits for the deployment under way', async () => {
    const { send, scheduler } = await given({ nodes }, { place: true })
    await send('PUT', '/v1/jobs', { Job: job({}, { Update: {} }) })
    await scheduler.settled()
    const refused = await send('PUT', '/v1/job/web/scale', scale(3))
    expect([refused.status, refused.text]).toEqual([400, 'job scaling blocked due to active deployment'])
  })

  it('requires the right to scale, and reading requires the right to read scaling', async () => {
    const { send, get } = await given(
      {
        jobs: [job()],
        policies: [{ Name: 's', Rules: 'namespace "default" { policy = "scale" }' }],
        tokens: [{ SecretID: 's', Type: 'client', Policies: ['s'] }],
      },
      { acl: true },
    )
    const init = { headers: { 'X-Scheduler-Token': 's' } }
    expect((await send('PUT', '/v1/job/web/scale', scale(3), init)).status).toBe(200)
    expect((await get('/v1/job/web/scale', init)).status).toBe(200)
    expect((await get('/v1/job/web', init)).status).toBe(403)
    expect((await send('PUT', '/v1/job/web/scale', scale(3))).status).toBe(403)
    expect((await get('/v1/job/web/scale')).status).toBe(403)
  })
})

describe('how a job is scaled', () => {
  it('wakes blocking queries on it', async () => {
    const { send, get, scheduler } = await given({ jobs: [job()] })
    const { index } = await get('/v1/job/web/scale')
    const waiting = get(`/v1/job/web/scale?index=${index}`)
    await expect.poll(() => scheduler.waiting()).toBe(1)
    await send('PUT', '/v1/job/web/scale', scale(3))
    expect((await waiting).json).toMatchObject({ TaskGroups: { app: { Desired: 3 } } })
    expect((await get('/v1/job/none/scale')).status).toBe(404)
  })
})
