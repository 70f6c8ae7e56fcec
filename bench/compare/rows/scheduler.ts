import { accepted, counting, type Row } from '../row.ts'

const group = (Count: number) => ({ Name: 'web', Count, Tasks: [{ Name: 'main', Driver: 'exec' }] })
const room = { Cpu: { CpuShares: 4_000_000 }, Memory: { MemoryMB: 12_000_000 } }
const teams = ['infra', 'data', 'web'] as const
const idOf = (n: number) => `job-${String(n).padStart(7, '0')}`

export const scheduler: readonly Row[] = [
  {
    name: 'scheduler: register a job',
    clock: 'cpu',
    operations: 200,
    prepare: async ({ load }) => {
      const service = (await load('./scheduler')).createScheduler({
        store: (await load('./store')).memoryStore(),
      })
      return counting(200, async (n) =>
        accepted(await service.registerJob({ ID: idOf(n), Name: idOf(n), TaskGroups: [group(1)] })),
      )
    },
  },
  {
    name: 'scheduler: place 1,000 allocations',
    clock: 'cpu',
    operations: 1,
    prepare: async ({ load }) => {
      const { createScheduler } = await load('./scheduler')
      const { memoryStore } = await load('./store')
      const service = createScheduler({ store: memoryStore(), place: true, simulate: true })
      const nodes = Array.from({ length: 200 }, (_, n) => ({ ID: `node-${n}`, NodeResources: room }))
      accepted(await service.load({ nodes }))
      return counting(1, async (n) => {
        accepted(await service.registerJob({ ID: idOf(n), TaskGroups: [group(1000)] }))
        await service.settled()
        const { Summary } = accepted(await service.readJobSummary(idOf(n)))
        if (Summary['web']?.Running !== 1000) throw new Error('not all was placed')
      })
    },
  },
  {
    name: 'scheduler: filtered page of 100 of 20,000 jobs',
    clock: 'cpu',
    operations: 200,
    prepare: async ({ load }) => {
      const service = (await load('./scheduler')).createScheduler({
        store: (await load('./store')).memoryStore(),
      })
      const jobs = Array.from({ length: 20_000 }, (_, n) => ({
        ID: idOf(n),
        Priority: 1 + (n % 100),
        Meta: { team: teams[n % 3] ?? 'infra', shard: String(n % 64) },
        Status: n % 5 === 0 ? ('dead' as const) : ('running' as const),
      }))
      accepted(await service.load({ jobs }))
      return counting(200, async (n) => {
        const nextToken = `default.${idOf((n * 389) % 10_000)}`
        const page = accepted(
          await service.listJobs({ filter: 'Meta.team != "web"', perPage: 100, nextToken }),
        )
        if (page.length !== 100) throw new Error(`a page of ${page.length}`)
      })
    },
  },
]
