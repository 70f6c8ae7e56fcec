import type { DriverInfo, LastDrain, Node, NodeResources, ReservedResources } from './model.ts'

/**
 * A node as lists show it.
 *
 * @public
 */
export interface NodeStub {
  /** The host of its HTTP address, without the port; empty where it states none. */
  readonly Address: string
  /** Only when asked for: the name of the operating system. */
  readonly Attributes?: Readonly<Record<string, string>>
  /** The revision that made it. */
  readonly CreateIndex: number
  readonly Datacenter: string
  /** Whether it is being drained now. */
  readonly Drain: boolean
  readonly Drivers: Readonly<Record<string, DriverInfo>>
  readonly ID: string
  /** How its newest drain went; `null` before the first. */
  readonly LastDrain: LastDrain | null
  /** The revision that last changed it. */
  readonly ModifyIndex: number
  readonly Name: string
  readonly NodeClass: string
  readonly NodePool: string
  /** Only when asked for: what it has. */
  readonly NodeResources?: NodeResources | null
  /** Only when asked for: what of that jobs may not use. */
  readonly ReservedResources?: ReservedResources | null
  /** `eligible` or `ineligible` for new allocations. */
  readonly SchedulingEligibility: string
  /** `initializing`, `ready`, `down` or `disconnected`. */
  readonly Status: string
  readonly StatusDescription: string
  /** Of its agent; empty where it states none. */
  readonly Version: string
}

/**
 * What a list of nodes shows beside the usual.
 *
 * @public
 */
export interface NodeStubFields {
  /** Adds the name of the operating system under `Attributes`. */
  readonly os?: boolean | undefined
  /** Adds `NodeResources` and `ReservedResources`. */
  readonly resources?: boolean | undefined
}

/**
 * The list form of a node.
 *
 * @param product - the words under which a node may state its agent's version: attribute `<word>.version`,
 * in lower case
 *
 * @public
 */
export function nodeStub(node: Node, fields: NodeStubFields, product: readonly string[]): NodeStub {
  return {
    Address: hostOf(node.HTTPAddr),
    ...(fields.os ? { Attributes: { 'os.name': attribute(node, 'os.name') } } : {}),
    CreateIndex: node.CreateIndex,
    Datacenter: node.Datacenter,
    Drain: node.DrainStrategy !== null,
    Drivers: node.Drivers,
    ID: node.ID,
    LastDrain: node.LastDrain,
    ModifyIndex: node.ModifyIndex,
    Name: node.Name,
    NodeClass: node.NodeClass,
    NodePool: node.NodePool,
    ...(fields.resources
      ? { NodeResources: node.NodeResources, ReservedResources: node.ReservedResources }
      : {}),
    SchedulingEligibility: node.SchedulingEligibility,
    Status: node.Status,
    StatusDescription: node.StatusDescription,
    Version: product.map((word) => attribute(node, `${word.toLowerCase()}.version`)).find(Boolean) ?? '',
  }
}

const attribute = ({ Attributes }: Node, name: string): string =>
  Object.hasOwn(Attributes, name) ? (Attributes[name] ?? '') : ''

/** `10.0.0.7:4646` → `10.0.0.7`, `[::1]:4646` → `::1`; text without a port stands for no address. */
function hostOf(address: string): string {
  const colon = address.lastIndexOf(':')
  if (colon < 0) return ''
  const host = address.slice(0, colon)
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}
