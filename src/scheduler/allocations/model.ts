import * as z from 'zod'
import { PlacementMetrics } from '../placement/metrics-model.ts'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'

const texts = mapOf(z.string())

const TaskEvent = z.object({
  Type: z.string().default(''),
  /** Nanoseconds since the epoch. */
  Time: int64.default(0),
  DisplayMessage: z.string().default(''),
  Details: texts.nullable().default(null),
})

/**
 * The state of one task of an allocation.
 */
export const TaskState = z.object({
  State: z.string().default('pending'),
  Failed: z.boolean().default(false),
  Restarts: z.int().default(0),
  /** RFC 3339. */
  StartedAt: z.string().nullable().default(null),
  /** When it was restarted last. */
  LastRestart: z.string().nullable().optional(),
  FinishedAt: z.string().nullable().default(null),
  Events: z.array(TaskEvent).nullable().default(null),
})

const NetworkPort = z.object({
  Label: z.string().default(''),
  Value: z.int(),
  To: z.int().default(0),
  HostNetwork: z.string().default('default'),
})

/** A network of a task group on the node, with its ports. */
const AllocatedNetwork = z.object({
  Mode: z.string().default(''),
  Device: z.string().default(''),
  CIDR: z.string().default(''),
  IP: z.string().default(''),
  MBits: z.int().default(0),
  ReservedPorts: z.array(NetworkPort).nullable().default(null),
  DynamicPorts: z.array(NetworkPort).nullable().default(null),
})
const Networks = z.array(AllocatedNetwork).nullable().default(null)

/** The resources of one task of an allocation. */
const AllocatedTask = z.object({
  Cpu: z
    .object({
      /** MHz. */
      CpuShares: z.int().default(0),
      /** The exclusive cores; `null` for none. */
      ReservedCores: z.array(z.int()).nullable().default(null),
    })
    .prefault({}),
  Memory: z.object({ MemoryMB: z.int().default(0), MemoryMaxMB: z.int().default(0) }).prefault({}),
  /** The networks that the task asks for itself. */
  Networks,
  /** The node's devices; `null` for none. */
  Devices: z
    .array(
      z.object({
        Vendor: z.string().default(''),
        Type: z.string().default(''),
        Name: z.string().default(''),
        DeviceIDs: z.array(z.string()).default([]),
      }),
    )
    .nullable()
    .default(null),
})

/**
 * The resources of an allocation on its node.
 */
export const AllocatedResources = z.object({
  /** By task. */
  Tasks: mapOf(AllocatedTask).default({}),
  /** By task, when it runs: tasks that never run at the same time share resources. `null` if it runs all the time. */
  TaskLifecycles: mapOf(
    z.object({ Hook: z.string().default(''), Sidecar: z.boolean().default(false) }).nullable(),
  ).default({}),
  /** The resources that the tasks have together. */
  Shared: z
    .object({
      /** The networks of the group. */
      Networks,
      DiskMB: z.int().default(0),
      /** The node's ports; `null` for none. */
      Ports: z
        .array(
          z.object({
            Label: z.string().default(''),
            Value: z.int(),
            To: z.int().default(0),
            HostIP: z.string().default(''),
          }),
        )
        .nullable()
        .default(null),
    })
    .prefault({}),
})
/**
 * The resources of an allocation on its node.
 */
export interface AllocatedResources extends z.infer<typeof AllocatedResources> {}

/**
 * The health of an allocation in its deployment.
 */
export const AllocDeploymentStatus = z.object({
  Healthy: z.boolean().nullable().default(null),
  /** RFC 3339. */
  Timestamp: z.string().nullable().default(null),
  Canary: z.boolean().default(false),
  ModifyIndex: z.int().default(0),
})

/**
 * The failures before an allocation, by which the delay of the next replacement grows.
 */
export const RescheduleTracker = z.object({
  /** Oldest first. */
  Events: z.array(
    z.object({
      /** Nanoseconds since the epoch: when the failed allocation was replaced. */
      RescheduleTime: int64.default(0),
      PrevAllocID: z.string().default(''),
      PrevNodeID: z.string().default(''),
      /** Nanoseconds between the failure and the replacement, by the policy. */
      Delay: int64.default(0),
    }),
  ),
  LastReschedule: z.string().default('ok'),
})
/**
 * The failures before an allocation, by which the delay of the next replacement grows.
 */
export interface RescheduleTracker extends z.infer<typeof RescheduleTracker> {}

/**
 * An allocation as it is stored: a task group's tasks, assigned to a node. Without its own indexes.
 */
export const AllocationRecord = z.object({
  ID: z.string().min(1),
  Namespace: z.string().default('default'),
  EvalID: z.string().default(''),
  Name: z.string().default(''),
  NodeID: z.string().default(''),
  NodeName: z.string().default(''),
  JobID: z.string().default(''),
  JobType: z.string().default('service'),
  JobVersion: z.int().default(0),
  /** The CreateIndex of the job's incarnation this belongs to; 0 stands for the current one. */
  JobCreateIndex: z.int().default(0),
  TaskGroup: z.string().default(''),
  AllocatedResources: AllocatedResources.prefault({}),
  /** How its node was chosen. */
  Metrics: PlacementMetrics.nullable().default(null),
  DesiredStatus: z.enum(['run', 'stop', 'evict']).default('run'),
  DesiredDescription: z.string().default(''),
  /**
   * What was requested: `Migrate` asks for a replacement of a stopped allocation, unless `MigrateDisablePlacement` is set;
   * `ForceReschedule` asks to replace a failed one at once, without regard to its reschedule policy.
   */
  DesiredTransition: z
    .object({
      Migrate: z.boolean().default(false),
      ForceReschedule: z.boolean().default(false),
      MigrateDisablePlacement: z.boolean().default(false),
    })
    .nullable()
    .default(null),
  ClientStatus: z.enum(['pending', 'running', 'complete', 'failed', 'lost', 'unknown']).default('pending'),
  ClientDescription: z.string().default(''),
  TaskStates: mapOf(TaskState).nullable().default(null),
  DeploymentID: z.string().default(''),
  DeploymentStatus: AllocDeploymentStatus.nullable().default(null),
  PreviousAllocation: z.string().default(''),
  NextAllocation: z.string().default(''),
  FollowupEvalID: z.string().default(''),
  RescheduleTracker: RescheduleTracker.nullable().default(null),
  /** The allocations that made room for this one; `null` for none. */
  PreemptedAllocations: z.array(z.string()).nullable().default(null),
  PreemptedByAllocation: z.string().default(''),
  /** Nanoseconds since the epoch. */
  CreateTime: int64.default(0),
  ModifyTime: int64.default(0),
})
/**
 * An allocation as it is stored: a task group's tasks, assigned to a node. Without its own indexes.
 */
export interface AllocationRecord extends z.infer<typeof AllocationRecord> {}

/**
 * An allocation as it is read and filtered. Lists show an {@link AllocationStub} of it.
 */
export const Allocation = AllocationRecord.extend({ CreateIndex: z.int(), ModifyIndex: z.int() })
/**
 * An allocation as it is read and filtered. Lists show an {@link AllocationStub} of it.
 */
export interface Allocation extends z.infer<typeof Allocation> {}
