import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/index.ts'
import { JobSpec, NodeRecord } from '../../src/scheduler/index.ts'
import { given } from './harness.ts'

const node = NodeRecord.parse({ ID: 'n1' })
const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }] })
const nested = (levels: number): object =>
  levels === 0 ? {} : { ID: 'web', Multiregion: nested(levels - 1) }
const cycle: Record<string, unknown> = { ID: 'web' }
cycle['Multiregion'] = cycle

describe('a method called without a compiler', () => {
  it.each([
    [
      'registerJob',
      [{ ...job, Prioritty: 70 }],
      'job.Prioritty: there is no such field; did you mean Priority?',
    ],
    [
      'registerJob',
      [{ ID: 'web', priority: 70 }],
      'job.priority: there is no such field; did you mean Priority?',
    ],
    ['registerJob', [{ Id: 'web' }], 'job.Id: there is no such field; did you mean ID?'],
    [
      'planJob',
      [{ ID: 'web', TaskGroups: [{ Name: 'app', Cuont: 2 }] }],
      'job.TaskGroups.0.Cuont: there is no such field; did you mean Count?',
    ],
    ['upsertPool', [{ Name: 'gpu', Labels: ['a'] }], 'pool.Labels: there is no such field'],
    ['registerNode', [{}], 'node.ID: expected string, received undefined'],
    ['registerNode', [], 'node: expected object, received undefined'],
    ['registerNode', [{ ...node, Attributes: 7 }], 'node.Attributes: expected record, received number'],
    ['registerNode', [{ ...node, Status: 'odd' }], 'node.Status: '],
    ['registerJob', [{}], 'job.ID: expected string, received undefined'],
    ['registerJob', [nested(200)], 'job: nested more than 150 levels deep'],
    ['registerJob', [cycle], 'job: nested more than 150 levels deep'],
    ['registerJob', [{ ...job, Priority: 500 }], 'job.Priority: '],
    ['planJob', [{ ID: 'web', Meta: { team: 1 } }], 'job.Meta.team: expected string, received number'],
    ['validateJob', [{ ID: 'web', TaskGroups: {} }], 'job.TaskGroups: expected array, received object'],
    ['upsertPolicy', [{ Name: 'dev', Rules: 1 }], 'policy.Rules: expected string, received number'],
    ['writeToken', [undefined, { Policies: 'dev' }], 'write.Policies: expected array, received string'],
    ['writeSchedulerConfiguration', [{ PreemptionConfig: 1 }], 'config.PreemptionConfig: expected object'],
    ['registerJob', [{ ...job, ID: 5 }], 'job.ID: expected string, received number'],
    ['registerJob', [{ ...job, TaskGroups: [{}] }], 'job.TaskGroups.0.Name: expected string'],
    ['registerJob', [job, { enforceIndex: '0' }], 'call.enforceIndex: expected number, received string'],
    ['upsertPool', [{}], 'pool.Name: expected string, received undefined'],
    ['readNode', [], 'id: expected string, received undefined'],
    ['listJobs', [null], 'call: expected object, received null'],
    ['listJobs', [{ filter: 5 }], 'call.filter: expected string, received number'],
    ['listJobs', [{ token: null }], 'call.token: expected string, received null'],
    ['listJobs', [{ per_page: 5 }], 'call.per_page: unknown option; did you mean perPage?'],
    ['listJobs', [{ limit: 5 }], 'call.limit: unknown option'],
    ['readJob', ['web', { tokn: 's' }], 'call.tokn: unknown option; did you mean token?'],
    ['listJobs', [{ perPage: -1 }], 'call.perPage: expected a whole number, 0 or more'],
    ['listJobs', [{ perPage: 1.5 }], 'call.perPage: expected a whole number, 0 or more'],
    ['listJobs', [{ index: -1 }], 'call.index: expected a whole number, 0 or more'],
    ['listJobs', [{ index: 7, waitMs: Number('5m') }], 'call.waitMs: expected a number, received NaN'],
    ['listJobs', [{ index: 7, signal: {} }], 'call.signal: expected an AbortSignal'],
    ['registerJob', [job, { enforceIndex: -1 }], 'call.enforceIndex: expected a whole number, 0 or more'],
    ['search', ['web', { context: 'job' }], 'call.context: Invalid option: expected one of "jobs"'],
    ['mayInNamespace', ['default', 'submit'], 'capability: Invalid option: expected one of'],
    ['drainNode', ['n1', {}], 'input.spec: expected object, received undefined'],
    [
      'scaleJob',
      ['web', { group: 'app', Count: 3 }],
      'input.Count: there is no such field; did you mean count?',
    ],
    [
      'promoteDeployment',
      ['d1', { Groups: ['app'] }],
      'input.Groups: there is no such field; did you mean groups?',
    ],
    ['drainNode', ['n1', { spec: null, eligible: true }], 'input.eligible: there is no such field'],
    [
      'drainNode',
      ['n1', { spec: { Deadline: 1 } }],
      'input.spec.Deadline: there is no such field; did you mean deadline?',
    ],
    ['setNodeEligibility', ['n1', 'odd'], 'eligibility: '],
    ['updateAllocations', [[{}]], 'updates.0.ID: expected string, received undefined'],
    ['revertJob', ['web'], 'input: expected object, received undefined'],
  ] as const)('%s%j rejects with what is wrong', async (name, args, text) => {
    const { scheduler } = await given()
    const method: unknown = scheduler[name]
    if (typeof method !== 'function') throw new Error(`${name} is no method`)
    const answer: unknown = Reflect.apply(method, undefined, args)
    await expect(answer).rejects.toThrow(TypeError)
    await expect(answer).rejects.toThrow(`${name}: ${text}`)
    expect((await scheduler.listNodes()).ok).toBe(true)
  })
})

