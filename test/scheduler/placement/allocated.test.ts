import { describe, expect, it } from 'vitest'
import { presentForm, usageIn } from '../../../src/scheduler/allocations/usage.ts'
import type { Allocation } from '../../../src/scheduler/index.ts'
import { JobSpec } from '../../../src/scheduler/jobs/model.ts'
import { askOf } from '../../../src/scheduler/placement/ask.ts'
import { given } from '../harness.ts'

describe('the resources of an allocation', () => {
  it('are told by task, with the cores and devices of each, and the shared disk and ports', async () => {
    const gpus = ['g0', 'g1', 'g2'].map((ID) => ({ ID, Healthy: true }))
    const node = {
      ID: 'n1',
      NodeResources: {
        Cpu: { CpuShares: 4000, ReservableCpuCores: [2, 3, 5] },
        Memory: { MemoryMB: 4096 },
        Devices: [{ Vendor: 'v', Type: 'gpu', Name: 'm', Instances: gpus }],
        Networks: [{ Device: 'eth0', IP: '10.0.0.7' }],
      },
    }
    const { send, get, scheduler } = await given({ nodes: [node] }, { place: true })
    const task = (Name: string, Cores: number, Count: number) => ({
      Name,
      Resources: { CPU: 200, MemoryMB: 128, MemoryMaxMB: 256, Cores, Devices: [{ Name: 'gpu', Count }] },
    })
    const TaskGroups = [
      {
        Name: 'app',
        Networks: [
          { ReservedPorts: [{ Label: 'http', Value: 80 }], DynamicPorts: [{ Label: 'db', To: -1 }] },
        ],
        Tasks: [task('one', 1, 2), task('two', 2, 1), { Name: 'plain' }],
      },
    ]
    await send('PUT', '/v1/operator/scheduler/configuration', { MemoryOversubscriptionEnabled: true })
    await send('PUT', '/v1/jobs', { Job: { ID: 'web', TaskGroups } })
    await scheduler.settled()
    const [stub] = (await get('/v1/allocations?resources=true')).json as Allocation[]
    const found = (await get(`/v1/allocation/${stub?.ID}`)).json as Allocation
    const gpu = { Vendor: 'v', Type: 'gpu', Name: 'm' }
    const Memory = { MemoryMB: 128, MemoryMaxMB: 256 }
    expect(found.AllocatedResources).toEqual({
      Tasks: {
        one: {
          Cpu: { CpuShares: 200, ReservedCores: [2] },
          Memory,
          Networks: null,
          Devices: [{ ...gpu, DeviceIDs: ['g0', 'g1'] }],
        },
        two: {
          Cpu: { CpuShares: 200, ReservedCores: [3, 5] },
          Memory,
          Networks: null,
          Devices: [{ ...gpu, DeviceIDs: ['g2'] }],
        },
        plain: {
          Cpu: { CpuShares: 100, ReservedCores: null },
          Memory: { MemoryMB: 300, MemoryMaxMB: 0 },
          Networks: null,
          Devices: null,
        },
      },
      TaskLifecycles: { one: null, two: null, plain: null },
      Shared: {
        Networks: [
          {
            Mode: 'host',
            Device: 'eth0',
            CIDR: '',
            IP: '10.0.0.7',
            MBits: 0,
            ReservedPorts: [{ Label: 'http', Value: 80, To: 0, HostNetwork: 'default' }],
            DynamicPorts: [{ Label: 'db', Value: 20_000, To: 20_000, HostNetwork: 'default' }],
          },
        ],
        DiskMB: 300,
        Ports: [
          { Label: 'http', Value: 80, To: 0, HostIP: '10.0.0.7' },
          { Label: 'db', Value: 20_000, To: 20_000, HostIP: '10.0.0.7' },
        ],
      },
    })
    expect(stub?.AllocatedResources).toEqual(found.AllocatedResources)
    expect(usageIn(found.AllocatedResources)).toMatchObject({ cpu: 500, memoryMb: 556, cores: [2, 3, 5] })
  })

  it('count tasks that never run at the same time once', () => {
    const task = (Name: string, CPU: number, Lifecycle: object | null = null, Cores = 0) => ({
      Name,
      Lifecycle,
      Resources: { CPU, MemoryMB: CPU, Cores },
    })
    const cpuOf = (...Tasks: ReturnType<typeof task>[]) => {
      const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks }] })
      const [group] = job.TaskGroups
      return group && askOf(job, group).cpu
    }
    const before = { Hook: 'prestart' }
    expect(cpuOf(task('main', 500), task('init', 300, before))).toBe(500)
    expect(cpuOf(task('main', 500), task('init', 700, before))).toBe(700)
    expect(cpuOf(task('main', 500), task('side', 300, { ...before, Sidecar: true }))).toBe(800)
    expect(cpuOf(task('main', 500), task('late', 300, { Hook: 'poststart' }))).toBe(800)
    expect(cpuOf(task('main', 500), task('last', 600, { Hook: 'poststop' }))).toBe(600)
    // Dedicated cores are never shared.
    expect(cpuOf(task('main', 500), task('init', 300, before, 1))).toBe(800)
  })

  it('that an earlier snapshot stored are read in the present form', () => {
    const stored = { CpuShares: 300, MemoryMB: 64, DiskMB: 10, Cores: 1, Ports: null, Devices: null }
    expect(usageIn(presentForm(stored))).toEqual({
      cpu: 300,
      memoryMb: 64,
      diskMb: 10,
      cores: [0],
      ports: undefined,
      devices: undefined,
    })
  })

  const settings = [
    ['no maximum', 0, true, null, 0],
    ['a maximum', 300, true, null, 300],
    ['a maximum, not allowed', 300, false, null, 0],
    ['a maximum, allowed by the pool', 300, false, true, 300],
    ['a maximum, not allowed by the pool', 300, true, false, 0],
  ] as const
  it.each(
    (['service', 'batch', 'system', 'sysbatch'] as const).flatMap((Type) =>
      settings.map((setting) => [Type, ...setting] as const),
    ),
  )(
    'of a %s with memory: %s, in the cases of the scheduler whose API this is',
    async (Type, _what, MemoryMaxMB, ofCluster, ofPool, expected) => {
      const { send, get, scheduler } = await given(
        {
          nodes: [
            {
              ID: 'n1',
              NodePool: 'mine',
              NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 4096 } },
            },
          ],
          pools: [{ Name: 'mine', SchedulerConfiguration: { MemoryOversubscriptionEnabled: ofPool } }],
        },
        { place: true },
      )
      await send('PUT', '/v1/operator/scheduler/configuration', { MemoryOversubscriptionEnabled: ofCluster })
      const Tasks = [{ Name: 't', Resources: { CPU: 100, MemoryMB: 200, MemoryMaxMB } }]
      const sent = await send('PUT', '/v1/jobs', {
        Job: { ID: 'web', Type, NodePool: 'mine', TaskGroups: [{ Name: 'app', Tasks }] },
      })
      expect(sent.status, sent.text).toBe(200)
      await scheduler.settled()
      const [{ AllocatedResources } = {}] = (await get('/v1/allocations?resources=true')).json as Allocation[]
      expect(AllocatedResources?.Tasks['t']?.Memory).toEqual({ MemoryMB: 200, MemoryMaxMB: expected })
    },
  )
})
