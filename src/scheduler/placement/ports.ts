import type { NodeRecord } from '../nodes/model.ts'

/**
 * A port of an allocation on its node.
 */
export interface PortUse {
  readonly Label: string
  readonly Value: number
  /** The port inside the allocation; 0 if it is the same. */
  readonly To: number
}

/** A port that a group requests; a dynamic one has no value. */
export interface PortAsk {
  readonly label: string
  readonly value: number | undefined
  readonly to: number
}

const reserved = new WeakMap<object, ReadonlySet<number> | 'malformed'>()
const none: ReadonlySet<number> = new Set()

/** The ports that a node reserves for itself: `22,80,8500-8600`. */
export function reservedPorts({ ReservedResources }: NodeRecord): ReadonlySet<number> | 'malformed' {
  const text = ReservedResources?.Networks.ReservedHostPorts ?? ''
  if (ReservedResources === null || text === '') return none
  const known = reserved.get(ReservedResources)
  if (known !== undefined) return known
  const ports = new Set<number>()
  for (const part of text.split(',')) {
    const match = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part)
    if (match === null) {
      reserved.set(ReservedResources, 'malformed')
      return 'malformed'
    }
    const first = Number(match[1])
    const last = Math.min(65_535, Number(match[2] ?? first))
    for (let port = first; port <= last; port += 1) ports.add(port)
  }
  reserved.set(ReservedResources, ports)
  return ports
}

/** The ports of an allocation, or why it gets none on this node. */
export function choosePorts(
  node: NodeRecord,
  asks: readonly PortAsk[],
  used: Pick<ReadonlySet<number>, 'has'> | undefined,
): { readonly ports: readonly PortUse[] } | { readonly missing: string } {
  const kept = reservedPorts(node)
  if (kept === 'malformed') return { missing: 'network: invalid node' }
  const mine = new Set<number>()
  const isTaken = (port: number) => mine.has(port) || used?.has(port) === true || kept.has(port)
  const ports: PortUse[] = []
  for (const { label, value, to } of asks) {
    if (value === undefined) continue
    if (isTaken(value)) return { missing: `network: reserved port collision ${label}=${value}` }
    mine.add(value)
    ports.push({ Label: label, Value: value, To: to })
  }
  const { MinDynamicPort = 20_000, MaxDynamicPort = 32_000 } = node.NodeResources ?? {}
  let next = MinDynamicPort
  for (const { label, value, to } of asks) {
    if (value !== undefined) continue
    while (next <= MaxDynamicPort && isTaken(next)) next += 1
    if (next > MaxDynamicPort) return { missing: 'network: dynamic port selection failed' }
    mine.add(next)
    ports.push({ Label: label, Value: next, To: to === -1 ? next : to })
  }
  return { ports }
}
