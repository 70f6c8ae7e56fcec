import fc from 'fast-check'
import { expect } from 'vitest'
import { memoryStore, type Store } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { given, type Harness } from './harness.ts'

const room = { Cpu: { CpuShares: 1500 }, Memory: { MemoryMB: 9000 } }
const nodes = ['n1', 'n2', 'n3'] as const
export const jobs = { web: 'service', api: 'service', once: 'batch', agent: 'system', tick: 'batch' } as const
export type JobId = keyof typeof jobs
/**
 * How many of a service leave draining nodes at once, and how long (ms) others wait for one without a health report.
 */
export const moves: { readonly [Id in JobId]?: { readonly most: number; readonly patience: number } } = {
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

export const command = fc.oneof(
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
export type Step = typeof command extends fc.Arbitrary<infer Value> ? Value : never

export interface Allocation {
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
  readonly DeploymentStatus: { readonly Healthy: boolean | null; readonly Canary: boolean } | null
}
export interface Deployment {
  readonly ID: string
  readonly JobID: string
  readonly JobVersion: number
  readonly Status: string
  readonly TaskGroups: Readonly<
    Record<string, { readonly DesiredCanaries: number; readonly Promoted: boolean }>
  >
}
export interface Job {
  readonly ID: string
  readonly Type: string
  readonly Status: string
  readonly Stop: boolean
}

/** A cluster that can be crashed after so many commits, and whose clock can be set. */
export async function cluster() {
  const clock = testClock()
  let ahead = 0
  const env = () => ({ ...clock.env(), now: clock.now() + ahead })
  const kept = memoryStore()
  const errors: unknown[] = []
  const judged = new Set<string>()
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
    /** The allocations with a health report. */
    judged,
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
export type Cluster = Awaited<ReturnType<typeof cluster>>

export const listed = async <Row>({ get }: Harness, path: string) => (await get(path)).json as readonly Row[]
export const isLive = ({ ClientStatus }: Allocation) => /pending|running|unknown/.test(ClientStatus)
export const isActive = ({ Status }: Deployment) => !/successful|failed|cancelled/.test(Status)

function migrating(id: JobId): object {
  const { most, patience } = moves[id] ?? {}
  return most === undefined || patience === undefined
    ? {}
    : { Migrate: { MaxParallel: most, HealthyDeadline: patience * 1e6 } }
}

/** What a bold version says of nodes that are out of touch, in each of the ways there are. */
const outOfTouch: { readonly [Id in JobId]?: object } = {
  web: { MaxClientDisconnect: 30e9 },
  api: { Disconnect: { LostAfter: 30e9, Replace: false } },
  once: { Disconnect: { StopOnClientAfter: 20e9 } },
}

function specOf({ id, count, build, isBold }: Step & { readonly do: 'register' }): object {
  const Type = jobs[id]
  const Update = { MaxParallel: 1, Canary: isBold ? 1 : 0, AutoRevert: isBold, ProgressDeadline: 600e9 }
  const policy = { Attempts: 2, Interval: 3600e9, Delay: 5e9, DelayFunction: 'constant', Unlimited: false }
  const group = {
    Name: 'app',
    Count: Type === 'system' ? Math.min(count, 1) : count,
    ...(isBold ? outOfTouch[id] : {}),
    ReschedulePolicy: policy,
    ...migrating(id),
    Tasks: [{ Name: 't', Config: { build }, Resources: { CPU: 300 } }],
  }
  const more = id === 'tick' ? { Periodic: { Spec: '*/20 * * * *', ProhibitOverlap: isBold } } : {}
  return { ID: id, Type, TaskGroups: [group], ...(Type === 'service' ? { Update } : {}), ...more }
}

export async function carryOut({ present, clock, setClock, judged }: Cluster, step: Step): Promise<void> {
  const harness = present()
  const { send, scheduler } = harness
  if (step.do === 'register') await send('PUT', '/v1/jobs', { Job: specOf(step) })
  else if (step.do === 'stop') await send('DELETE', `/v1/job/${step.id}?purge=${step.purge}`)
  else if (step.do === 'report') {
    const row = (await listed<Allocation>(harness, '/v1/allocations'))[step.nth]
    if (row === undefined) return
    const ClientStatus = step.status as 'running'
    judged.add(row.ID)
    await scheduler.updateAllocations([{ ID: row.ID, ClientStatus, Healthy: step.healthy }])
  } else if (step.do === 'obey') {
    for (const { ID, DesiredStatus } of await listed<Allocation>(harness, '/v1/allocations')) {
      if (step.isJudged) judged.add(ID)
      await scheduler.updateAllocations([
        DesiredStatus === 'run'
          ? { ID, ClientStatus: 'running', ...(step.isJudged ? { Healthy: true } : {}) }
          : { ID, ClientStatus: 'complete' },
      ])
    }
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
    // The process is not notified: its next write finds out.
    await send('PUT', '/v1/node/pools', { Name: 'any' })
    await clock.advance(0)
  }
}
