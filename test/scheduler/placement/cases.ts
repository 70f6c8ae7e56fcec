import { expect } from 'vitest'
import { given } from '../harness.ts'

export const node = (ID: string, over: object = {}) => ({
  ID,
  Name: ID,
  Attributes: { 'kernel.name': 'linux' },
  NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 }, Disk: { DiskMB: 100 * 1024 } },
  ReservedResources: { Cpu: { CpuShares: 100 }, Memory: { MemoryMB: 256 }, Disk: { DiskMB: 4 * 1024 } },
  ...over,
})
export const nodes = (count: number, over: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => node(`n${at}`, over(at)))
export const task = (Resources: object = {}, more: object = {}) => ({
  Name: 't',
  Config: { command: '/bin/date' },
  Resources: { CPU: 500, MemoryMB: 256, ...Resources },
  ...more,
})
export const job = (over: object = {}, group: object = {}) => ({
  ID: 'web',
  Datacenters: ['dc1', 'dc2'],
  TaskGroups: [
    {
      Name: 'app',
      Count: 10,
      EphemeralDisk: { SizeMB: 150 },
      RestartPolicy: { Attempts: 0, Mode: 'fail' },
      Tasks: [task()],
      ...group,
    },
  ],
  ...over,
})
export const system = (over: object = {}, group: object = {}) =>
  job({ Type: 'system', Priority: 100, ...over }, { Count: 1, ...group })
export const sysbatch = (over: object = {}, group: object = {}) =>
  system({ Type: 'sysbatch', Priority: 50, ...over }, group)
export const changed = { Tasks: [task({}, { Config: { command: '/bin/other' } })] }

export interface Row {
  readonly ID: string
  readonly JobID: string
  readonly TaskGroup: string
  readonly NodeID: string
  readonly JobVersion: number
  readonly DesiredStatus: string
  readonly ClientStatus: string
  readonly NextAllocation: string
  readonly RescheduleTracker: { readonly Events: readonly object[] } | null
}
/** A cluster whose steps are those of the cases. */
async function cluster(known: readonly object[]) {
  const { scheduler, send, get, clock } = await given({ nodes: known }, { place: true })
  const all = async () => (await get('/v1/allocations')).json as readonly Row[]
  const act = async (method: string, path: string, body?: object) => {
    const answer = await send(method, path, body)
    expect(answer.status, answer.text).toBe(200)
    await scheduler.settled()
  }
  const live = async () =>
    (await all()).filter(
      ({ DesiredStatus, ClientStatus }) => DesiredStatus === 'run' && /pending|running/.test(ClientStatus),
    )
  const tell = async (ClientStatus: string, rows: readonly Row[]) => {
    for (const { ID } of rows)
      await scheduler.updateAllocations([{ ID, ClientStatus: ClientStatus as 'running' }])
    await scheduler.settled()
  }
  return {
    put: (given: object) => act('PUT', '/v1/jobs', { Job: given }),
    add: async (one: object) => {
      await scheduler.registerNode(one as Parameters<typeof scheduler.registerNode>[0])
      await scheduler.settled()
    },
    drain: (id: string, Deadline = -1) => act('PUT', `/v1/node/${id}/drain`, { DrainSpec: { Deadline } }),
    ban: (id: string) => act('PUT', `/v1/node/${id}/eligibility`, { Eligibility: 'ineligible' }),
    /** To be lost, out of touch, or back. */
    move: async (id: string, verb: 'lose' | 'disconnect' | 'ready') => {
      await scheduler.moveNode(id, verb)
      await scheduler.settled()
    },
    wait: async (ms: number) => {
      await clock.advance(ms)
      await scheduler.settled()
    },
    evaluate: (id: string) => act('PUT', `/v1/node/${id}/evaluate`, {}),
    look: () => act('PUT', '/v1/job/web/evaluate', {}),
    remove: (purge = false) => act('DELETE', `/v1/job/web${purge ? '?purge=true' : ''}`),
    preempts: (over: object) =>
      act('PUT', '/v1/operator/scheduler/configuration', { PreemptionConfig: over }),
    /** Allocations that are pending run, or end as they are told to. */
    report: async (ClientStatus: string, count = 100) => tell(ClientStatus, (await live()).slice(0, count)),
    /** The first of a version, else of all, fails. */
    fail: async (version?: number) =>
      tell(
        'failed',
        (await live())
          .filter(({ JobVersion }) => version === undefined || JobVersion === version)
          .slice(0, 1),
      ),
    /** The same for all in a state, wherever they are. */
    turn: async (from: string, ClientStatus: string) =>
      tell(
        ClientStatus,
        (await all()).filter((row) => row.ClientStatus === from),
      ),
    /** Allocations end that were told to stop. */
    end: async () =>
      tell(
        'complete',
        (await all()).filter(({ DesiredStatus }) => DesiredStatus !== 'run'),
      ),
    live,
    all,
    /** What waits for room: by blocked evaluations, the queued allocations of the group. */
    blocked: async () => ((await get('/v1/evaluations?status=blocked')).json as readonly object[]).length,
    queued: async () => {
      const { Summary } = (await get('/v1/job/web/summary')).json as {
        Summary: Record<string, { Queued: number }>
      }
      return Object.values(Summary).reduce((sum, { Queued }) => sum + Queued, 0)
    },
  }
}
export type Cluster = Awaited<ReturnType<typeof cluster>>

