import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isTerminalEvaluation,
  jobStatusOf,
  NodeRecord,
  summariseChildren,
  summariseGroups,
} from '../../../src/scheduler/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { given, type Harness } from '../harness.ts'

type Row = Record<string, never>

/** A group that may wait for its node, be rolled out behind canaries, and go back where that fails: by its count. */
const TaskGroups = (Count: number) => [
  {
    Name: 'app',
    Count,
    MaxClientDisconnect: Count === 3 ? 60e9 : null,
    Update: { MaxParallel: 1, Canary: Count % 2, AutoRevert: true, AutoPromote: Count === 5 },
    Tasks: [{ Name: 't' }],
  },
]
const specs = (id: string, count: number, priority: number, parent: string) =>
  id === 'mail'
    ? { ID: id, Type: 'batch', Priority: priority, ParameterizedJob: {}, TaskGroups: TaskGroups(count) }
    : { ID: id, Priority: priority, ParentID: parent, TaskGroups: TaskGroups(count) }

const id = fc.constantFrom('web', 'api', 'mail')
const command = fc.oneof(
  fc.record({
    do: fc.constant('register' as const),
    id,
    count: fc.integer({ min: 0, max: 5 }),
    priority: fc.integer({ min: 1, max: 4 }),
    parent: fc.constantFrom('', 'mail', 'web'),
  }),
  fc.record({ do: fc.constant('stop' as const), id, purge: fc.boolean() }),
  fc.record({ do: fc.constant('dispatch' as const) }),
  fc.record({
    do: fc.constant('report' as const),
    at: fc.nat(20),
    status: fc.constantFrom('running', 'complete', 'failed', 'lost'),
  }),
  fc.record({ do: fc.constant('health' as const), at: fc.nat(20), healthy: fc.boolean() }),
  fc.record({
    do: fc.constant('node' as const),
    id: fc.constantFrom('n1', 'n2'),
    verb: fc.constantFrom(
      'register',
      'lose',
      'ready',
      'disconnect',
      'drain',
      'purge',
      'eligible',
      'ineligible',
    ),
  }),
  fc.record({ do: fc.constant('scale' as const), id, count: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ do: fc.constant('revert' as const), id, version: fc.nat(3) }),
  fc.record({
    do: fc.constant('steer' as const),
    at: fc.nat(5),
    verb: fc.constantFrom('pause', 'resume', 'fail', 'promote'),
  }),
  fc.record({ do: fc.constant('halt' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1000, 700_000, 86_400_000) }),
)
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

async function carryOut({ scheduler, send, get, clock }: Harness, step: Command): Promise<void> {
  const rows = async () => (await get('/v1/allocations?namespace=*')).json as { readonly ID: string }[]
  switch (step.do) {
    case 'register':
      return void (await send('PUT', '/v1/jobs', {
        Job: specs(step.id, step.count, step.priority, step.parent),
      }))
    case 'stop':
      return void (await send('DELETE', `/v1/job/${step.id}?purge=${step.purge}`))
    case 'dispatch':
      return void (await send('PUT', '/v1/job/mail/dispatch', {}))
    case 'report': {
      const row = (await rows())[step.at]
      if (row) await scheduler.updateAllocations([{ ID: row.ID, ClientStatus: step.status as 'running' }])
      return
    }
    case 'health': {
      const row = (await rows())[step.at]
      if (row) await scheduler.updateAllocations([{ ID: row.ID, Healthy: step.healthy }])
      return
    }
    case 'node':
      if (step.verb === 'register')
        await scheduler.registerNode(
          NodeRecord.parse({
            ID: step.id,
            NodeResources: { Cpu: { CpuShares: 400 }, Memory: { MemoryMB: 9000 } },
          }),
        )
      else if (step.verb === 'drain')
        await scheduler.drainNode(step.id, { spec: { deadline: 60e9, ignoreSystemJobs: false } })
      else if (step.verb === 'purge') await scheduler.purgeNode(step.id)
      else if (step.verb === 'eligible' || step.verb === 'ineligible')
        await scheduler.setNodeEligibility(step.id, step.verb)
      else await scheduler.moveNode(step.id, step.verb as 'lose')
      return
    case 'scale':
      return void (await scheduler.scaleJob(step.id, { group: 'app', count: step.count }))
    case 'revert':
      return void (await scheduler.revertJob(step.id, { version: step.version }))
    case 'steer': {
      const listed = (await get('/v1/deployments')).json as { readonly ID: string }[]
      const found = listed[step.at]?.ID
      if (found === undefined) return
      if (step.verb === 'fail') await scheduler.failDeployment(found)
      else if (step.verb === 'promote') await scheduler.promoteDeployment(found)
      else await scheduler.pauseDeployment(found, step.verb === 'pause')
      return
    }
    case 'halt': {
      const row = (await rows())[step.at]
      if (row) await scheduler.stopAllocation(row.ID)
      return
    }
    case 'advance':
      return clock.advance(step.ms)
  }
}

