import * as z from 'zod'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'

const texts = mapOf(z.string())
const anything = mapOf(z.json())

/**
 * A condition nodes must meet.
 */
export const Constraint = z.object({
  LTarget: z.string().default(''),
  RTarget: z.string().default(''),
  Operand: z.string().default('='),
})

/**
 * A preferred condition on nodes, or one to avoid if its weight is negative.
 */
export const Affinity = Constraint.extend({ Weight: z.int().min(-100).max(100).default(50) })

/**
 * How allocations are spread over the values of an attribute.
 */
export const Spread = z.object({
  Attribute: z.string().default(''),
  Weight: z.int().default(50),
  SpreadTarget: z
    .array(z.object({ Value: z.string().default(''), Percent: z.int().default(0) }))
    .nullable()
    .default(null),
})

/**
 * How a new version replaces an old one. Durations are nanoseconds.
 */
export const UpdateStrategy = z.object({
  Stagger: int64.default(30_000_000_000),
  MaxParallel: z.int().default(1),
  HealthCheck: z.string().default('checks'),
  MinHealthyTime: int64.default(10_000_000_000),
  HealthyDeadline: int64.default(300_000_000_000),
  ProgressDeadline: int64.default(600_000_000_000),
  AutoRevert: z.boolean().default(false),
  AutoPromote: z.boolean().default(false),
  Canary: z.int().default(0),
})
/**
 * How a new version replaces an old one. Durations are nanoseconds.
 */
export interface UpdateStrategy extends z.infer<typeof UpdateStrategy> {}

const RestartPolicy = z.object({
  Attempts: z.int().default(2),
  Interval: int64.default(1_800_000_000_000),
  Delay: int64.default(15_000_000_000),
  Mode: z.string().default('fail'),
  RenderTemplates: z.boolean().default(false),
})

/**
 * How failed allocations are replaced. Durations are nanoseconds.
 */
export const ReschedulePolicy = z.object({
  Attempts: z.int().default(0),
  Interval: int64.default(0),
  Delay: int64.default(30_000_000_000),
  DelayFunction: z.string().default('exponential'),
  MaxDelay: int64.default(3_600_000_000_000),
  /** By default true, unless `Attempts` are counted. */
  Unlimited: z.boolean().optional(),
})
/**
 * How failed allocations are replaced. Durations are nanoseconds.
 */
export interface ReschedulePolicy extends z.infer<typeof ReschedulePolicy> {}

/**
 * How many allocations of a group leave draining nodes at once. Durations are nanoseconds.
 *
 * @remarks
 * Waits until moved allocations are healthy: their agent reports it, or they have been running for `MinHealthyTime` if
 * `HealthCheck` is `task_states`. The wait ends at `HealthyDeadline`.
 */
export const MigrateStrategy = z.object({
  /** 0: none leaves before the drain's deadline. */
  MaxParallel: z.int().default(1),
  /** `checks` or `task_states`. */
  HealthCheck: z.string().default('checks'),
  MinHealthyTime: int64.default(10_000_000_000),
  HealthyDeadline: int64.default(300_000_000_000),
})
/**
 * How many allocations of a group leave draining nodes at once. Durations are nanoseconds.
 */
export interface MigrateStrategy extends z.infer<typeof MigrateStrategy> {}

/**
 * The behaviour of a group's allocations while their node is disconnected. Durations are nanoseconds.
 *
 * @remarks
 * A disconnected allocation is replaced meanwhile, unless `Replace` is `false`. If it returns in time, `Reconcile` chooses
 * which of the two stays: `best_score`, the default, `keep_original`, `keep_replacement` or `longest_running`.
 */
export const DisconnectStrategy = z.object({
  /** How long they may be disconnected; 0: they are lost immediately. Formerly the group's `MaxClientDisconnect`. */
  LostAfter: int64.default(0),
  /** After this time without contact their agent stops them: a lost one is replaced no sooner. */
  StopOnClientAfter: int64.nullable().default(null),
  Replace: z.boolean().nullable().default(null),
  Reconcile: z.string().default(''),
})
/**
 * The behaviour of a group's allocations while their node is disconnected. Durations are nanoseconds.
 */
export interface DisconnectStrategy extends z.infer<typeof DisconnectStrategy> {}

const Port = z.object({
  Label: z.string().default(''),
  Value: z.int().default(0),
  To: z.int().default(0),
  HostNetwork: z.string().default('default'),
  IgnoreCollision: z.boolean().optional(),
})

/** Settings for programs that this service does not talk to: kept and returned as they are, without effect. */
const kept = anything.nullable().optional()

const Network = z.object({
  Mode: z.string().default(''),
  Device: z.string().default(''),
  CIDR: z.string().default(''),
  IP: z.string().default(''),
  Hostname: z.string().default(''),
  MBits: z.int().default(0),
  ReservedPorts: z.array(Port).nullable().default(null),
  DynamicPorts: z.array(Port).nullable().default(null),
  DNS: kept,
  CNI: kept,
})

