import { expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { NodeRecord, type Scheduler } from '../../src/scheduler/index.ts'
import { servers } from './several-servers.ts'

const minute = 60_000
const node = NodeRecord.parse({
  ID: 'n1',
  Status: 'ready',
  NodeResources: { Cpu: { CpuShares: 9000 }, Memory: { MemoryMB: 90_000 } },
})
const group = { Name: 'web', Count: 1, Tasks: [{ Name: 'web', Driver: 'exec' }] }

/** Two servers, a node, and what the first was asked for before it is cut off from the store. */
async function firstCutOff(ask: (first: Scheduler) => Promise<unknown>): Promise<{
  readonly other: Scheduler
  readonly pass: (ms: number) => Promise<void>
}> {
  const { all, clock, cut, settled } = await servers(2, { place: true, heartbeatTtlMs: 10_000 * minute })
  const [first, other] = all as [Scheduler, Scheduler]
  unwrap(await first.registerNode(node))
  await settled()
  await ask(first)
  await settled()
  cut.add(0)
  return {
    other,
    pass: async (ms) => {
      await clock.advance(ms)
      for (let round = 0; round < 3; round += 1) await other.settled()
    },
  }
}

it('a deployment fails at its progress deadline although the server of its job is cut off', async () => {
  const { other, pass } = await firstCutOff(async (first) => {
    const Update = { MaxParallel: 1, ProgressDeadline: minute * 1e6, MinHealthyTime: 1, HealthyDeadline: 1e9 }
    unwrap(await first.registerJob({ ID: 'web', TaskGroups: [{ ...group, Update }] }))
  })
  const status = async () => unwrap(await other.listDeployments()).map((each) => each.StatusDescription)
  await pass(minute - 1)
  expect(await status()).toEqual(['Deployment is running'])
  await pass(1)
  expect(await status()).toEqual(['Failed due to progress deadline'])
})

it('a drain ends at its deadline although the server that was asked for it is cut off', async () => {
  const { other, pass } = await firstCutOff(async (first) => {
    unwrap(await first.registerJob({ ID: 'web', TaskGroups: [group] }))
    await first.settled()
    unwrap(await first.drainNode('n1', { spec: { deadline: minute * 1e6, ignoreSystemJobs: false } }))
  })
  const drain = async () => unwrap(await other.readNode('n1')).LastDrain?.Status
  await pass(minute - 1)
  expect(await drain()).toBe('draining')
  await pass(1)
  expect(await drain()).toBe('complete')
})

it('a periodic job is launched although the server of its job is cut off', async () => {
  const { other, pass } = await firstCutOff(async (first) => {
    const Periodic = { Spec: '@hourly' }
    unwrap(await first.registerJob({ ID: 'tick', Type: 'batch', Periodic, TaskGroups: [group] }))
  })
  const jobs = async () => unwrap(await other.listJobs()).length
  expect(await jobs()).toBe(1)
  await pass(60 * minute)
  expect(await jobs()).toBe(2)
})

it('work of a node that disconnected is lost at its time although the server that saw it go is cut off', async () => {
  const { other, pass } = await firstCutOff(async (first) => {
    const Disconnect = { LostAfter: minute * 1e6, Replace: false }
    unwrap(await first.registerJob({ ID: 'web', TaskGroups: [{ ...group, Disconnect }] }))
    await first.settled()
    const [allocation] = unwrap(await first.listAllocations())
    unwrap(await first.updateAllocations([{ ID: allocation?.ID ?? '', ClientStatus: 'running' }]))
    unwrap(await first.moveNode('n1', 'disconnect'))
  })
  const status = async () => unwrap(await other.listAllocations()).map(({ ClientStatus }) => ClientStatus)
  await pass(minute - 1)
  expect(await status()).toEqual(['unknown'])
  await pass(1)
  expect(await status()).toEqual(['lost'])
})
