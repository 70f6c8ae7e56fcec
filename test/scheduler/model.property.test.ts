import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { descriptions } from '../../src/scheduler/placement/group-work.ts'
import {
  jobRecords,
  jobStatusRecords,
  jobSummaryRecords,
  jobVersionRecords,
  launchRecords,
  scalingRecords,
  schedulerRecords,
} from '../../src/scheduler/collections.ts'
import { memoryStore, partsOf, type Snapshot, type Store } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { realmFaults } from '../store/realm-faults.ts'
import { given, type Harness } from './harness.ts'

const room = { Cpu: { CpuShares: 1500 }, Memory: { MemoryMB: 9000 } }
const nodes = ['n1', 'n2', 'n3'] as const
const jobs = { web: 'service', api: 'service', once: 'batch', agent: 'system', tick: 'batch' } as const
type JobId = keyof typeof jobs
/** How many of a service leave draining nodes at once, and how long (ms) others wait for one that nobody judges. */
const moves: { readonly [Id in JobId]?: { readonly most: number; readonly patience: number } } = {
  web: { most: 1, patience: 365 * 86_400_000 },
  api: { most: 2, patience: 600_000 },
}

const aJob = fc.constantFrom(...(Object.keys(jobs) as JobId[]))
const aNode = fc.constantFrom(...nodes)
const step = <const Name extends string, Fields extends object = object>(
  name: Name,
  fields: { readonly [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
): fc.Arbitrary<{ readonly do: Name } & Fields> =>
  fc.record(fields).map((given) => ({ do: name, ...(given as Fields) }))

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: step('register', { id: aJob, count: fc.nat(4), build: fc.nat(3), isBold: fc.boolean() }),
  },
  { weight: 2, arbitrary: step('stop', { id: aJob, purge: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: step('report', {
      nth: fc.nat(9),
      status: fc.constantFrom('running', 'failed', 'lost'),
      healthy: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: step('obey', { isJudged: fc.boolean() }) },
  { weight: 2, arbitrary: step('move', { id: aNode, verb: fc.constantFrom('lose', 'ready', 'disconnect') }) },
  { weight: 2, arbitrary: step('drain', { id: aNode, deadline: fc.constantFrom(-1, 0, 60e9, null) }) },
  { weight: 1, arbitrary: step('purgeNode', { id: aNode }) },
  { weight: 2, arbitrary: step('beat', { id: aNode }) },
  { weight: 3, arbitrary: step('steer', { how: fc.constantFrom('pause', 'resume', 'fail', 'promote') }) },
  { weight: 1, arbitrary: step('scale', { count: fc.nat(4) }) },
  { weight: 1, arbitrary: step('collect', {}) },
  { weight: 3, arbitrary: step('wait', { ms: fc.constantFrom(9_999, 10_000, 700_000, 3_600_000) }) },
  { weight: 1, arbitrary: step('setClock', { ms: fc.constantFrom(-3_600_000, 18_000_000) }) },
  { weight: 1, arbitrary: step('crash', { commits: fc.integer({ min: 1, max: 5 }) }) },
)
type Step = typeof command extends fc.Arbitrary<infer Value> ? Value : never

interface Allocation {
  readonly ID: string
  readonly Name: string
  readonly JobID: string
  readonly JobVersion: number
  readonly NodeID: string
  readonly DesiredStatus: string
  readonly ClientStatus: string
  readonly NextAllocation: string
  readonly CreateTime: number
  readonly DesiredDescription: string
  readonly DeploymentStatus: { readonly Healthy: boolean | null } | null
}
interface Deployment {
  readonly ID: string
  readonly JobID: string
  readonly JobVersion: number
  readonly Status: string
  readonly TaskGroups: Readonly<
    Record<string, { readonly DesiredCanaries: number; readonly Promoted: boolean }>
  >
}
interface Job {
  readonly ID: string
  readonly Type: string
  readonly Status: string
  readonly Stop: boolean
}

/** A cluster that can be crashed after so many commits, and whose clock can be set. */
async function cluster() {
  const clock = testClock()
  let ahead = 0
  const env = () => ({ ...clock.env(), now: clock.now() + ahead })
  const kept = memoryStore()
  const errors: unknown[] = []
  const away = new Error('the store is away')
  let left = Number.POSITIVE_INFINITY
  const store: Store = {
    ...kept,
    commit: (batch) => {
      left -= 1
      return left < 0 ? Promise.reject(away) : kept.commit(batch)
    },
  }
  const onError = (error: unknown) => error !== away && errors.push(error)
  const options = { store, env, timers: clock.timers, place: true, heartbeatTtlMs: 10_000, onError }
  let harness = await given({}, options)
  for (const ID of nodes) await harness.scheduler.registerNode({ ID, NodeResources: room })
  const restarted = async () => {
    await harness.scheduler.close()
    left = Number.POSITIVE_INFINITY
    harness = await given({}, options)
  }
  return {
    errors,
    kept,
    clock,
    now: () => env().now,
    present: () => harness,
    setClock: (ms: number) => {
      ahead += ms
    },
    /** Does something in a process that dies after so many commits. */
    crashing: async (commits: number, deed: () => Promise<unknown>) => {
      left = commits
      await deed().catch((error: unknown) => expect(error).toBe(away))
      await harness.scheduler.settled()
      await restarted()
    },
  }
}
type Cluster = Awaited<ReturnType<typeof cluster>>

const listed = async <Row>({ get }: Harness, path: string) => (await get(path)).json as readonly Row[]
const isLive = ({ ClientStatus }: Allocation) => /pending|running|unknown/.test(ClientStatus)
const isActive = ({ Status }: Deployment) => !/successful|failed|cancelled/.test(Status)

function migrating(id: JobId): object {
  const { most, patience } = moves[id] ?? {}
  return most === undefined || patience === undefined
    ? {}
    : { Migrate: { MaxParallel: most, HealthyDeadline: patience * 1e6 } }
}

function specOf({ id, count, build, isBold }: Step & { readonly do: 'register' }): object {
  const Type = jobs[id]
  const Update = { MaxParallel: 1, Canary: isBold ? 1 : 0, AutoRevert: isBold, ProgressDeadline: 600e9 }
  const policy = { Attempts: 2, Interval: 3600e9, Delay: 5e9, DelayFunction: 'constant', Unlimited: false }
  const group = {
    Name: 'app',
    Count: Type === 'system' ? Math.min(count, 1) : count,
    MaxClientDisconnect: isBold ? 30e9 : null,
    ReschedulePolicy: policy,
    ...migrating(id),
    Tasks: [{ Name: 't', Config: { build }, Resources: { CPU: 300 } }],
  }
  const more = id === 'tick' ? { Periodic: { Spec: '*/20 * * * *', ProhibitOverlap: isBold } } : {}
  return { ID: id, Type, TaskGroups: [group], ...(Type === 'service' ? { Update } : {}), ...more }
}

async function carryOut({ present, clock, setClock }: Cluster, step: Step): Promise<void> {
  const harness = present()
  const { send, scheduler } = harness
  if (step.do === 'register') await send('PUT', '/v1/jobs', { Job: specOf(step) })
  else if (step.do === 'stop') await send('DELETE', `/v1/job/${step.id}?purge=${step.purge}`)
  else if (step.do === 'report') {
    const row = (await listed<Allocation>(harness, '/v1/allocations'))[step.nth]
    const ClientStatus = step.status as 'running'
    if (row) await scheduler.updateAllocations([{ ID: row.ID, ClientStatus, Healthy: step.healthy }])
  } else if (step.do === 'obey') {
    for (const { ID, DesiredStatus } of await listed<Allocation>(harness, '/v1/allocations'))
      await scheduler.updateAllocations([
        DesiredStatus === 'run'
          ? { ID, ClientStatus: 'running', ...(step.isJudged ? { Healthy: true } : {}) }
          : { ID, ClientStatus: 'complete' },
      ])
  } else if (step.do === 'move') await scheduler.moveNode(step.id, step.verb as 'lose')
  else if (step.do === 'drain') {
    const DrainSpec = step.deadline === null ? null : { Deadline: step.deadline }
    await send('PUT', `/v1/node/${step.id}/drain`, { DrainSpec, MarkEligible: true })
  } else if (step.do === 'purgeNode') await send('PUT', `/v1/node/${step.id}/purge`)
  else if (step.do === 'beat') await scheduler.heartbeatNode(step.id)
  else if (step.do === 'steer') {
    const newest = (await listed<Deployment>(harness, '/v1/deployments')).findLast(isActive)
    const body = { DeploymentID: newest?.ID, Pause: step.how === 'pause', All: true }
    const verb = step.how === 'resume' ? 'pause' : step.how
    if (newest) await send('PUT', `/v1/deployment/${verb}/${newest.ID}`, body)
  } else if (step.do === 'scale')
    await send('PUT', '/v1/job/web/scale', { Count: step.count, Target: { Group: 'app' } })
  else if (step.do === 'collect') await send('PUT', '/v1/system/gc')
  else if (step.do === 'wait') await clock.advance(step.ms)
  else if (step.do === 'setClock') {
    setClock(step.ms)
    // Nobody tells a process: it sees so with the next write.
    await send('PUT', '/v1/node/pools', { Name: 'any' })
    await clock.advance(0)
  }
}

/** What is kept of a job beside it, and is not gone with it. */
const strays = (now: Snapshot): readonly string[] =>
  [jobStatusRecords, jobSummaryRecords, launchRecords, scalingRecords, jobVersionRecords].flatMap((records) =>
    now.scan({ prefix: records.prefix }).flatMap(({ key }) => {
      const [, namespace = '', id = ''] = partsOf(key)
      return jobRecords.get(now, namespace, id) ? [] : [partsOf(key).join('/')]
    }),
  )

/** Whether as many of a service as may leave at once are still to prove that they do their work. */
async function waitsForOthers(
  harness: Harness,
  allocations: readonly Allocation[],
  id: JobId,
  now: number,
): Promise<boolean> {
  const { most, patience } = moves[id] ?? { most: 0, patience: 0 }
  const own = allocations.filter((row) => row.JobID === id && isLive(row) && row.DesiredStatus === 'run')
  const proven = own.filter(
    ({ ClientStatus, DeploymentStatus, CreateTime }) =>
      ClientStatus !== 'unknown' &&
      ((DeploymentStatus?.Healthy ?? null) !== null || CreateTime / 1e6 + patience <= now),
  )
  const { TaskGroups } = (await harness.get(`/v1/job/${id}`)).json as { TaskGroups: { Count: number }[] }
  return proven.length <= (TaskGroups[0]?.Count ?? 0) - most + (own.length - proven.length)
}

/** What must hold whenever nothing is left to do. */
async function expectSound({ present, now, errors, kept }: Cluster, after: string): Promise<void> {
  const harness = present()
  const allocations = await listed<Allocation>(harness, '/v1/allocations')
  const deployments = await listed<Deployment>(harness, '/v1/deployments')
  const wanted = allocations.filter((row) => isLive(row) && row.DesiredStatus === 'run')
  expect(errors, after).toEqual([])
  expect(await realmFaults(kept, schedulerRecords), after).toEqual([])
  expect(strays(kept.snapshot()), `${after}: belong to no job`).toEqual([])
  const checked = await harness.send('PUT', '/v1/system/reconcile/summaries')
  expect(checked.json, `${after}: summaries`).toMatchObject({ Differing: [] })

  const evaluations = await listed<{ JobID: string; Status: string; WaitUntil: string | null }>(
    harness,
    '/v1/evaluations',
  )
  const stuck = evaluations.filter(
    ({ Status, WaitUntil }) => Status === 'pending' && !(WaitUntil && Date.parse(WaitUntil) > now()),
  )
  expect(stuck, `${after}: nothing waits for nothing`).toEqual([])

  for (const node of await listed<{ ID: string; Status: string; Drain: boolean }>(harness, '/v1/nodes')) {
    const here = allocations.filter(
      ({ NodeID, ClientStatus }) => NodeID === node.ID && ClientStatus !== 'unknown',
    )
    const load = here.filter((row) => wanted.includes(row)).length * 300
    expect(load, `${after}: ${node.ID} has room for what it runs`).toBeLessThanOrEqual(1500)
    if (node.Status === 'down') expect(here.filter(isLive), `${after}: ${node.ID} is down`).toEqual([])
    const services = wanted.filter(
      ({ NodeID, JobID }) => NodeID === node.ID && jobs[JobID as JobId] === 'service',
    )
    for (const { ID, JobID } of node.Drain ? services : [])
      expect(
        evaluations.some((each) => each.JobID === JobID && each.Status === 'blocked') ||
          (await waitsForOthers(harness, allocations, JobID as JobId, now())),
        `${after}: ${ID} stays on ${node.ID} for want of room, or until others are healthy`,
      ).toBe(true)
    if (node.Drain)
      expect(
        allocations.some((row) => row.NodeID === node.ID && isLive(row)),
        `${after}: a drain`,
      ).toBe(true)
  }
  for (const { ID, NextAllocation } of allocations) {
    const { PreviousAllocation: before } = (await harness.get(`/v1/allocation/${ID}`)).json as {
      PreviousAllocation: string
    }
    const [previous, next] = [before, NextAllocation].map((id) => allocations.find((row) => row.ID === id))
    if (previous) expect(previous.NextAllocation, `${after}: what came before ${ID}`).toBe(ID)
    if (next) {
      const { json } = await harness.get(`/v1/allocation/${next.ID}`)
      expect(json, `${after}: what came after ${ID}`).toMatchObject({ PreviousAllocation: ID })
      expect(
        wanted.some((row) => row.ID === ID),
        `${after}: what was replaced is over`,
      ).toBe(false)
    }
  }
  const known = await listed<Job>(harness, '/v1/jobs')
  for (const job of known) {
    const own = wanted.filter(({ JobID }) => JobID === job.ID)
    if (job.Stop || job.Status === 'dead') expect(own, `${after}: ${job.ID} is over`).toEqual([])
    const active = deployments.filter((each) => each.JobID === job.ID && isActive(each))
    expect(active.length, `${after}: roll-outs of ${job.ID}`).toBeLessThanOrEqual(job.Stop ? 0 : 1)
    if (job.Type !== 'service' || job.Stop) continue
    const names = own.map(({ JobVersion, Name }) => `${Name} of version ${JobVersion}`)
    expect(names, `${after}: ${job.ID} has one of each name`).toHaveLength(new Set(names).size)
    const { TaskGroups } = (await harness.get(`/v1/job/${job.ID}`)).json as {
      TaskGroups: { Count: number }[]
    }
    const canaries = active
      .flatMap((each) => Object.values(each.TaskGroups))
      .filter(({ Promoted }) => !Promoted)
    const most = canaries.reduce(
      (sum, { DesiredCanaries }) => sum + DesiredCanaries,
      TaskGroups[0]?.Count ?? 0,
    )
    expect(own.length, `${after}: ${job.ID} runs no more often than is wanted`).toBeLessThanOrEqual(most)
  }
  const orphans = wanted.filter(({ JobID }) => !known.some(({ ID }) => ID === JobID))
  expect(orphans, `${after}: whatever runs has a job`).toEqual([])
}

describe('whatever people, nodes, clocks and crashes do to a cluster', () => {
  it('nothing is lost, left over, or counted wrong', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 40, size: 'max' }), async (steps) => {
        const subject = await cluster()
        for (const [at, step] of steps.entries()) {
          const next = steps[at + 1]
          if (step.do !== 'crash') await carryOut(subject, step)
          else if (next && next.do !== 'wait' && next.do !== 'setClock')
            await subject.crashing(step.commits, () => carryOut(subject, next))
          await subject.present().scheduler.settled()
          await expectSound(subject, `after step ${at}, ${JSON.stringify(step)}`)
        }
        await subject.present().scheduler.close()
      }),
      { numRuns: 8 },
    )
  }, 60_000)
})
