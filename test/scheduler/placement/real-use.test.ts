import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../src/kernel/seeded-random.ts'
import { hasEnded } from '../../../src/scheduler/allocations/rules.ts'
import { usageIn } from '../../../src/scheduler/allocations/usage.ts'
import type { Allocation, JobInput } from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'

const cpu = 1000
const nodes = ['n1', 'n2', 'n3'].map((ID) => ({
  ID,
  Name: ID,
  NodeResources: { Cpu: { CpuShares: cpu }, Memory: { MemoryMB: 8192 } },
}))

describe('nodes that take their time to end what they were told to stop', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'are promised nothing twice: seed %i',
    async (seed) => {
      const random = seededRandom(seed)
      const below = (limit: number) => Math.floor(random() * limit)
      const { scheduler } = await given({ nodes }, { place: true })
      const all = async (): Promise<Allocation[]> => {
        const listed = await scheduler.listAllocations()
        const found = await Promise.all(
          (listed.ok ? listed.value : []).map(({ ID }) => scheduler.readAllocation(ID)),
        )
        return found.flatMap((each) => (each.ok ? each.value : []))
      }
      const check = async () => {
        await scheduler.settled()
        const real = (await all()).filter((row) => !hasEnded(row))
        for (const { ID } of nodes) {
          const here = real.filter(({ NodeID }) => NodeID === ID)
          const used = here.reduce((sum, row) => sum + usageIn(row.AllocatedResources).cpu, 0)
          expect(used, `seed ${seed}: ${ID}`).toBeLessThanOrEqual(cpu)
          const ports = here
            .flatMap((row) => row.AllocatedResources.Shared.Ports ?? [])
            .map(({ Value }) => Value)
          expect(new Set(ports).size, `seed ${seed}: ports of ${ID}`).toBe(ports.length)
        }
        return real
      }
      const job = (at: number, build: number, Count: number): JobInput => ({
        ID: `job${at}`,
        Type: at === 0 ? 'system' : 'service',
        Update: at === 1 ? { MaxParallel: 2 } : null,
        TaskGroups: [
          {
            Name: 'app',
            Count,
            Networks: at === 2 ? [{ ReservedPorts: [{ Label: 'p', Value: 80 }] }] : null,
            Tasks: [{ Name: 't', Resources: { CPU: 100 + 100 * below(3) }, Env: { BUILD: String(build) } }],
          },
        ],
      })
      /** Some nodes report what became of their allocations. */
      const report = async (isAll: boolean) => {
        const due = (await all()).filter((row) => !hasEnded(row) && (isAll || below(3) === 0))
        await scheduler.updateAllocations(
          due.flatMap(({ ID, DesiredStatus, ClientStatus }) =>
            DesiredStatus !== 'run'
              ? { ID, ClientStatus: 'complete' as const }
              : ClientStatus === 'pending'
                ? { ID, ClientStatus: 'running' as const, Healthy: true }
                : [],
          ),
        )
        return due.length
      }
      for (let step = 0; step < 12; step += 1) {
        const at = below(4)
        await scheduler.registerJob(job(at, step, at === 0 ? 1 : 1 + below(5)))
        await check()
        await report(false)
        await check()
      }
      for (let round = 0; round < 12; round += 1) {
        await report(true)
        await check()
      }
      // In the end everything runs, or waits for room.
      for (const at of [0, 1, 2, 3]) {
        const found = await scheduler.readJob(`job${at}`)
        if (!found.ok) continue
        const wanted = at === 0 ? nodes.length : (found.value.TaskGroups[0]?.Count ?? 0)
        const own = (await check()).filter(({ JobID }) => JobID === `job${at}`)
        const blocked = await scheduler.listEvaluations({ job: `job${at}`, status: 'blocked' })
        const deployment = await scheduler.readJobDeployment(`job${at}`)
        const isOver = deployment.ok && deployment.value?.Status !== 'running'
        if (blocked.ok && blocked.value.length === 0 && isOver)
          expect(own.length, `seed ${seed}: job${at}`).toBe(wanted)
        expect(own.filter(({ DesiredStatus }) => DesiredStatus !== 'run')).toEqual([])
      }
      await scheduler.close()
    },
  )
})
