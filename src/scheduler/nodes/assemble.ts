import type { Node, NodeRecord, NodeWithDrain } from './model.ts'

/** A node from its record and the record's indexes. Written out, so that all of them share one hidden class. */
export const assembleNode = (record: NodeRecord, CreateIndex: number, ModifyIndex: number): Node => ({
  ID: record.ID,
  Name: record.Name,
  Datacenter: record.Datacenter,
  NodeClass: record.NodeClass,
  NodePool: record.NodePool,
  HTTPAddr: record.HTTPAddr,
  TLSEnabled: record.TLSEnabled,
  Attributes: record.Attributes,
  Meta: record.Meta,
  Links: record.Links,
  NodeResources: record.NodeResources,
  ReservedResources: record.ReservedResources,
  Drivers: record.Drivers,
  HostVolumes: record.HostVolumes,
  ComputedClass: record.ComputedClass,
  Status: record.Status,
  StatusDescription: record.StatusDescription,
  StatusUpdatedAt: record.StatusUpdatedAt,
  SchedulingEligibility: record.SchedulingEligibility,
  DrainStrategy: record.DrainStrategy,
  LastDrain: record.LastDrain,
  Events: record.Events,
  CreateIndex,
  ModifyIndex,
})

/** A node as it is read by its ID. */
export const withDrain = (node: Node): NodeWithDrain =>
  Object.freeze(Object.assign({ Drain: node.DrainStrategy !== null, SecretID: '' as const }, node))
