import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NodeRecord } from '../../../src/scheduler/index.ts'
import { given, type Harness } from '../harness.ts'

const room = { Cpu: { CpuShares: 600 }, Memory: { MemoryMB: 9000 } }
const policy = { Attempts: 2, Interval: 3_600e9, Delay: 5e9, DelayFunction: 'constant', Unlimited: false }
const group = (Count: number) => ({ Name: 'app', Count, ReschedulePolicy: policy, Tasks: [{ Name: 't' }] })
const types = { web: 'service', once: 'batch', agent: 'system', sweep: 'sysbatch' } as const
const id = fc.constantFrom('web', 'once', 'agent', 'sweep')

const command = fc.oneof(
  fc.record({
    do: fc.constant('register' as const),
    id,
    count: fc.integer({ min: 0, max: 3 }),
    tag: fc.nat(2),
  }),
  fc.record({ do: fc.constant('stop' as const), id, purge: fc.boolean() }),
  fc.record({
    do: fc.constant('report' as const),
    at: fc.nat(8),
    status: fc.constantFrom('running', 'complete', 'failed', 'lost'),
  }),
  fc.record({
    do: fc.constant('node' as const),
    id: fc.constantFrom('n1', 'n2'),
    verb: fc.constantFrom('lose', 'ready'),
  }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(6000, 700_000) }),
)
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

interface Allocation {
  readonly ID: string
  readonly DesiredStatus: string
  readonly ClientStatus: string
}
const allocationsOf = async ({ get }: Harness) => (await get('/v1/allocations')).json as Allocation[]

async function carryOut(harness: Harness, step: Command): Promise<void> {
  const { scheduler, send, clock } = harness
  if (step.do === 'register') {
    const Count =
      types[step.id] === 'system' || types[step.id] === 'sysbatch' ? Math.min(1, step.count) : step.count
    const Job = {
      ID: step.id,
      Type: types[step.id],
      Meta: { tag: String(step.tag) },
      TaskGroups: [group(Count)],
    }
    await send('PUT', '/v1/jobs', { Job })
  } else if (step.do === 'stop') await send('DELETE', `/v1/job/${step.id}?purge=${step.purge}`)
  else if (step.do === 'report') {
    const row = (await allocationsOf(harness))[step.at]
    if (row) await scheduler.updateAllocations([{ ID: row.ID, ClientStatus: step.status as 'running' }])
  } else if (step.do === 'node') await scheduler.moveNode(step.id, step.verb as 'lose')
  else await clock.advance(step.ms)
  await scheduler.settled()
}

/** What goes on once every job was looked at again. */
async function decided(harness: Harness) {
  for (const name of Object.keys(types)) await harness.send('PUT', `/v1/job/${name}/evaluate`)
  await harness.scheduler.settled()
  const live = (await allocationsOf(harness)).filter(
    ({ DesiredStatus, ClientStatus }) => DesiredStatus === 'run' && /pending|running/.test(ClientStatus),
  )
  const jobs = (await harness.get('/v1/jobs')).json as { readonly ID: string; readonly Status: string }[]
  return {
    live: live.map(({ ID }) => ID).sort(),
    statuses: new Map(jobs.map(({ ID, Status }) => [ID, Status])),
  }
}

describe('collecting', () => {
  it('takes nothing that goes on, changes no status, and no decision', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 16 }), async (steps) => {
        const nodes = ['n1', 'n2'].map((ID) => NodeRecord.parse({ ID, NodeResources: room }))
        const errors: unknown[] = []
        const harness = await given({ nodes }, { place: true, onError: (error) => errors.push(error) })
        for (const step of steps) await carryOut(harness, step)
        await decided(harness)
        const before = await decided(harness)
        expect((await harness.send('PUT', '/v1/system/gc')).status).toBe(200)
        const after = await decided(harness)
        expect(after.live).toEqual(before.live)
        for (const [ID, status] of before.statuses) expect(after.statuses.get(ID) ?? 'dead').toBe(status)
        const checked = await harness.send('PUT', '/v1/system/reconcile/summaries')
        expect(checked.json).toMatchObject({ Differing: [] })
        expect(errors).toEqual([])
        await harness.scheduler.close()
      }),
      { numRuns: 60 },
    )
  })
})
