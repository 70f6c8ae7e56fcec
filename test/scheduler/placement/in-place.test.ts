import { describe, expect, it } from 'vitest'
import { JobSpec, sameTasks } from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 90_000 } }
const nodes = ['n1', 'n2'].map((ID) => ({ ID, Name: ID, NodeResources: room, Datacenter: `dc-${ID}` }))
const task = { Name: 't', Resources: { CPU: 200 } }
const job = (over: object = {}, group: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count: 3, Tasks: [task], ...group }],
  ...over,
})
interface Row {
  readonly ID: string
  readonly Name: string
  readonly NodeID: string
  readonly JobVersion: number
  readonly DesiredStatus: string
  readonly DeploymentID: string
}

/** A cluster that runs a first version, and what runs after each further one. */
async function running(first: object = job(), options: object = { place: true, simulate: true }) {
  const harness = await given({ nodes }, options)
  const live = async () => {
    await harness.scheduler.settled()
    const rows = (await harness.get('/v1/job/web/allocations')).json as Row[]
    return rows.filter(({ DesiredStatus }) => DesiredStatus === 'run')
  }
  const register = async (Job: object) => {
    const sent = await harness.send('PUT', '/v1/jobs', { Job })
    expect([sent.status, sent.text]).toEqual([200, expect.any(String)])
    return live()
  }
  return { ...harness, live, register, before: await register(first) }
}
const ids = (rows: readonly Row[]) => rows.map(({ ID }) => ID).sort()

describe('a version that runs the same tasks', () => {
  it.each([
    ['another priority', job({ Priority: 70 })],
    ['another strategy', job({ Update: { MaxParallel: 2, Canary: 1 } })],
    ['another policy', job({}, { ReschedulePolicy: { Attempts: 2, Interval: 60e9, Unlimited: false } })],
    ['other services', job({}, { Tasks: [{ ...task, Services: [{ Name: 'http' }] }] })],
    ['constraints that its nodes meet', job({ Constraints: [{ LTarget: 'a', RTarget: 'a', Operand: '=' }] })],
  ])('takes over what runs: %s', async (_what, next) => {
    const { before, register, get } = await running()
    const after = await register(next)
    expect(ids(after)).toEqual(ids(before))
    expect(after.map(({ JobVersion }) => JobVersion)).toEqual([1, 1, 1])
    expect((await get('/v1/job/web/deployment')).json).toMatchObject({
      Status: 'successful',
      JobVersion: 1,
      TaskGroups: { app: { DesiredCanaries: 0, PlacedAllocs: 3, HealthyAllocs: 3 } },
    })
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Running: 3, Complete: 0 } },
    })
  })

  it('adds and takes away what the count says, and leaves the others alone', async () => {
    const { before, register } = await running()
    const more = await register(job({}, { Count: 5 }))
    expect(ids(more)).toEqual(expect.arrayContaining(ids(before)))
    expect(more.map(({ Name }) => Name).sort()).toEqual([0, 1, 2, 3, 4].map((at) => `web.app[${at}]`))
    const fewer = await register(job({}, { Count: 2 }))
    expect(fewer).toHaveLength(2)
    expect(ids(more)).toEqual(expect.arrayContaining(ids(fewer)))
    expect(await register(job({}, { Count: 0 }))).toEqual([])
  })

  it('is scaled without a restart', async () => {
    const { before, live, send } = await running()
    await send('PUT', '/v1/job/web/scale', { Target: { Group: 'app' }, Count: 4 })
    const after = await live()
    expect(after).toHaveLength(4)
    expect(ids(after)).toEqual(expect.arrayContaining(ids(before)))
  })

  it('takes over again what ran before the version in between', async () => {
    const { register, send, live } = await running(job({ Priority: 10 }))
    const second = await register(job({ Priority: 20 }))
    await send('PUT', '/v1/job/web/revert', { JobVersion: 0 })
    expect(ids(await live())).toEqual(ids(second))
  })

  it('waits for the verdict of the nodes where nothing is simulated', async () => {
    const { before, register, get } = await running(job(), { place: true })
    expect(ids(await register(job({ Priority: 70 })))).toEqual(ids(before))
    expect((await get('/v1/job/web/deployment')).json).toMatchObject({
      Status: 'running',
      TaskGroups: { app: { PlacedAllocs: 3, HealthyAllocs: 0 } },
    })
  })

  it('keeps a system job on its nodes', async () => {
    const system = (Priority: number) => job({ Type: 'system', Priority }, { Count: 1 })
    const { before, register } = await running(system(50))
    const after = await register(system(60))
    expect(before).toHaveLength(2)
    expect(ids(after)).toEqual(ids(before))
    expect(after.map(({ JobVersion }) => JobVersion)).toEqual([1, 1])
  })

  it('counts what a batch has done already', async () => {
    const batch = (Priority: number) => job({ Type: 'batch', Priority })
    const { before, register, scheduler } = await running(batch(50), { place: true })
    await scheduler.updateAllocations(
      before.slice(0, 2).flatMap(({ ID }) => [
        { ID, ClientStatus: 'running' },
        { ID, ClientStatus: 'complete' },
      ]),
    )
    expect(ids(await register(batch(60)))).toEqual(ids(before))
  })
})

