import type { Allocation } from 'plinth/scheduler'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Rows } from '../../ui/rows.tsx'

/** The pause between two measurements. */
const againMs = 3000

interface TaskUsage {
  readonly ResourceUsage: {
    readonly CpuStats: { readonly Percent: number; readonly TotalTicks: number }
    readonly MemoryStats: { readonly RSS: number }
  }
}

/** Whether a refusal means that the node of an allocation is simulated. */
export const isSimulated = (message: string): boolean => /has no runner/.test(message)

/** What the tasks of a running allocation use of what is reserved for them, measured again while it is shown. */
export function Usage({ of }: { readonly of: Allocation }) {
  const { value, problem } = useResource(
    async ({ signal }) => {
      const path = `/v1/client/allocation/${of.ID}/stats`
      const { body } = await call<{ readonly Tasks: Readonly<Record<string, TaskUsage>> }>(
        'scheduler',
        path,
        { signal },
      )
      return { value: Object.entries(body.Tasks), againMs }
    },
    [of.ID],
  ).state.value
  return (
    <>
      <h2>Resource usage</h2>
      {problem && (
        <p class="muted">
          {isSimulated(problem.message)
            ? 'The node of this allocation is simulated: its tasks use nothing.'
            : problem.message}
        </p>
      )}
      {value && (
        <Rows
          label="Resource usage"
          rows={value}
          keyOf={([task]) => task}
          columns={[
            { title: 'Task', cell: ([task]) => task },
            { title: 'CPU', cell: (row) => cpuOf(row, of) },
            { title: 'Memory', cell: (row) => memoryOf(row, of) },
          ]}
        />
      )}
    </>
  )
}

type Row = readonly [task: string, usage: TaskUsage]

const cpuOf = ([task, { ResourceUsage }]: Row, { AllocatedResources }: Allocation): string => {
  const { TotalTicks, Percent } = ResourceUsage.CpuStats
  const reserved = AllocatedResources?.Tasks?.[task]?.Cpu.CpuShares
  return `${Math.round(TotalTicks)}${reserved === undefined ? '' : ` of ${reserved}`} MHz (${Percent.toFixed(1)} % of a core)`
}

const memoryOf = ([task, { ResourceUsage }]: Row, { AllocatedResources }: Allocation): string => {
  const used = (ResourceUsage.MemoryStats.RSS / 1024 / 1024).toFixed(1)
  const reserved = AllocatedResources?.Tasks?.[task]?.Memory.MemoryMB
  return `${used}${reserved === undefined ? '' : ` of ${reserved}`} MB`
}
