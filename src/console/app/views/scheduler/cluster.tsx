import type { AllocationStub } from 'plinth/scheduler'
import { valuesOf } from '../../ui/facets.tsx'
import { Status } from '../../ui/status.tsx'
import { nodeLink } from './links.ts'
import { type NodeStub, statusOf } from './node-stub.ts'

export type PlacedAllocation = Pick<AllocationStub, 'NodeID' | 'Name' | 'ClientStatus'> & {
  readonly AllocatedResources?: {
    readonly Tasks?: Readonly<
      Record<
        string,
        { readonly Cpu?: { readonly CpuShares?: number }; readonly Memory?: { readonly MemoryMB?: number } }
      >
    >
  } | null
}

interface Use {
  readonly cpu: number
  readonly memory: number
  readonly names: readonly string[]
}

const none: Use = { cpu: 0, memory: 0, names: [] }

/** The allocations on each node. */
export function useByNode(allocations: readonly PlacedAllocation[]): ReadonlyMap<string, Use> {
  const uses = new Map<string, { cpu: number; memory: number; names: string[] }>()
  for (const { NodeID, Name, ClientStatus, AllocatedResources } of allocations) {
    if (ClientStatus !== 'running' && ClientStatus !== 'pending') continue
    const use = uses.get(NodeID) ?? { cpu: 0, memory: 0, names: [] }
    for (const { Cpu, Memory } of Object.values(AllocatedResources?.Tasks ?? {})) {
      use.cpu += Cpu?.CpuShares ?? 0
      use.memory += Memory?.MemoryMB ?? 0
    }
    use.names.push(Name)
    uses.set(NodeID, use)
  }
  return uses
}

const share = (used: number, whole: number | undefined): number =>
  whole === undefined || whole <= 0 ? 0 : Math.min(1, used / whole)
const percent = (part: number): string => `${Math.round(part * 100)} %`

/** The nodes as cells, by pool and datacenter, filled as far as their CPU and memory are in use. */
export function Cluster({
  nodes,
  allocations,
}: {
  readonly nodes: readonly NodeStub[]
  readonly allocations: readonly PlacedAllocation[]
}) {
  const uses = useByNode(allocations)
  const groups = new Map<string, NodeStub[]>()
  for (const node of nodes) {
    const name = `${node.NodePool} · ${node.Datacenter}`
    groups.set(name, [...(groups.get(name) ?? []), node])
  }
  return (
    <>
      <p class="legend muted">
        Each square is a node; its two bars are CPU and memory in use.
        {[...valuesOf(nodes, (node) => [statusOf(node)])].map(([status, count]) => (
          <span key={status} class="counted">
            <Status of={status} /> {count}
          </span>
        ))}
      </p>
      <div class="cluster">
        {[...groups]
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([name, members]) => (
            <section key={name}>
              <h3>
                {name} <span class="muted">{members.length}</span>
              </h3>
              <ul>
                {members.map((node) => (
                  <Cell key={node.ID} node={node} use={uses.get(node.ID) ?? none} />
                ))}
              </ul>
            </section>
          ))}
      </div>
    </>
  )
}

function Cell({ node, use }: { readonly node: NodeStub; readonly use: Use }) {
  const cpu = share(use.cpu, node.NodeResources?.Cpu?.CpuShares)
  const memory = share(use.memory, node.NodeResources?.Memory?.MemoryMB)
  const status = statusOf(node)
  const text = [
    `${node.Name}: ${status}`,
    `CPU ${percent(cpu)}, memory ${percent(memory)}`,
    `${use.names.length} allocations`,
  ].join(', ')
  const more = use.names.slice(0, 12).join('\n') + (use.names.length > 12 ? '\n…' : '')
  return (
    <li>
      <a href={nodeLink(node.ID)} class={`cell ${status}`} aria-label={text} title={`${text}\n${more}`}>
        <span style={{ height: `${cpu * 100}%` }} />
        <span style={{ height: `${memory * 100}%` }} />
      </a>
    </li>
  )
}
