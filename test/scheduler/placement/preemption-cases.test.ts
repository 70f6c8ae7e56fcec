import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const gib = 1024

/** What an allocation takes on the node, or a group asks for. */
interface Needs {
  readonly cpu: number
  readonly memory: number
  readonly disk: number
  readonly port?: number
  readonly devices?: readonly (readonly [name: string, count: number])[]
}
interface Running extends Needs {
  readonly priority: number
}
interface Case {
  readonly running: readonly Running[]
  readonly ask: Needs
  readonly priority?: number
  /** The places in `running` of those that make room; none if the group cannot be placed. */
  readonly victims: readonly number[]
}

const device = (Vendor: string, Type: string, Name: string, count: number) => ({
  Vendor,
  Type,
  Name,
  Instances: Array.from({ length: count }, (_, at) => ({ ID: `${Name}-${at}` })),
})
const node = {
  ID: 'n1',
  Name: 'n1',
  NodeResources: {
    Cpu: { CpuShares: 4000 },
    Memory: { MemoryMB: 8192 },
    Disk: { DiskMB: 100 * gib },
    Devices: [
      device('nvidia', 'gpu', '1080ti', 4),
      device('nvidia', 'gpu', '2080ti', 5),
      device('intel', 'fpga', 'F100', 2),
    ],
  },
  ReservedResources: { Cpu: { CpuShares: 100 }, Memory: { MemoryMB: 256 }, Disk: { DiskMB: 4 * gib } },
}

const groupOf = (Name: string, { cpu, memory, disk, port, devices = [] }: Needs) => ({
  Name,
  Count: 1,
  EphemeralDisk: { SizeMB: disk },
  Networks: port === undefined ? null : [{ ReservedPorts: [{ Label: 'db', Value: port }] }],
  Tasks: [
    {
      Name: 't',
      Resources: {
        CPU: cpu,
        MemoryMB: memory,
        Devices: devices.map(([device, Count]) => ({ Name: device, Count })),
      },
    },
  ],
})

/** Which allocations make room for another one; undefined if it is not placed. */
async function preempted({ running, ask, priority = 100 }: Case): Promise<readonly string[] | undefined> {
  const { send, get, scheduler } = await given({ nodes: [node] }, { place: true, simulate: true })
  const put = async (Job: object) => {
    const answer = await send('PUT', '/v1/jobs', { Job })
    expect(answer.status, answer.text).toBe(200)
    await scheduler.settled()
  }
  const named = running.map((each, at) => ({ ...each, name: String(at) }))
  for (const of of new Set(running.map((each) => each.priority)))
    await put({
      ID: `of-${of}`,
      Priority: of,
      TaskGroups: named.filter((each) => each.priority === of).map((each) => groupOf(each.name, each)),
    })
  const allocations = async () =>
    (await get('/v1/allocations')).json as {
      readonly JobID: string
      readonly TaskGroup: string
      readonly DesiredStatus: string
    }[]
  expect((await allocations()).length).toBe(running.length)
  await send('PUT', '/v1/operator/scheduler/configuration', {
    PreemptionConfig: { ServiceSchedulerEnabled: true },
  })
  await put({ ID: 'asking', Priority: priority, TaskGroups: [groupOf('app', ask)] })
  const now = await allocations()
  if (!now.some(({ JobID }) => JobID === 'asking')) return undefined
  return now
    .filter(({ DesiredStatus }) => DesiredStatus === 'evict')
    .map(({ TaskGroup }) => TaskGroup)
    .sort()
}

const high = (cpu: number, memory: number, disk: number, more: Partial<Needs> = {}): Running => ({
  priority: 100,
  cpu,
  memory,
  disk,
  ...more,
})
const low = (cpu: number, memory: number, disk: number, more: Partial<Needs> = {}): Running => ({
  ...high(cpu, memory, disk, more),
  priority: 30,
})
const gpus = (name: string, count: number) => ({ devices: [[name, count] as const] })
const [older, newer, fpga] = ['nvidia/gpu/1080ti', 'nvidia/gpu/2080ti', 'intel/fpga/F100'] as const

