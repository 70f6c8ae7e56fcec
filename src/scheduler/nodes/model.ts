import * as z from 'zod'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'

const texts = mapOf(z.string())

/**
 * A node's report on one task driver.
 */
export const DriverInfo = z.object({
  Attributes: texts.nullable().default(null),
  Detected: z.boolean().default(false),
  Healthy: z.boolean().default(false),
  HealthDescription: z.string().default(''),
  /** RFC 3339. */
  UpdateTime: z.string().default('0001-01-01T00:00:00Z'),
})
/**
 * A node's report on one task driver.
 */
export interface DriverInfo extends z.infer<typeof DriverInfo> {}

const Network = z.object({
  Mode: z.string().default('host'),
  Device: z.string().default(''),
  CIDR: z.string().default(''),
  IP: z.string().default(''),
  MBits: z.int().default(0),
})

/**
 * The resources of a node.
 */
export const NodeResources = z.object({
  Cpu: z
    .object({
      /** MHz, all cores together. */
      CpuShares: z.int().default(0),
      TotalCpuCores: z.int().default(0),
      ReservableCpuCores: z.array(z.int()).nullable().default(null),
    })
    .prefault({}),
  Memory: z.object({ MemoryMB: z.int().default(0) }).prefault({}),
  Disk: z.object({ DiskMB: z.int().default(0) }).prefault({}),
  Networks: z.array(Network).nullable().default(null),
  Devices: z
    .array(
      z.object({
        Vendor: z.string().default(''),
        Type: z.string().default(''),
        Name: z.string().default(''),
        Attributes: mapOf(z.json()).nullable().default(null),
        /** The single devices; `null` means one. */
        Instances: z
          .array(z.object({ ID: z.string(), Healthy: z.boolean().default(true) }))
          .nullable()
          .default(null),
      }),
    )
    .nullable()
    .default(null),
  MinDynamicPort: z.int().default(20_000),
  MaxDynamicPort: z.int().default(32_000),
})
/**
 * The resources of a node.
 */
export interface NodeResources extends z.infer<typeof NodeResources> {}

/**
 * The resources that a node reserves for itself.
 */
export const ReservedResources = z.object({
  Cpu: z.object({ CpuShares: z.int().default(0) }).prefault({}),
  Memory: z.object({ MemoryMB: z.int().default(0) }).prefault({}),
  Disk: z.object({ DiskMB: z.int().default(0) }).prefault({}),
  Networks: z.object({ ReservedHostPorts: z.string().default('') }).prefault({}),
})
/**
 * The resources that a node reserves for itself.
 */
export interface ReservedResources extends z.infer<typeof ReservedResources> {}

/**
 * A drain in progress.
 */
export const DrainStrategy = z.object({
  /** Nanoseconds; negative stops allocations immediately, 0 waits without limit. */
  Deadline: int64.default(0),
  IgnoreSystemJobs: z.boolean().default(false),
  /** RFC 3339. */
  ForceDeadline: z.string().default('0001-01-01T00:00:00Z'),
  StartedAt: z.string().default('0001-01-01T00:00:00Z'),
})
/**
 * A drain in progress.
 */
export interface DrainStrategy extends z.infer<typeof DrainStrategy> {}

/**
 * The newest drain of a node, finished or not.
 */
export const LastDrain = z.object({
  StartedAt: z.string(),
  UpdatedAt: z.string(),
  Status: z.enum(['draining', 'complete', 'canceled']),
  AccessorID: z.string().default(''),
  Meta: texts.nullable().default(null),
})
/**
 * The newest drain of a node, finished or not.
 */
export interface LastDrain extends z.infer<typeof LastDrain> {}

/**
 * Every status of a node.
 */
export const NodeStatus = z.enum(['initializing', 'ready', 'down', 'disconnected'])
/**
 * Every status of a node.
 */
export type NodeStatus = z.infer<typeof NodeStatus>

/**
 * A stored node: a machine that tasks run on. Without its own indexes.
 */
export const NodeRecord = z.object({
  ID: z.string().min(1),
  Name: z.string().default(''),
  Datacenter: z.string().default('dc1'),
  NodeClass: z.string().default(''),
  NodePool: z.string().default('default'),
  HTTPAddr: z.string().default(''),
  TLSEnabled: z.boolean().default(false),
  Attributes: texts.default({}),
  Meta: texts.nullable().default({}),
  Links: texts.nullable().default({}),
  NodeResources: NodeResources.nullable().prefault({}),
  ReservedResources: ReservedResources.nullable().prefault({}),
  Drivers: mapOf(DriverInfo).default({}),
  HostVolumes: z
    .record(z.string(), z.object({ Path: z.string().default(''), ReadOnly: z.boolean().default(false) }))
    .nullable()
    .default(null),
  ComputedClass: z.string().default(''),
  Status: NodeStatus.default('ready'),
  StatusDescription: z.string().default(''),
  /** Seconds since the epoch. */
  StatusUpdatedAt: z.int().default(0),
  SchedulingEligibility: z.enum(['eligible', 'ineligible']).default('eligible'),
  DrainStrategy: DrainStrategy.nullable().default(null),
  LastDrain: LastDrain.nullable().default(null),
  Events: z
    .array(
      z.object({
        Message: z.string().default(''),
        Subsystem: z.string().default(''),
        Details: texts.nullable().default(null),
        Timestamp: z.string().default('0001-01-01T00:00:00Z'),
        CreateIndex: z.int().default(0),
      }),
    )
    .nullable()
    .default([]),
})
/**
 * A stored node: a machine that tasks run on. Without its own indexes.
 */
export interface NodeRecord extends z.infer<typeof NodeRecord> {}
/**
 * A {@link NodeRecord} with optional fields at any depth: only the ID is required, everything else has a default.
 */
export interface NodeInput extends z.input<typeof NodeRecord> {}

/**
 * A node as it is read and filtered. Lists show a {@link NodeStub} of it.
 */
export const Node = NodeRecord.extend({
  CreateIndex: z.int(),
  ModifyIndex: z.int(),
})
/**
 * A node as it is read and filtered. Lists show a {@link NodeStub} of it.
 */
export interface Node extends z.infer<typeof Node> {}

/**
 * A node as it is read by its ID: also whether it is being drained, and an empty `SecretID`, which existing clients read.
 * Filters do not know these fields.
 */
export const nodeWithDrain = Node.extend({
  Drain: z.boolean(),
  SecretID: z.literal(''),
}) satisfies z.ZodType<NodeWithDrain>
/**
 * A node as it is read by its ID: also whether it is being drained, and an empty `SecretID`, which existing clients read.
 * Filters do not know these fields.
 */
export interface NodeWithDrain extends Node {
  Drain: boolean
  SecretID: ''
}
