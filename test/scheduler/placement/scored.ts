import { JobSpec } from '../../../src/scheduler/jobs/model.ts'
import { NodeRecord } from '../../../src/scheduler/nodes/model.ts'
import { askOf } from '../../../src/scheduler/placement/ask.ts'
import { placer } from '../../../src/scheduler/placement/placer.ts'
import type { PlacerInput } from '../../../src/scheduler/placement/placer-input.ts'
import { Site, type Usage } from '../../../src/scheduler/placement/site.ts'

/** A node with 2048 MHz and 2048 MB. */
export const node = (ID: string, over: object = {}) =>
  NodeRecord.parse({
    ID,
    NodeResources: { Cpu: { CpuShares: 2048 }, Memory: { MemoryMB: 2048 } },
    ...over,
  })

/** What one more allocation of a group gets on each node by itself, with its score. */
export function chosenOn(
  nodes: readonly NodeRecord[],
  {
    group = {},
    job: more = {},
    existing = [],
    failedOn = [],
    used = {},
    algorithm = 'binpack',
  }: {
    readonly group?: object
    readonly job?: object
    readonly existing?: PlacerInput['existing']
    readonly failedOn?: readonly string[]
    readonly used?: Readonly<Record<string, Usage>>
    readonly algorithm?: PlacerInput['algorithm']
  },
) {
  const job = JobSpec.parse({
    ID: 'web',
    TaskGroups: [
      {
        Name: 'app',
        Count: 10,
        EphemeralDisk: { SizeMB: 0 },
        Tasks: [{ Name: 't', Resources: { CPU: 1024, MemoryMB: 1024 } }],
        ...group,
      },
    ],
    ...more,
  })
  const [first] = job.TaskGroups
  if (first === undefined) throw new Error('the job has no group')
  return nodes.map((each) => {
    const sites = new Map(nodes.map((one) => [one.ID, new Site(one)]))
    for (const [id, usage] of Object.entries(used)) sites.get(id)?.take(usage)
    // The others are full: only this node can be chosen.
    for (const [id, site] of sites) if (id !== each.ID) site.take({ cpu: 1e6, memoryMb: 1e6 })
    const chooser = placer({ job, group: first, ask: askOf(job, first), sites, existing, algorithm })
    return chooser.next(new Set(failedOn))
  })
}

/** The score of each node by itself for one more allocation of a group. */
export const scoresOn = (...given: Parameters<typeof chosenOn>) =>
  chosenOn(...given).map((chosen) => chosen?.score)
