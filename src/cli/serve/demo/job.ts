import { unwrap } from '../../../kernel/index.ts'
import type { Scheduler } from '../../../scheduler/index.ts'

/** Registers a job that no node of the demo cluster can hold, for the pages that say why. */
export async function demoJob(scheduler: Scheduler, token: string | undefined): Promise<void> {
  const job: Parameters<Scheduler['registerJob']>[0] = {
    ID: 'train-forecast',
    Name: 'train-forecast',
    Namespace: 'data',
    Type: 'batch',
    NodePool: 'gpu',
    Meta: { team: 'ml-platform' },
    TaskGroups: [
      {
        Name: 'trainer',
        Count: 2,
        Constraints: [{ LTarget: '${attr.gpu.count}', RTarget: '16', Operand: '>=' }],
        Tasks: [
          {
            Name: 'trainer',
            Driver: 'docker',
            Config: { image: 'registry.example/data/train-forecast:v1' },
            Resources: { CPU: 8000, MemoryMB: 65_536 },
          },
        ],
      },
    ],
  }
  unwrap(await scheduler.registerJob(job, { token }))
}
