import type { AllocationStub } from 'plinth/scheduler'
import type { Column } from '../../ui/column.ts'
import { Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { View } from '../../ui/view.tsx'
import { FilteredList } from './filtered-list.tsx'
import { allocationLink, jobLink, nodeLink } from './links.ts'

const own: readonly Column<AllocationStub>[] = [
  {
    title: 'Allocation',
    cell: ({ ID, Name }) => (
      <a href={allocationLink(ID)} data-row-link>
        {Name}
      </a>
    ),
    by: ({ Name }) => Name,
  },
  {
    title: 'Status',
    cell: ({ ClientStatus }) => <Status of={ClientStatus} />,
    by: ({ ClientStatus }) => ClientStatus,
  },
  { title: 'Desired', cell: ({ DesiredStatus }) => DesiredStatus, isMinor: true },
  { title: 'Version', cell: ({ JobVersion }) => JobVersion, isNumber: true, isMinor: true },
]
const age: Column<AllocationStub> = {
  title: 'Created',
  cell: ({ CreateTime }) => <Time ms={CreateTime / 1e6} />,
  by: ({ CreateTime }) => CreateTime,
  isMinor: true,
}
const node: Column<AllocationStub> = {
  title: 'Node',
  cell: ({ NodeID, NodeName }) => <a href={nodeLink(NodeID)}>{NodeName || NodeID.slice(0, 8)}</a>,
  by: ({ NodeID, NodeName }) => NodeName || NodeID,
}
const job: Column<AllocationStub> = {
  title: 'Job',
  cell: ({ JobID, Namespace }) => <a href={jobLink(JobID, Namespace)}>{JobID}</a>,
  by: ({ JobID }) => JobID,
}

/** The allocations of a job, or of a node. */
export function Allocations({
  rows,
  of,
}: {
  readonly rows: readonly AllocationStub[]
  readonly of: 'job' | 'node'
}) {
  if (rows.length === 0) return <p class="empty">No allocations.</p>
  const columns = [...own, of === 'job' ? node : job, age]
  return <Rows label="Allocations" columns={columns} rows={rows} keyOf={({ ID }) => ID} />
}

/** The allocations of all jobs, live. */
export default function AllAllocations() {
  return (
    <View title="Allocations">
      <FilteredList
        title="Allocations"
        noun={['allocation', 'allocations']}
        path="/v1/allocations"
        names={['Name', 'NodeName', 'ID']}
        facets={{ ClientStatus: 'Status', DesiredStatus: 'Desired', Namespace: 'Namespace' }}
        hint="The scheduler creates them when a job runs."
        query={{ namespace: '*' }}
        columns={[...own, job, node, age]}
        keyOf={({ ID }) => ID}
      />
    </View>
  )
}
