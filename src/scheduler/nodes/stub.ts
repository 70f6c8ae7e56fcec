import type { Mutable } from '../values/mutable.ts'
import type { DriverInfo, LastDrain, Node, NodeResources, ReservedResources } from './model.ts'

/**
 * A node as lists show it.
 */
export interface NodeStub {
  /** The host of its HTTP address, without the port; empty if it has none. */
  readonly Address: string
  /** On request only: the name of the operating system. */
  readonly Attributes?: Readonly<Record<string, string>>
  /** The revision that created it. */
  readonly CreateIndex: number
  readonly Datacenter: string
  /** Whether it is being drained now. */
  readonly Drain: boolean
  readonly Drivers: Readonly<Record<string, DriverInfo>>
  readonly ID: string
  /** The status of its newest drain; `null` before the first. */
  readonly LastDrain: LastDrain | null
  /** The revision that last changed it. */
  readonly ModifyIndex: number
  readonly Name: string
  readonly NodeClass: string
  readonly NodePool: string
  /** On request only: its resources. */
  readonly NodeResources?: NodeResources | null
  /** On request only: the resources reserved from jobs. */
  readonly ReservedResources?: ReservedResources | null
  /** `eligible` or `ineligible` for new allocations. */
  readonly SchedulingEligibility: string
  /** `initializing`, `ready`, `down` or `disconnected`. */
  readonly Status: string
  readonly StatusDescription: string
  /** Of its agent; empty if it reports none. */
  readonly Version: string
}

/**
 * Optional fields of a list of nodes.
 */
export interface NodeStubFields {
  /** Adds the name of the operating system under `Attributes`. */
  readonly os?: boolean | undefined
  /** Adds `NodeResources` and `ReservedResources`. */
  readonly resources?: boolean | undefined
}

/** Every stub begins as a copy of this one: see `jobs/stub.ts` for the reason. */
const blank: NodeStub = {
  Address: '',
  CreateIndex: 0,
  Datacenter: '',
  Drain: false,
  Drivers: {},
  ID: '',
  LastDrain: null,
  ModifyIndex: 0,
  Name: '',
  NodeClass: '',
  NodePool: '',
  SchedulingEligibility: '',
  Status: '',
  StatusDescription: '',
  Version: '',
}
const withOs: NodeStub = { ...blank, Attributes: {} }
const withResources: NodeStub = { ...blank, NodeResources: null, ReservedResources: null }
const withBoth: NodeStub = { ...withResources, Attributes: {} }

/**
 * The list form of a node.
 *
 * @param product - the words under which a node may state its agent's version: attribute `<word>.version`,
 * in lower case
 */
export function nodeStub(node: Node, fields: NodeStubFields, product: readonly string[]): NodeStub {
  const stub: Mutable<NodeStub> = {
    ...(fields.os ? (fields.resources ? withBoth : withOs) : fields.resources ? withResources : blank),
    Address: hostOf(node.HTTPAddr),
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
    SchedulingEligibility: node.SchedulingEligibility,
    Status: node.Status,
    StatusDescription: node.StatusDescription,
    Version: versionOf(node, product),
  }
  if (fields.os) stub.Attributes = { 'os.name': attribute(node, 'os.name') }
  if (fields.resources) {
    stub.NodeResources = node.NodeResources
    stub.ReservedResources = node.ReservedResources
  }
  return stub
}

/** The version that the agent reports, under the first product word in use. */
function versionOf(node: Node, product: readonly string[]): string {
  for (const word of product) {
    const version = attribute(node, `${word.toLowerCase()}.version`)
    if (version !== '') return version
  }
  return ''
}

const attribute = ({ Attributes }: Node, name: string): string =>
  Object.hasOwn(Attributes, name) ? (Attributes[name] ?? '') : ''

/** `10.0.0.7:4646` → `10.0.0.7`, `[::1]:4646` → `::1`; text without a port is not an address. */
function hostOf(address: string): string {
  const colon = address.lastIndexOf(':')
  if (colon < 0) return ''
  const host = address.slice(0, colon)
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}
