import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const room = { Cpu: { CpuShares: 8000 }, Memory: { MemoryMB: 16_384 } }
const job = (ID: string, Type: string, Count: number) => ({
  ID,
  Type,
  TaskGroups: [
    {
      Name: 'app',
      Count,
      ...(Type === 'service' && { Migrate: { MaxParallel: 1, HealthCheck: 'checks', MinHealthyTime: 0 } }),
      Tasks: [{ Name: 't' }],
    },
  ],
})
const jobs = {
  service: job('service', 'service', 2),
  batch: job('batch', 'batch', 2),
  system: job('system', 'system', 1),
} as const
type Kind = keyof typeof jobs
interface Row {
  readonly ID: string
  readonly JobID: string
  readonly NodeID: string
  readonly DesiredStatus: string
  readonly ClientStatus: string
}

/** Jobs that run on n1; agents do what they are told, n2 joins. */
async function cluster(kinds: readonly Kind[]) {
  const { scheduler, send, get, clock } = await given({}, { place: true })
  const rows = async () => (await get('/v1/allocations')).json as readonly Row[]
  const report = (ID: string, ClientStatus: 'running' | 'complete') =>
    scheduler.updateAllocations([{ ID, ClientStatus, ...(ClientStatus === 'running' && { Healthy: true }) }])
  /** Until nothing changes, agents start what is pending, and end what is to stop. */
  const obey = async () => {
    for (;;) {
      await scheduler.settled()
      const due = (await rows()).filter(
        ({ DesiredStatus, ClientStatus }) =>
          ClientStatus === 'pending' || (DesiredStatus !== 'run' && ClientStatus === 'running'),
      )
      if (due.length === 0) return
      for (const { ID, DesiredStatus } of due)
        await report(ID, DesiredStatus === 'run' ? 'running' : 'complete')
    }
  }
  const join = async (ID: string) => {
    await scheduler.registerNode({ ID, NodeResources: room })
    await obey()
  }
  await join('n1')
  for (const kind of kinds) await send('PUT', '/v1/jobs', { Job: jobs[kind] })
  await obey()
  const here = async (node: string) => {
    const live = (await rows()).filter(
      ({ NodeID, DesiredStatus, ClientStatus }) =>
        NodeID === node && DesiredStatus === 'run' && ClientStatus === 'running',
    )
    return Object.fromEntries(
      Object.keys(jobs).flatMap((kind) => {
        const count = live.filter(({ JobID }) => JobID === kind).length
        return count > 0 ? [[kind, count]] : []
      }),
    )
  }
  return {
    join,
    here,
    obey,
    end: async (kind: Kind) => {
      for (const { ID, JobID, ClientStatus } of await rows())
        if (JobID === kind && ClientStatus === 'running') await report(ID, 'complete')
      await obey()
    },
    wait: async (ms: number) => {
      await clock.advance(ms)
      await obey()
    },
    drain: async (spec: object) => {
      expect((await send('PUT', '/v1/node/n1/drain', { DrainSpec: spec })).status).toBe(200)
      await obey()
    },
    enable: async () => {
      await send('PUT', '/v1/node/n1/drain', { DrainSpec: null, MarkEligible: true })
      await obey()
    },
    drains: async () => ((await get('/v1/node/n1')).json as { readonly Drain: boolean }).Drain,
  }
}
type World = Awaited<ReturnType<typeof cluster>>
interface Observed {
  readonly drains: boolean
  readonly n1: Readonly<Partial<Record<Kind, number>>>
  readonly n2?: Readonly<Partial<Record<Kind, number>>>
}

const none = {}
const forever = { Deadline: 0 }
const hour = { Deadline: 3600e9 }
const force = { Deadline: -1 }
const all = ['service', 'batch', 'system'] as const

describe('a drain, in the cases of the scheduler whose API this is', () => {
  it.each<[string, readonly Kind[], (world: World) => Promise<unknown>, Observed]>([
    ['of an empty node is over', [], ({ drain }) => drain(hour), { drains: false, n1: none }],
    ['waits for a batch', ['batch'], ({ drain }) => drain(hour), { drains: true, n1: { batch: 2 } }],
    [
      'ends a system job at once where there is nothing else',
      ['system'],
      ({ drain }) => drain(hour),
      { drains: false, n1: none },
    ],
    [
      'leaves system jobs where they are to be ignored',
      ['system'],
      ({ drain }) => drain({ ...hour, IgnoreSystemJobs: true }),
      { drains: false, n1: { system: 1 } },
    ],
    [
      'moves a service',
      ['service'],
      async ({ drain, join }) => {
        await drain(hour)
        await join('n2')
      },
      { drains: false, n1: none, n2: { service: 2 } },
    ],
    [
      'ends a service at its deadline, with no other node',
      ['service'],
      async ({ drain, wait }) => {
        await drain(hour)
        await wait(3_600_000)
      },
      { drains: false, n1: none },
    ],
    [
      'of all kinds moves the service, and waits for the batch',
      all,
      async ({ drain, join }) => {
        await join('n2')
        await drain(hour)
      },
      { drains: true, n1: { batch: 2, system: 1 }, n2: { service: 2, system: 1 } },
    ],
    [
      'of all kinds ends the batch at its deadline, and the system job',
      all,
      async ({ drain, join, wait }) => {
        await join('n2')
        await drain(hour)
        await wait(3_600_000)
      },
      { drains: false, n1: none, n2: { service: 2, system: 1 } },
    ],
    [
      'waits for another node that a service can go to',
      ['service'],
      ({ drain }) => drain(hour),
      { drains: true, n1: { service: 2 } },
    ],
    [
      'of a batch that is complete is over',
      ['batch'],
      async ({ end, drain }) => {
        await end('batch')
        await drain(hour)
      },
      { drains: false, n1: none },
    ],
    [
      'of a system job beside a batch that is complete is over',
      ['batch', 'system'],
      async ({ end, drain }) => {
        await end('batch')
        await drain(hour)
      },
      { drains: false, n1: none },
    ],
    [
      'waits for a batch where a system job has ended',
      ['batch', 'system'],
      async ({ end, drain }) => {
        await drain(hour)
        await end('system')
      },
      { drains: true, n1: { batch: 2 } },
    ],
    [
      'without a deadline is over once the batch is complete',
      all,
      async ({ drain, join, wait, end }) => {
        await join('n2')
        await drain(forever)
        await wait(7_200_000)
        await end('batch')
      },
      { drains: false, n1: none, n2: { service: 2, system: 1 } },
    ],
    [
      'by force ends what waited',
      ['batch'],
      async ({ drain, join }) => {
        await join('n2')
        await drain(forever)
        await drain(force)
      },
      { drains: false, n1: none, n2: none },
    ],
    [
      'that is taken back leaves what is there',
      ['batch'],
      async ({ drain, join, enable }) => {
        await join('n2')
        await drain(forever)
        await enable()
      },
      { drains: false, n1: { batch: 2 }, n2: none },
    ],
  ])('%s', async (_what, kinds, steps, { drains, n1, n2 }) => {
    const world = await cluster(kinds)
    await steps(world)
    const found = { drains: await world.drains(), n1: await world.here('n1') }
    expect(n2 === undefined ? found : { ...found, n2: await world.here('n2') }).toEqual(
      n2 === undefined ? { drains, n1 } : { drains, n1, n2 },
    )
  })
})
