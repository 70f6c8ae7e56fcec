import { describe, expect, it } from 'vitest'
import { createScheduler, NodeRecord, type SchedulerEvent } from '../../../src/scheduler/index.ts'
import { memoryStore, type Store } from '../../../src/store/index.ts'
import { given, type Harness } from '../harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const node = (ID: string, over: object = {}) => NodeRecord.parse({ ID, NodeResources: room, ...over })
const job = (ID: string, over: object = {}, group: object = {}) => ({
  ID,
  TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 't' }], ...group }],
  ...over,
})
const placing = { place: true, simulate: true }
const minute = 60_000
const hour = 60 * minute
interface Row {
  readonly ID: string
  readonly JobID: string
  readonly ClientStatus: string
  readonly DesiredStatus: string
}

const rows = async ({ get }: Harness, what: string) => (await get(`/v1/${what}`)).json as Row[]
const collect = async ({ send, scheduler }: Harness) => {
  await scheduler.settled()
  const done = await send('PUT', '/v1/system/gc')
  expect([done.status, done.text]).toEqual([200, ''])
}

describe('collecting what is over', () => {
  it('removes a stopped job with everything that belonged to it', async () => {
    const events: SchedulerEvent[] = []
    const harness = await given(
      { nodes: [node('n1')] },
      { ...placing, onEvent: (event) => events.push(event) },
    )
    await harness.send('PUT', '/v1/jobs', { Job: job('web') })
    await harness.send('PUT', '/v1/jobs', { Job: job('api') })
    await harness.scheduler.settled()
    await harness.send('DELETE', '/v1/job/web')
    await collect(harness)
    expect((await rows(harness, 'jobs')).map(({ ID }) => ID)).toEqual(['api'])
    for (const kind of ['evaluations', 'allocations', 'deployments'])
      expect(new Set((await rows(harness, kind)).map(({ JobID }) => JobID))).toEqual(new Set(['api']))
    expect((await harness.get('/v1/job/web')).status).toBe(404)
    expect(events.at(-1)).toEqual({
      at: harness.clock.now(),
      type: 'garbage.collected',
      jobs: 1,
      evaluations: 2,
      allocations: 2,
      deployments: 1,
      nodes: 0,
      tokens: 0,
    })
  })

  it('leaves alone what runs, and what the next decision rests on', async () => {
    const harness = await given({ nodes: [node('n1')] }, placing)
    await harness.send('PUT', '/v1/jobs', { Job: job('web') })
    await harness.scheduler.settled()
    const all = async () => [await rows(harness, 'allocations'), await rows(harness, 'deployments')]
    const before = await all()
    await collect(harness)
    expect(await all()).toEqual(before)
    expect(await rows(harness, 'evaluations')).toHaveLength(1)
    expect((await harness.get('/v1/job/web')).json).toMatchObject({ Status: 'running' })
    const { index } = await harness.get('/v1/jobs')
    await collect(harness)
    expect((await harness.get('/v1/jobs')).index).toBe(index)
  })

  it('removes what earlier versions left behind', async () => {
    const harness = await given({ nodes: [node('n1')] }, placing)
    for (const Priority of [50, 60, 70]) {
      await harness.send('PUT', '/v1/jobs', { Job: job('web', { Priority, Meta: { p: String(Priority) } }) })
      await harness.scheduler.settled()
    }
    await collect(harness)
    expect(await rows(harness, 'evaluations')).toHaveLength(1)
    expect(await rows(harness, 'deployments')).toHaveLength(1)
    expect((await rows(harness, 'allocations')).map(({ DesiredStatus }) => DesiredStatus)).toEqual([
      'run',
      'run',
    ])
    expect((await harness.get('/v1/job/web/versions')).json).toMatchObject({
      Versions: [{ Version: 2 }, { Version: 1 }, { Version: 0 }],
    })
  })

  it('removes batch jobs that are done, and not what a batch job has done of more', async () => {
    const harness = await given({ nodes: [node('n1')] }, { place: true })
    for (const id of ['done', 'half'])
      await harness.send('PUT', '/v1/jobs', { Job: job(id, { Type: 'batch' }) })
    await harness.scheduler.settled()
    for (const { ID, JobID } of await rows(harness, 'allocations'))
      if (JobID === 'done') await harness.scheduler.updateAllocations([{ ID, ClientStatus: 'complete' }])
    const [first] = await rows(harness, 'job/half/allocations')
    await harness.scheduler.updateAllocations([{ ID: first?.ID ?? '', ClientStatus: 'complete' }])
    await collect(harness)
    expect((await rows(harness, 'jobs')).map(({ ID }) => ID)).toEqual(['half'])
    await harness.send('PUT', '/v1/job/half/evaluate')
    await harness.scheduler.settled()
    expect(await rows(harness, 'job/half/allocations')).toHaveLength(2)
  })

  it('removes the children of a periodic job, and the parent counts those that are left', async () => {
    const harness = await given({ nodes: [node('n1')] }, { place: true })
    const parent = job('nightly', { Type: 'batch', Periodic: { Spec: '0 * * * *' } }, { Count: 1 })
    await harness.send('PUT', '/v1/jobs', { Job: parent })
    await harness.clock.advance(2 * hour)
    await harness.scheduler.settled()
    const children = await rows(harness, 'jobs?prefix=nightly/')
    expect(children).toHaveLength(2)
    const [first] = await rows(harness, `job/${encodeURIComponent(children[0]?.ID ?? '')}/allocations`)
    await harness.scheduler.updateAllocations([{ ID: first?.ID ?? '', ClientStatus: 'complete' }])
    await collect(harness)
    expect((await rows(harness, 'jobs')).map(({ ID }) => ID)).toEqual(['nightly', children[1]?.ID])
    expect((await harness.get('/v1/job/nightly/summary')).json).toMatchObject({
      Children: { Pending: 0, Running: 1, Dead: 0 },
    })
  })

  it('removes a stopped parent only after its children', async () => {
    const harness = await given({ nodes: [node('n1')] }, { place: true })
    const mail = job('mail', { Type: 'batch', ParameterizedJob: {} }, { Count: 1 })
    await harness.send('PUT', '/v1/jobs', { Job: mail })
    await harness.send('PUT', '/v1/job/mail/dispatch', {})
    await harness.scheduler.settled()
    await harness.send('DELETE', '/v1/job/mail')
    await collect(harness)
    expect(await rows(harness, 'jobs')).toHaveLength(2)
    const [work] = await rows(harness, 'allocations')
    await harness.scheduler.updateAllocations([{ ID: work?.ID ?? '', ClientStatus: 'complete' }])
    await collect(harness)
    expect(await rows(harness, 'jobs')).toEqual([])
    expect(await rows(harness, 'evaluations')).toEqual([])
  })

  it('keeps a failure that holds its place, and what led to it', async () => {
    const harness = await given({ nodes: [node('n1')] }, { place: true })
    const policy = {
      Attempts: 1,
      Interval: 24 * hour * 1e6,
      Delay: 5e9,
      DelayFunction: 'constant',
      Unlimited: false,
    }
    await harness.send('PUT', '/v1/jobs', {
      Job: job('web', { Update: null }, { Count: 1, ReschedulePolicy: policy }),
    })
    const fail = async () => {
      await harness.scheduler.settled()
      const live = (await rows(harness, 'allocations')).find(({ ClientStatus }) => ClientStatus === 'pending')
      if (live) await harness.scheduler.updateAllocations([{ ID: live.ID, ClientStatus: 'failed' }])
      await harness.clock.advance(minute)
      await harness.scheduler.settled()
    }
    await fail()
    await fail()
    expect(await rows(harness, 'allocations')).toHaveLength(2)
    await collect(harness)
    expect(await rows(harness, 'allocations')).toHaveLength(2)
    await harness.send('PUT', '/v1/job/web/evaluate')
    await harness.scheduler.settled()
    expect(await rows(harness, 'allocations')).toHaveLength(2)
  })

  it('removes nodes that are down and empty', async () => {
    const harness = await given({ nodes: [node('up'), node('down', { Status: 'down' })] })
    await collect(harness)
    expect((await rows(harness, 'nodes')).map(({ ID }) => ID)).toEqual(['up'])
  })

  it('removes what a purge left: evaluations of jobs that are gone', async () => {
    const harness = await given({ nodes: [node('n1')] }, placing)
    await harness.send('PUT', '/v1/jobs', { Job: job('web') })
    await harness.scheduler.settled()
    await harness.send('DELETE', '/v1/job/web?purge=true')
    expect((await rows(harness, 'evaluations')).length).toBeGreaterThan(0)
    await collect(harness)
    expect(await rows(harness, 'evaluations')).toEqual([])
  })

  it('removes more than one commit can', async () => {
    const evaluations = Array.from({ length: 100 }, (_, at) => ({
      ID: `e${at}`,
      JobID: 'web',
      Status: 'complete',
    }))
    const harness = await given({ jobs: [job('web')], evaluations })
    await collect(harness)
    expect((await rows(harness, 'evaluations')).map(({ ID }) => ID)).toEqual(['e99'])
  })

  it('keeps nothing of jobs, nodes, pools and namespaces that came and went, not even the marks of their lists', async () => {
    const store = memoryStore()
    const harness = await given({}, { ...placing, store })
    const { send, scheduler } = harness
    const comeAndGo = async (at: number) => {
      await send('PUT', '/v1/node/pools', { Name: `pool-${at}` })
      await scheduler.registerNode({ ID: `n${at}`, NodePool: `pool-${at}`, NodeResources: room })
      const [NodePool, Namespace] = [`pool-${at}`, `space-${at}`]
      const one = { Type: 'batch', ParameterizedJob: {}, NodePool, Namespace }
      await send('PUT', '/v1/jobs', { Job: job('mail', one) })
      await send('PUT', `/v1/job/mail/dispatch?namespace=${Namespace}`, {})
      for (const Priority of [50, 60])
        await send('PUT', '/v1/jobs', { Job: job('web', { Priority, NodePool, Namespace }) })
      await scheduler.settled()
      const jobs = (await rows(harness, `jobs?namespace=${Namespace}`)).map(({ ID }) => ID)
      expect(jobs).toHaveLength(3)
      for (const id of jobs)
        await send('DELETE', `/v1/job/${encodeURIComponent(id)}?namespace=${Namespace}&purge=true`)
      await send('PUT', `/v1/node/n${at}/purge`)
      await send('DELETE', `/v1/node/pool/pool-${at}`)
      await collect(harness)
      return store.snapshot().scan({ prefix: '' })
    }
    const once = await comeAndGo(1)
    expect((await comeAndGo(2)).map(({ key }) => key)).toEqual(once.map(({ key }) => key))
    // A list of what is gone has no lower index than it had, and waits for what comes.
    const asked = '/v1/job/web/allocations?namespace=space-1'
    const { index } = await harness.get(asked)
    expect(index).toBe(store.snapshot().rev)
    const waiting = harness.get(`${asked}&index=${index}`)
    await scheduler.registerNode({ ID: 'n3', NodeResources: room })
    await send('PUT', '/v1/jobs', { Job: job('web', { Namespace: 'space-1' }) })
    expect((await waiting).json).toHaveLength(2)
  })

  it('removes tokens that have expired', async () => {
    const harness = await given({}, { managementToken: 'boss' })
    const asBoss = { headers: { 'X-Scheduler-Token': 'boss' } }
    const token = { Type: 'management', ExpirationTTL: '10m' }
    for (const ExpirationTTL of ['10m', '8h'])
      await harness.send('PUT', '/v1/acl/token', { ...token, ExpirationTTL }, asBoss)
    await harness.clock.advance(hour)
    await harness.send('PUT', '/v1/system/gc', undefined, asBoss)
    expect((await harness.get('/v1/acl/tokens', asBoss)).json).toHaveLength(1)
  })

  it('is for management alone, and no read', async () => {
    const harness = await given({}, { acl: true })
    for (const path of ['/v1/system/gc', '/v1/system/reconcile/summaries'])
      expect((await harness.send('PUT', path)).status).toBe(403)
    expect((await harness.get('/v1/system/gc')).status).toBe(405)
  })
})