describe('which allocations make room for another, in the cases of the scheduler whose API this is', () => {
  it.each<[string, Case]>([
    [
      'none is less important',
      {
        running: [high(3200, 7256, 4 * gib)],
        ask: { cpu: 2000, memory: 256, disk: 4 * gib, port: 22 },
        victims: [],
      },
    ],
    [
      'all of them would not be enough',
      {
        running: [low(3200, 7256, 4 * gib)],
        ask: { cpu: 4000, memory: 8192, disk: 4 * gib, port: 22 },
        victims: [],
      },
    ],
    [
      'a more important one has the port',
      {
        running: [high(1200, 2256, 4 * gib), high(200, 256, 4 * gib, { port: 88 })],
        ask: { cpu: 600, memory: 1000, disk: 25 * gib, port: 88 },
        victims: [],
      },
    ],
    [
      'more and less important ones, without ports',
      {
        running: [
          high(2800, 2256, 4 * gib),
          low(200, 256, 4 * gib),
          low(200, 256, 4 * gib),
          low(700, 256, 4 * gib),
        ],
        ask: { cpu: 1100, memory: 1000, disk: 25 * gib },
        victims: [1, 2, 3],
      },
    ],
    [
      'the smaller of two is enough',
      {
        running: [low(2800, 2256, 4 * gib), low(200, 256, 4 * gib)],
        ask: { cpu: 1100, memory: 1000, disk: 25 * gib },
        victims: [1],
      },
    ],
    [
      'nearly as important ones are spared',
      {
        running: [low(2800, 2256, 4 * gib), low(200, 256, 4 * gib)],
        ask: { cpu: 1100, memory: 1000, disk: 25 * gib },
        priority: 35,
        victims: [],
      },
    ],
    [
      'everything is missing',
      {
        running: [
          high(2800, 2256, 40 * gib),
          low(200, 256, 4 * gib),
          low(200, 512, 25 * gib),
          low(700, 276, 20 * gib),
        ],
        ask: { cpu: 1000, memory: 3000, disk: 50 * gib },
        victims: [1, 2, 3],
      },
    ],
    [
      'one has the port, another what else is missing',
      {
        running: [high(1200, 2256, 4 * gib), low(200, 256, 4 * gib, { port: 88 }), low(200, 256, 4 * gib)],
        ask: { cpu: 2700, memory: 1000, disk: 25 * gib, port: 88 },
        victims: [1, 2],
      },
    ],
    [
      'the one that has the port is enough',
      {
        running: [high(1200, 2256, 4 * gib), low(200, 256, 4 * gib, { port: 88 }), low(200, 256, 4 * gib)],
        ask: { cpu: 600, memory: 1000, disk: 25 * gib, port: 88 },
        victims: [1],
      },
    ],
    [
      'each has one of four devices',
      {
        running: [low(500, 512, 4 * gib, gpus(older, 1)), low(200, 512, 4 * gib, gpus(older, 1))],
        ask: { cpu: 1000, memory: 512, disk: 4 * gib, ...gpus(older, 4) },
        victims: [0, 1],
      },
    ],
    [
      'one has all four devices, the other another one',
      {
        running: [low(500, 512, 4 * gib, gpus(older, 4)), low(200, 512, 4 * gib, gpus(fpga, 1))],
        ask: { cpu: 1000, memory: 512, disk: 4 * gib, ...gpus(older, 4) },
        victims: [0],
      },
    ],
    [
      'devices of one model only',
      {
        running: [
          low(500, 512, 4 * gib, gpus(older, 2)),
          high(200, 100, 4 * gib, gpus(older, 1)),
          low(200, 256, 4 * gib, gpus(newer, 2)),
          low(100, 256, 4 * gib, gpus(newer, 2)),
          low(200, 512, 4 * gib, gpus(fpga, 1)),
        ],
        ask: { cpu: 1000, memory: 512, disk: 4 * gib, ...gpus('gpu', 4) },
        victims: [2, 3],
      },
    ],
    [
      'devices of the model whose users are the least important',
      {
        running: [
          low(500, 512, 4 * gib, gpus(older, 2)),
          { ...low(200, 100, 4 * gib, gpus(older, 2)), priority: 40 },
          low(200, 256, 4 * gib, gpus(newer, 2)),
          low(100, 256, 4 * gib, gpus(newer, 2)),
          low(100, 256, 4 * gib, gpus(newer, 1)),
          low(200, 512, 4 * gib, gpus(fpga, 1)),
        ],
        ask: { cpu: 1000, memory: 512, disk: 4 * gib, ...gpus('gpu', 4) },
        victims: [2, 3],
      },
    ],
    [
      'more devices than any model has',
      {
        running: [low(500, 512, 4 * gib, gpus(older, 4)), low(200, 512, 4 * gib, gpus(fpga, 1))],
        ask: { cpu: 1000, memory: 512, disk: 4 * gib, ...gpus('gpu', 6) },
        victims: [],
      },
    ],
    [
      'the largest alone is enough',
      {
        running: [high(1800, 2256, 4 * gib), low(1500, 256, 5 * gib), low(600, 256, 5 * gib)],
        ask: { cpu: 1000, memory: 256, disk: 5 * gib },
        victims: [1],
      },
    ],
    [
      'two requests for one device each, which one allocation has',
      {
        running: [low(0, 10, 0, gpus(older, 4)), low(0, 10, 0, gpus(newer, 5))],
        ask: {
          cpu: 1000,
          memory: 512,
          disk: 0,
          devices: [
            [older, 1],
            [older, 1],
          ],
        },
        victims: [0],
      },
    ],
    [
      'a device that one of equal importance has',
      {
        running: [high(0, 10, 0, gpus(older, 4))],
        ask: { cpu: 1000, memory: 512, disk: 0, devices: [[older, 1]] },
        victims: [],
      },
    ],
  ])('%s', async (_what, each) => {
    const found = await preempted(each)
    expect(found).toEqual(each.victims.length === 0 ? undefined : each.victims.map(String))
  })
})