const Service = z.object({
  Name: z.string().default(''),
  PortLabel: z.string().default(''),
  AddressMode: z.string().default('auto'),
  Provider: z.string().default(''),
  Tags: z.array(z.string()).nullable().default(null),
  CanaryTags: z.array(z.string()).nullable().default(null),
  Checks: z.array(anything).nullable().default(null),
  Meta: texts.nullable().default(null),
  Connect: kept,
  Identity: kept,
  Address: z.string().optional(),
  CanaryMeta: texts.nullable().optional(),
  TaggedAddresses: texts.nullable().optional(),
  EnableTagOverride: z.boolean().optional(),
  TaskName: z.string().optional(),
  OnUpdate: z.string().optional(),
  Cluster: z.string().optional(),
  Kind: z.string().optional(),
  CheckRestart: kept,
  Weights: kept,
})

/**
 * The resources of a task.
 */
export const Resources = z.object({
  /** MHz. */
  CPU: z.int().default(100),
  Cores: z.int().default(0),
  MemoryMB: z.int().default(300),
  MemoryMaxMB: z.int().default(0),
  DiskMB: z.int().default(0),
  Networks: z.array(Network).nullable().default(null),
  Devices: z.array(anything).nullable().default(null),
  NUMA: kept,
  SecretsMB: z.int().optional(),
})
/**
 * The resources of a task.
 */
export interface Resources extends z.infer<typeof Resources> {}

/**
 * One program of a task group.
 */
export const Task = z.object({
  Name: z.string().min(1),
  Driver: z.string().default('exec'),
  User: z.string().default(''),
  Config: anything.nullable().default(null),
  Env: texts.nullable().default(null),
  Services: z.array(Service).nullable().default(null),
  Templates: z.array(anything).nullable().default(null),
  Artifacts: z.array(anything).nullable().default(null),
  Constraints: z.array(Constraint).nullable().default(null),
  Affinities: z.array(Affinity).nullable().default(null),
  Resources: Resources.prefault({}),
  RestartPolicy: RestartPolicy.nullable().prefault({}),
  Lifecycle: z
    .object({ Hook: z.string().default(''), Sidecar: z.boolean().default(false) })
    .nullable()
    .default(null),
  DispatchPayload: z
    .object({ File: z.string().default('') })
    .nullable()
    .default(null),
  LogConfig: z
    .object({
      MaxFiles: z.int().default(10),
      MaxFileSizeMB: z.int().default(10),
      Disabled: z.boolean().default(false),
    })
    .nullable()
    .prefault({}),
  VolumeMounts: z.array(anything).nullable().default(null),
  ScalingPolicies: z.array(anything).nullable().optional(),
  Meta: texts.nullable().default(null),
  Identity: kept,
  Identities: z.array(anything).nullable().optional(),
  Vault: kept,
  Consul: kept,
  CSIPluginConfig: kept,
  Schedule: kept,
  Actions: z.array(anything).nullable().optional(),
  Secrets: z.array(anything).nullable().optional(),
  Leader: z.boolean().default(false),
  Kind: z.string().default(''),
  KillSignal: z.string().default(''),
  KillTimeout: int64.default(5_000_000_000),
  ShutdownDelay: int64.default(0),
})
/**
 * One program of a task group.
 */
export interface Task extends z.infer<typeof Task> {}

/**
 * Tasks that run together on one node.
 */
export const TaskGroup = z.object({
  Name: z.string().min(1),
  Count: z.int().min(0).default(1),
  Constraints: z.array(Constraint).nullable().default(null),
  Affinities: z.array(Affinity).nullable().default(null),
  Spreads: z.array(Spread).nullable().default(null),
  Update: UpdateStrategy.nullable().default(null),
  /** Of services only; `null` is one at a time. */
  Migrate: MigrateStrategy.nullable().default(null),
  Disconnect: DisconnectStrategy.nullable().default(null),
  Scaling: anything.nullable().default(null),
  RestartPolicy: RestartPolicy.nullable().prefault({}),
  /** `null` means the default of the job's type. */
  ReschedulePolicy: ReschedulePolicy.nullable().default(null),
  EphemeralDisk: z
    .object({
      Sticky: z.boolean().default(false),
      Migrate: z.boolean().default(false),
      SizeMB: z.int().default(300),
    })
    .nullable()
    .prefault({}),
  Networks: z.array(Network).nullable().default(null),
  Services: z.array(Service).nullable().default(null),
  Volumes: mapOf(anything).nullable().default(null),
  Tasks: z.array(Task).default([]),
  Meta: texts.nullable().default(null),
  Consul: kept,
  ShutdownDelay: int64.nullable().default(null),
  /**
   * How long an allocation may outlive the silence of its node, in nanoseconds: the former name of
   * `Disconnect.LostAfter`.
   */
  MaxClientDisconnect: int64.nullable().default(null),
  /** The former name of `Disconnect.StopOnClientAfter`. */
  StopAfterClientDisconnect: int64.nullable().optional(),
  /** Kept and returned as it is, without effect: what counts is `Disconnect.Replace`. */
  PreventRescheduleOnLost: z.boolean().nullable().optional(),
  /** Kept and returned as it is, without effect. */
  MaxRunDuration: int64.nullable().optional(),
})
/**
 * Tasks that run together on one node.
 */
export interface TaskGroup extends z.infer<typeof TaskGroup> {}