/** Derives every job's status and summary from all records there are, and compares. */
async function compare({ get }: Harness): Promise<void> {
  const list = async (path: string) => (await get(path)).json as Row[]
  const stubs = await list('/v1/jobs')
  const statuses = new Map<string, string>()
  const jobs: Row[] = []
  for (const stub of stubs) jobs.push((await get(`/v1/job/${stub['ID']}`)).json as Row)
  const [deployments, evaluations, stubbed] = await Promise.all(
    ['deployments', 'evaluations', 'allocations'].map((kind) => list(`/v1/${kind}`)),
  )
  const allocations: Row[] = []
  for (const { ID } of stubbed ?? []) allocations.push((await get(`/v1/allocation/${ID}`)).json as Row)
  for (const job of jobs) {
    const own = <T extends Row>(rows: readonly T[] | undefined) =>
      (rows ?? []).filter((row) => row['JobID'] === job['ID'])
    const present = (rows: readonly Row[] | undefined) =>
      own(rows).filter((row) => row['JobCreateIndex'] === job['CreateIndex'])
    const status = jobStatusOf(job as never, {
      deployments: present(deployments) as never,
      allocations: present(allocations) as never,
      evaluations: own(evaluations) as never,
    })
    expect([job['ID'], job['Status']]).toEqual([job['ID'], status])
    statuses.set(job['ID'] ?? '', status)
  }
  for (const [at, job] of jobs.entries()) {
    const own = (evaluations ?? []).filter(
      (row) => row['JobID'] === job['ID'] && !isTerminalEvaluation(row as never),
    )
    const queued = own.findLast((row) => row['QueuedAllocations'] !== null)?.['QueuedAllocations'] ?? {}
    const summary = stubs[at]?.['JobSummary'] as unknown as {
      Summary: Record<string, Record<string, number>>
      Children: object
    }
    const mine = allocations.filter(
      (row) => row['JobID'] === job['ID'] && row['JobCreateIndex'] === job['CreateIndex'],
    )
    expect(summary.Summary).toEqual(summariseGroups(job as never, mine as never, queued))
    for (const group of Object.values(summary.Summary))
      for (const count of Object.values(group)) expect(count).toBeGreaterThanOrEqual(0)
    const children = jobs
      .filter(({ ParentID }) => ParentID === job['ID'])
      .map(({ ID }) => ({ Status: statuses.get(ID ?? '') }))
    expect(summary.Children).toEqual(summariseChildren(children as never))
  }
}

/** No allocation runs on a node that is gone, and every due evaluation was processed. */
async function nothingLeft({ get, clock }: Harness, places: boolean): Promise<void> {
  const nodes = new Map(((await get('/v1/nodes')).json as Row[]).map((row) => [row['ID'], row['Status']]))
  for (const row of (await get('/v1/allocations')).json as Row[]) {
    const isOver = ['complete', 'failed', 'lost'].includes(row['ClientStatus'] ?? '')
    const status = nodes.get(row['NodeID'] as never)
    if (status === undefined || status === 'down')
      expect([row['ID'], row['ClientStatus'], isOver]).toEqual([row['ID'], row['ClientStatus'], true])
  }
  const due = ((await get('/v1/evaluations')).json as Row[]).filter(
    (row) => row['Status'] === 'pending' && !(Date.parse(row['WaitUntil'] ?? '') > clock.now()),
  )
  if (places) expect(due).toEqual([])
}

describe('statuses and summaries', () => {
  it.each([
    ['with placement, simulated', { place: true, simulate: true }],
    ['with placement, reported by nodes', { place: true }],
    ['without placement', {}],
  ])(
    'always equal a derivation from all records: %s',
    async (_what, options) => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), async (steps) => {
          const errors: unknown[] = []
          const harness = await given({}, { ...options, onError: (error) => errors.push(error) })
          for (const step of steps) {
            await carryOut(harness, step)
            // Several requests make one comparison: nothing may happen between them.
            await harness.scheduler.settled()
            await compare(harness)
          }
          await harness.scheduler.settled()
          await compare(harness)
          await nothingLeft(harness, 'place' in options)
          expect(errors).toEqual([])
          await harness.scheduler.close()
        }),
        { numRuns: 30 },
      )
    },
    60_000,
  )

  it('hold when writers race', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 2, maxLength: 8 }), async (steps) => {
        const errors: unknown[] = []
        const harness = await given(
          {},
          { place: true, simulate: true, onError: (error) => errors.push(error) },
        )
        await Promise.all(
          steps.filter((step) => step.do !== 'advance').map((step) => carryOut(harness, step)),
        )
        await harness.scheduler.settled()
        await compare(harness)
        await nothingLeft(harness, true)
        expect(errors).toEqual([])
        await harness.scheduler.close()
      }),
      { numRuns: 30 },
    )
  })

  it('hold, and nothing stays undone, when the store refuses any commits', async () => {
    const refused = fc.array(fc.boolean(), { minLength: 20, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 2, maxLength: 12 }), refused, async (steps, faults) => {
        const kept = memoryStore()
        let isSound = true
        let commits = 0
        const commit: typeof kept.commit = (batch) => {
          const fails = !isSound && faults[commits++ % faults.length] === true
          return fails ? Promise.reject(new Error('the store is away')) : kept.commit(batch)
        }
        const harness = await given({}, { place: true, store: { ...kept, commit }, onError: () => {} })
        await carryOut(harness, { do: 'node', id: 'n1', verb: 'register' })
        isSound = false
        for (const step of steps) {
          await carryOut(harness, step).catch(() => {})
          await harness.scheduler.settled()
          await compare(harness)
        }
        isSound = true
        await harness.clock.advance(10_000)
        await harness.scheduler.settled()
        await compare(harness)
        await nothingLeft(harness, true)
        await harness.scheduler.close()
      }),
      { numRuns: 30 },
    )
  })
})