/** What a case looks at in the end: allocations that are wanted and have not ended, unless it says otherwise. */
export interface Observed {
  readonly live?: number
  readonly on?: Readonly<Record<string, number>>
  readonly datacenters?: Readonly<Record<string, number>>
  readonly version?: Readonly<Record<number, number>>
  readonly groups?: Readonly<Record<string, number>>
  readonly jobs?: Readonly<Record<string, number>>
  /** How many times each has been replaced, from the fewest on. */
  readonly replaced?: readonly number[]
  /** Of all allocations: how many name the one that took their place, their jobs if preempted, and their states. */
  readonly chained?: number
  readonly all?: number
  readonly evicted?: readonly string[]
  readonly states?: readonly string[]
  readonly blocked?: number
  readonly queued?: number
}
export type Case = readonly [string, readonly object[], (world: Cluster) => Promise<unknown>, Observed]

const countsOf = (wanted: object | undefined, rows: readonly Row[], key: (row: Row) => string | number) =>
  wanted &&
  Object.fromEntries(
    Object.keys(wanted).map((each) => [each, rows.filter((row) => String(key(row)) === each).length]),
  )

export async function holds([, known, steps, wanted]: Case) {
  const world = await cluster(known)
  await steps(world)
  const [rows, all] = [await world.live(), await world.all()]
  const datacenterOf = new Map(
    (known as readonly { ID: string; Datacenter?: string }[]).map((each) => [each.ID, each.Datacenter]),
  )
  const found: Required<{ [Key in keyof Observed]: unknown }> = {
    live: rows.length,
    on: countsOf(wanted.on, rows, ({ NodeID }) => NodeID),
    datacenters: countsOf(wanted.datacenters, rows, ({ NodeID }) => datacenterOf.get(NodeID) ?? ''),
    version: countsOf(wanted.version, rows, ({ JobVersion }) => JobVersion),
    groups: countsOf(wanted.groups, rows, ({ TaskGroup }) => TaskGroup),
    jobs: countsOf(wanted.jobs, rows, ({ JobID }) => JobID),
    replaced: rows.map(({ RescheduleTracker }) => RescheduleTracker?.Events.length ?? 0).sort(),
    chained: all.filter(({ NextAllocation }) => NextAllocation !== '').length,
    all: all.length,
    evicted: all
      .filter(({ DesiredStatus }) => DesiredStatus === 'evict')
      .map(({ JobID }) => JobID)
      .sort(),
    states: all.map(({ ClientStatus, DesiredStatus }) => `${ClientStatus} ${DesiredStatus}`).sort(),
    blocked: await world.blocked(),
    queued: wanted.queued === undefined ? undefined : await world.queued(),
  }
  expect(Object.fromEntries(Object.entries(found).filter(([key]) => key in wanted))).toEqual(wanted)
}

export const distinct = (Operand: string, more: object = {}) => ({ Constraints: [{ Operand, ...more }] })
export const classes = (at: number) => ({ NodeClass: `class-${at}` })
export const ofClass = (Name: string, RTarget: string, over: object = {}) => ({
  Name,
  Count: 1,
  Constraints: [{ LTarget: '${node.class}', Operand: '=', RTarget }],
  Tasks: [task()],
  ...over,
})