describe('what was read', () => {
  it('may be given back, its other fields and what asks for nothing included', async () => {
    const { scheduler } = await given()
    await scheduler.registerJob(job)
    await scheduler.registerNode(node)
    await scheduler.upsertPool({ Name: 'gpu' })
    const jobRead = unwrap(await scheduler.readJob('web'))
    const nodeRead = unwrap(await scheduler.readNode('n1'))
    const poolRead = unwrap(await scheduler.readPool('gpu'))
    const blanks = {
      Unknown: null,
      Others: [],
      More: {},
      Text: '',
      Flag: false,
      Number: 0,
      Absent: undefined,
    }
    expect(await scheduler.registerJob({ ...jobRead, ...blanks })).toMatchObject({ ok: true })
    expect(await scheduler.registerNode({ ...nodeRead, ...blanks })).toMatchObject({ ok: true })
    expect(await scheduler.upsertPool({ ...poolRead, ...blanks })).toMatchObject({ ok: true })
    const config = unwrap(await scheduler.readSchedulerConfiguration())
    expect(await scheduler.writeSchedulerConfiguration(config)).toMatchObject({ ok: true })
  })
})

describe('what a person writes', () => {
  const written = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }] }
  const call = { token: 'keep-me' }

  it('is registered as a job with every default', async () => {
    const [short, long] = [await given(), await given()]
    await short.scheduler.registerJob(written)
    await long.scheduler.registerJob(JobSpec.parse(written))
    expect(await short.scheduler.readJob('web')).toEqual(await long.scheduler.readJob('web'))
  })

  it('may leave out fields at any depth of what is else whole', async () => {
    const { scheduler } = await given()
    const [group] = job.TaskGroups
    await scheduler.registerJob({
      ...job,
      TaskGroups: [{ ...group, Name: 'app', Tasks: [{ Name: 't', Resources: { CPU: 7 } }] }],
    })
    const found = await scheduler.readJob('web')
    expect(found).toMatchObject({
      value: { TaskGroups: [{ Tasks: [{ Resources: { CPU: 7, MemoryMB: 300 } }] }] },
    })
  })

  it('stays its own: it is neither changed nor frozen', async () => {
    const { scheduler } = await given()
    const mine = structuredClone(written)
    await scheduler.registerJob(mine)
    expect(mine).toEqual(written)
    expect(Object.isFrozen(mine.TaskGroups[0])).toBe(false)
  })

  it('is what it was when the method was called', async () => {
    const { scheduler } = await given()
    const mine = { ...written, Priority: 10 }
    const registered = scheduler.registerJob(mine)
    mine.Priority = 20
    await registered
    expect(await scheduler.readJob('web')).toMatchObject({ value: { Priority: 10 } })
    await scheduler.registerJob(mine)
    expect(await scheduler.readJob('web')).toMatchObject({ value: { Priority: 20, Version: 1 } })
  })

  it('is the same job when it was read before: indexes and status are not part of what is specified', async () => {
    const { scheduler } = await given()
    await scheduler.registerJob(written)
    const found = await scheduler.readJob('web')
    if (!found.ok) throw new Error(found.refusal.message)
    await scheduler.registerJob(found.value)
    expect(await scheduler.readJob('web')).toMatchObject({ value: { Version: 0 } })
  })

  it('is planned and judged alike', async () => {
    const { scheduler } = await given()
    expect(await scheduler.planJob(written)).toMatchObject({ ok: true, value: { JobModifyIndex: 0 } })
    expect(await scheduler.validateJob(written)).toMatchObject({ ok: true, value: { ValidationErrors: [] } })
  })

  it('is registered as a node', async () => {
    const { scheduler } = await given()
    await scheduler.registerNode({ ID: 'n1', NodeResources: { Cpu: { CpuShares: 500 } } })
    expect(await scheduler.readNode('n1')).toMatchObject({
      value: {
        ...node,
        NodeResources: { Cpu: { CpuShares: 500, TotalCpuCores: 0 } },
        StatusUpdatedAt: expect.any(Number),
      },
    })
  })

  it('is kept as a policy, a token and a configuration', async () => {
    const { scheduler } = await given({}, { managementToken: 'keep-me' })
    await scheduler.upsertPolicy({ Name: 'dev', Rules: 'node { policy = "read" }' }, call)
    expect(await scheduler.readPolicy('dev', call)).toMatchObject({ value: { Description: '' } })
    const token = await scheduler.writeToken(undefined, { Type: 'client', Policies: ['dev'] }, call)
    expect(token).toMatchObject({ ok: true, value: { Name: '', Global: false } })
    await scheduler.writeSchedulerConfiguration({ PreemptionConfig: { BatchSchedulerEnabled: true } }, call)
    expect(await scheduler.readSchedulerConfiguration(call)).toMatchObject({
      value: { PreemptionConfig: { BatchSchedulerEnabled: true, SystemSchedulerEnabled: false } },
    })
  })
})
