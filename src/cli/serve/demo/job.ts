import { unwrap } from '../../../kernel/index.ts'
import type { Scheduler } from '../../../scheduler/index.ts'

/** Registers three versions of a job that no node of the demo cluster can hold, for the pages that say why. */
export async function demoJob(scheduler: Scheduler, token: string | undefined): Promise<void> {
  for (const version of [1, 2, 3]) unwrap(await scheduler.registerJob(training(version), { token }))
}

function training(version: number): Parameters<Scheduler['registerJob']>[0] {
  return {
    ID: 'train-forecast',
    Name: 'train-forecast',
    Namespace: 'data',
    Type: 'batch',
    NodePool: 'gpu',
    Meta: { team: 'ml-platform' },
    TaskGroups: [
      {
        Name: 'trainer',
        Count: version === 1 ? 1 : 2,
        Constraints: [{ LTarget: '${attr.gpu.count}', RTarget: '16', Operand: '>=' }],
        Tasks: [
          {
            Name: 'trainer',
            Driver: 'docker',
            Config: { image: `registry.example/data/train-forecast:v${version}` },
            Resources: { CPU: 8000, MemoryMB: 65_536 },
          },
        ],
      },
    ],
  }
}
