import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useResource } from '../../data/resource.ts'
import { FilterBox } from '../../ui/filter-box.tsx'
import { Problem } from '../../ui/problem.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { Cluster, type PlacedAllocation } from './cluster.tsx'
import { nodeLink } from './links.ts'
import { readPages, rowsPerPage } from './list.ts'
import { type NodeStub, statusOf } from './node-stub.ts'

const columns: readonly Column<NodeStub>[] = [
  {
    title: 'Node',
    cell: ({ ID, Name }) => (
      <a href={nodeLink(ID)} data-row-link>
        {Name || ID.slice(0, 8)}
      </a>
    ),
  },
  { title: 'Status', cell: (node) => <Status of={statusOf(node)} /> },
  { title: 'Pool', cell: ({ NodePool }) => NodePool },
  { title: 'Datacenter', cell: ({ Datacenter }) => Datacenter, isMinor: true },
  { title: 'Class', cell: ({ NodeClass }) => NodeClass, isMinor: true },
  { title: 'CPU', cell: ({ NodeResources }) => NodeResources?.Cpu?.CpuShares, isNumber: true, isMinor: true },
  {
    title: 'Memory MB',
    cell: ({ NodeResources }) => NodeResources?.Memory?.MemoryMB,
    isNumber: true,
    isMinor: true,
  },
]

/** Larger clusters are shown as a list only, page by page. */
const pagesInPicture = 10

/** The nodes, as a picture of the cluster and as a list, live. */
export default function Nodes() {
  const { query, route, path } = useLocation()
  const filter = query['filter'] ?? ''
  const pages = useSignal(pagesInPicture)
  const nodes = useResource(
    (asked) => readPages<NodeStub>('/v1/nodes', { filter, resources: 'true' }, pages.value, asked),
    [filter, pages.value],
  ).state.value
  const allocations = useResource(
    (asked) =>
      readPages<PlacedAllocation>(
        '/v1/allocations',
        {
          namespace: '*',
          resources: 'true',
          filter: 'ClientStatus == "running" or ClientStatus == "pending"',
        },
        5 * pagesInPicture,
        asked,
      ),
    [],
  ).state.value
  const { value, problem } = nodes
  const filterProblem = problem?.status === 400 ? problem.message : undefined
  const count = value?.rows.length ?? 0
  return (
    <section class="view">
      <h1>Nodes</h1>
      <FilterBox
        value={filter}
        problem={filterProblem}
        fields="nodes"
        rows={value?.rows}
        onChange={(text) => route(text === '' ? path : `${path}?filter=${encodeURIComponent(text)}`)}
      />
      {problem && filterProblem === undefined && <Problem problem={problem} service="scheduler" />}
      {value && (
        <>
          <p class="muted" role="status">
            {count === 1 ? '1 node' : `${count}${value.isWhole ? '' : ' or more'} nodes`}; each cell shows CPU
            and memory in use
          </p>
          <Cluster
            nodes={value.rows.slice(0, pagesInPicture * rowsPerPage)}
            allocations={allocations.value?.rows ?? []}
          />
          {count === 0 ? (
            <p class="empty">No nodes{filter === '' ? ' yet' : ' pass this filter'}.</p>
          ) : (
            <Rows
              label="Nodes"
              columns={columns}
              rows={value.rows}
              keyOf={({ ID }) => ID}
              onEnd={
                value.isWhole
                  ? undefined
                  : () => {
                      pages.value = Math.ceil(count / rowsPerPage) + 1
                    }
              }
            />
          )}
        </>
      )}
    </section>
  )
}
