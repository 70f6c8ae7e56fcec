/** A node as lists have it, with its resources. */
export interface NodeStub {
  readonly ID: string
  readonly Name: string
  readonly Datacenter: string
  readonly NodePool: string
  readonly NodeClass: string
  readonly Status: string
  readonly Drain: boolean
  readonly SchedulingEligibility: string
  readonly NodeResources?: {
    readonly Cpu?: { readonly CpuShares: number }
    readonly Memory?: { readonly MemoryMB: number }
  } | null
}

/** The main properties of a node. */
export const statusOf = ({
  Status,
  Drain,
  SchedulingEligibility,
}: Pick<NodeStub, 'Status' | 'Drain' | 'SchedulingEligibility'>): string =>
  Drain ? 'draining' : Status === 'ready' && SchedulingEligibility !== 'eligible' ? 'ineligible' : Status