describe('a scheduler that collects by itself', () => {
  it('removes a job that has been dead for four hours, and not before', async () => {
    const harness = await given({ nodes: [node('n1')] }, { ...placing, collect: true })
    await harness.send('PUT', '/v1/jobs', { Job: job('web') })
    await harness.scheduler.settled()
    await harness.send('DELETE', '/v1/job/web')
    const jobsAfter = async (ms: number) => {
      await harness.clock.advance(ms)
      await harness.scheduler.settled()
      return rows(harness, 'jobs')
    }
    expect(await jobsAfter(4 * hour)).toHaveLength(1)
    // It had been seen dead for the first time five minutes after it died.
    expect(await jobsAfter(5 * minute)).toHaveLength(0)
    await harness.scheduler.close()
  })
  it('uses the configured ages', async () => {
    const collect = { everyMs: 1000, jobsMs: 5000, evaluationsMs: 5000 }
    const harness = await given({}, { collect })
    await harness.send('PUT', '/v1/jobs', { Job: job('web') })
    await harness.send('DELETE', '/v1/job/web')
    await harness.clock.advance(5000)
    await harness.scheduler.settled()
    expect(await rows(harness, 'jobs')).toHaveLength(1)
    await harness.clock.advance(2000)
    await harness.scheduler.settled()
    expect(await rows(harness, 'jobs')).toHaveLength(0)
    await harness.scheduler.close()
  })
  it('leaves what was there when it opened until it has been dead for so long under its eyes', async () => {
    const old = { ID: 'old', Stop: true, TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }] }
    const harness = await given({ jobs: [old] }, { collect: true })
    await rows(harness, 'jobs')
    await harness.clock.advance(3 * hour)
    await harness.scheduler.settled()
    expect(await rows(harness, 'jobs')).toHaveLength(1)
    await harness.clock.advance(hour + 5 * minute)
    await harness.scheduler.settled()
    expect(await rows(harness, 'jobs')).toHaveLength(0)
    await harness.scheduler.close()
  })
  it('collects nothing by itself where it is told so', async () => {
    const harness = await given({}, { collect: false })
    await harness.send('PUT', '/v1/jobs', { Job: job('web') })
    await harness.send('DELETE', '/v1/job/web')
    await harness.clock.advance(1000 * hour)
    await harness.scheduler.settled()
    expect(await rows(harness, 'jobs')).toHaveLength(1)
  })
  it('asks the store no more often where more jobs run that have nothing to collect', async () => {
    const questions = async (count: number) => {
      let asked = 0
      const { snapshot: _, onCommit: __, ...kept } = memoryStore()
      const store: Store = {
        ...kept,
        changes: (since) => {
          asked += 1
          return kept.changes(since)
        },
      }
      const ids = Array.from({ length: count }, (_, at) => `j${at}`)
      const evaluations = ids.map((JobID) => ({ ID: `of-${JobID}`, JobID, Status: 'complete' }))
      const { scheduler } = await given({ jobs: ids.map((ID) => job(ID)), evaluations }, { store })
      await scheduler.listJobs()
      asked = 0
      expect(await scheduler.collectGarbage()).toMatchObject({ ok: true, value: { evaluations: 0 } })
      await scheduler.close()
      return asked
    }
    expect(await questions(40)).toBe(await questions(4))
  })
  it('does it together with others, each thing once', async () => {
    const store = memoryStore()
    const servers = [1, 2].map(() => createScheduler({ store }))
    const [one, other] = servers
    if (one === undefined || other === undefined) throw new Error('two servers')
    for (const id of ['a', 'b', 'c', 'd']) {
      const spec = { Job: job(id) }
      await one.fetch(new Request('http://x/v1/jobs', { method: 'PUT', body: JSON.stringify(spec) }))
      await other.deregisterJob(id)
    }
    const done = await Promise.all(servers.map((each) => each.collectGarbage()))
    const jobs = done.map((each) => (each.ok ? each.value.jobs : 0))
    expect(jobs.reduce((sum, each) => sum + each, 0)).toBe(4)
    const left = await one.listEvaluations()
    expect(left.ok && left.value).toEqual([])
    for (const each of servers) await each.close()
  })
})

describe('checking summaries', () => {
  it('finds those that a load file got wrong, and changes nothing', async () => {
    const wrong = { ...job('wrong'), JobSummary: { Summary: { app: { Running: 7 } } } }
    const harness = await given({ jobs: [job('right'), wrong] })
    const { index } = await harness.get('/v1/jobs')
    const checked = await harness.send('PUT', '/v1/system/reconcile/summaries')
    expect([checked.status, checked.json]).toEqual([
      200,
      { Checked: 2, Differing: [{ Namespace: 'default', JobID: 'wrong' }] },
    ])
    expect((await harness.get('/v1/jobs')).index).toBe(index)
  })
})