describe('a version that runs other tasks', () => {
  it.each([
    ['another user', job({}, { Tasks: [{ ...task, User: 'ada' }] })],
    ['another size', job({}, { Tasks: [{ Name: 't', Resources: { CPU: 300 } }] })],
    ['one task more', job({}, { Tasks: [task, { Name: 'u' }] })],
    ['other metadata', job({ Meta: { a: '1' } })],
    ['a bigger disk', job({}, { EphemeralDisk: { SizeMB: 999 } })],
  ])('replaces what runs: %s', async (_what, next) => {
    const { before, register } = await running()
    const after = await register(next)
    expect(after).toHaveLength(3)
    expect(ids(after).filter((id) => ids(before).includes(id))).toEqual([])
  })

  it('replaces what may not stay where it is', async () => {
    const { before, register } = await running()
    const [dc = ''] = before.map(({ NodeID }) => `dc-${NodeID}`)
    const after = await register(job({ Datacenters: [dc === 'dc-n1' ? 'dc-n2' : 'dc-n1'] }))
    expect(after).toHaveLength(3)
    expect(new Set(after.map(({ NodeID }) => `dc-${NodeID}`)).has(dc)).toBe(false)
  })
})

describe('what counts as the same tasks', () => {
  const spec = (over: object = {}, group: object = {}) => JobSpec.parse(job(over, group))
  it('is what a task sees, wherever it is written', () => {
    const inJob = spec({ Meta: { team: 'a' } })
    const inTask = spec({}, { Tasks: [{ ...task, Meta: { team: 'a' } }] })
    expect(sameTasks(inJob, inTask, 'app')).toBe(true)
    expect(sameTasks(inJob, spec({ Meta: { team: 'b' } }), 'app')).toBe(false)
    expect(sameTasks(inJob, inTask, 'none')).toBe(false)
  })

  const full = { ...task, Driver: 'exec', Config: { command: '/bin/date' } }
  const of = (over: object) => spec({}, { Tasks: [{ ...full, ...over }] })
  const sized = (over: object) => of({ Resources: { CPU: 200, ...over } })
  const networked = (over: object) => spec({}, { Networks: [{ Mode: 'host', ...over }] })
  const port = (over: object) => networked({ DynamicPorts: [{ Label: 'http', To: 8080, ...over }] })
  const mounted = (over: object) => of({ VolumeMounts: [{ Volume: 'data', ...over }] })
  const shared = (over: object) =>
    spec({}, { Volumes: { data: { Name: 'data', Type: 'host', Source: 'd', ...over } } })
  const rendered = (over: object) => of({ Templates: [{ EmbeddedTmpl: 'x', ...over }] })
  const gpus = (Count: number) => sized({ Devices: [{ Name: 'gpu', Count }] })
  const nothing = spec()
  it.each<[string, JobSpec, JobSpec, boolean]>([
    ['nothing', nothing, spec(), true],
    ['the configuration of a task', of({}), of({ Config: { command: '/bin/other' } }), false],
    ['the name of a task', of({}), of({ Name: 'foo' }), false],
    ['the driver', of({}), of({ Driver: 'docker' }), false],
    ['a task more', nothing, spec({}, { Tasks: [task, { Name: 'u' }] }), false],
    [
      'the order of tasks',
      spec({}, { Tasks: [task, { Name: 'u' }] }),
      spec({}, { Tasks: [{ Name: 'u' }, task] }),
      true,
    ],
    ['a port more', port({}), networked({ DynamicPorts: [{ Label: 'http' }, { Label: 'admin' }] }), false],
    ['the label of a port', port({}), port({ Label: 'web' }), false],
    ['where a port leads', port({}), port({ To: 8088 }), false],
    ['the network of a port', port({}), port({ HostNetwork: 'public' }), false],
    ['a static port', networked({}), networked({ ReservedPorts: [{ Label: 'foo', Value: 1312 }] }), false],
    ['the mode of the network', networked({}), networked({ Mode: 'bridge' }), false],
    ['the host name', networked({ Hostname: 'foo' }), networked({ Hostname: 'bar' }), false],
    ['the environment', of({}), of({ Env: { A: 'b' } }), false],
    ['the user', of({}), of({ User: 'ada' }), false],
    ['an artifact', of({}), of({ Artifacts: [{ GetterSource: 'http://foo.com/bar' }] }), false],
    ['metadata of a task', of({}), of({ Meta: { a: 'b' } }), false],
    ['metadata of the group', nothing, spec({}, { Meta: { a: 'b' } }), false],
    ['metadata of the job', nothing, spec({ Meta: { a: 'b' } }), false],
    ['CPU', sized({}), sized({ CPU: 1337 }), false],
    ['memory at most', sized({}), sized({ MemoryMaxMB: 999 }), false],
    ['cores', sized({ Cores: 2 }), sized({ Cores: 4 }), false],
    ['the number of devices', gpus(1), gpus(2), false],
    [
      'how memory is bound',
      sized({ NUMA: { Affinity: 'none' } }),
      sized({ NUMA: { Affinity: 'require' } }),
      false,
    ],
    ['a disk that moves along', nothing, spec({}, { EphemeralDisk: { Sticky: true } }), false],
    ['a template', rendered({}), rendered({}), true],
    ['how long a template waits', rendered({ Wait: { Max: 5 } }), rendered({ Wait: { Max: 10 } }), false],
    ['missing keys of a template', rendered({}), rendered({ ErrMissingKey: true }), false],
    [
      'templates as they restart, of the group',
      nothing,
      spec({}, { RestartPolicy: { RenderTemplates: true } }),
      false,
    ],
    ['templates as they restart, of a task', of({}), of({ RestartPolicy: { RenderTemplates: true } }), false],
    ['how often a task restarts', of({}), of({ RestartPolicy: { Attempts: 9 } }), true],
    ['a volume', nothing, shared({}), false],
    ['whether a volume is read only', shared({}), shared({ ReadOnly: true }), false],
    ['how a volume is mounted', mounted({ SELinuxLabel: 'z' }), mounted({ SELinuxLabel: '' }), false],
    ['a mount less', mounted({}), of({}), false],
    [
      'a plugin',
      of({ CSIPluginConfig: { Type: 'node' } }),
      of({ CSIPluginConfig: { Type: 'monolith' } }),
      false,
    ],
    ['a secret', of({}), of({ Secrets: [{ Name: 's', Provider: 'x', Path: '/p' }] }), false],
    ['an identity', of({ Identity: {} }), of({}), false],
    ['whether logs are kept', of({}), of({ LogConfig: { Disabled: true } }), false],
    ['how many logs are kept', of({}), of({ LogConfig: { MaxFiles: 3 } }), true],
    ['the signal that ends it', of({}), of({ KillSignal: 'SIGINT' }), true],
    ['affinities', nothing, spec({ Affinities: [{ LTarget: '${node.class}', RTarget: 'a' }] }), true],
    ['spreads', nothing, spec({}, { Spreads: [{ Attribute: '${node.datacenter}' }] }), true],
  ])('%s, in the cases of the scheduler whose API this is', (_what, earlier, later, same) => {
    expect(sameTasks(earlier, later, 'app')).toBe(same)
  })
})
