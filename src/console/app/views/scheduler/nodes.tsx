import type { Page } from '../../data/cursor-list.ts'
import { pause, type Reading, useResource } from '../../data/resource.ts'
import type { Column } from '../../ui/column.ts'
import { Status } from '../../ui/status.tsx'
import { View } from '../../ui/view.tsx'
import { Cluster, type PlacedAllocation } from './cluster.tsx'
import { FilteredList } from './filtered-list.tsx'
import { nodeLink } from './links.ts'
import { readPage } from './list.ts'
import { type NodeStub, statusOf } from './node-stub.ts'

const columns: readonly Column<NodeStub>[] = [
  {
    title: 'Node',
    cell: ({ ID, Name }) => (
      <a href={nodeLink(ID)} data-row-link>
        {Name || ID.slice(0, 8)}
      </a>
    ),
    by: ({ ID, Name }) => Name || ID,
  },
  { title: 'Status', cell: (node) => <Status of={statusOf(node)} />, by: statusOf },
  { title: 'Pool', cell: ({ NodePool }) => NodePool },
  { title: 'Datacenter', cell: ({ Datacenter }) => Datacenter, isMinor: true },
  { title: 'Class', cell: ({ NodeClass }) => NodeClass, isMinor: true },
  {
    title: 'CPU MHz',
    cell: ({ NodeResources }) => NodeResources?.Cpu?.CpuShares,
    isNumber: true,
    isMinor: true,
  },
  {
    title: 'Memory MB',
    cell: ({ NodeResources }) => NodeResources?.Memory?.MemoryMB,
    isNumber: true,
    isMinor: true,
  },
]

const nodesInPicture = 2000
/** The minimum interval between reads of the allocations. */
const perRead = 1000
const readsAtMost = 10
const pictureGapMs = 2000

/** The allocations for the picture: waits for changes, and reads them together. */
async function readPlaced({
  index,
  signal,
}: {
  readonly index: number | undefined
  readonly signal: AbortSignal
}): Promise<Reading<readonly PlacedAllocation[]>> {
  const query = {
    namespace: '*',
    resources: 'true',
    filter: 'ClientStatus == "running" or ClientStatus == "pending"',
  }
  if (index !== undefined) await pause(pictureGapMs, signal)
  const first = await readPage<PlacedAllocation>('/v1/allocations', query, perRead, {
    cursor: undefined,
    index,
    signal,
  })
  const rows = [...first.rows]
  let cursor = first.next
  for (let read = 1; read < readsAtMost && cursor !== undefined; read += 1) {
    const page: Page<PlacedAllocation> = await readPage('/v1/allocations', query, perRead, {
      cursor,
      index: undefined,
      signal,
    })
    rows.push(...page.rows)
    cursor = page.next
  }
  return { value: rows, index: first.index }
}

/** The nodes, as cells of the cluster and as a list, live. */
export default function Nodes() {
  const placed = useResource(readPlaced, []).state.value
  return (
    <View title="Nodes">
      <FilteredList
        title="Nodes"
        noun={['node', 'nodes']}
        path="/v1/nodes"
        names={['Name', 'ID']}
        facets={{
          Status: 'Status',
          NodePool: 'Pool',
          Datacenter: 'Datacenter',
          SchedulingEligibility: 'Eligibility',
        }}
        hint="Start one with: plinth runner --node NAME"
        query={{ resources: 'true' }}
        columns={columns}
        keyOf={({ ID }) => ID}
        atLeast={nodesInPicture}
        about={(nodes) => <Cluster nodes={nodes.slice(0, nodesInPicture)} allocations={placed.value ?? []} />}
      />
    </View>
  )
}
