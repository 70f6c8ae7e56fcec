import type { JobSpec } from './model.ts'
import type { MigrateStrategy, ReschedulePolicy, TaskGroup, UpdateStrategy } from './task-group.ts'

/** The default update strategy of a service: one allocation at a time, each healthy before the next. */
const serviceUpdate: UpdateStrategy = {
  Stagger: 30_000_000_000,
  MaxParallel: 1,
  HealthCheck: 'checks',
  MinHealthyTime: 10_000_000_000,
  HealthyDeadline: 300_000_000_000,
  ProgressDeadline: 600_000_000_000,
  AutoRevert: false,
  AutoPromote: false,
  Canary: 0,
}

const reschedules: Readonly<Record<JobSpec['Type'], ReschedulePolicy | null>> = {
  service: {
    Attempts: 0,
    Interval: 0,
    Delay: 30_000_000_000,
    DelayFunction: 'exponential',
    MaxDelay: 3_600_000_000_000,
    Unlimited: true,
  },
  batch: {
    Attempts: 1,
    Interval: 86_400_000_000_000,
    Delay: 5_000_000_000,
    DelayFunction: 'constant',
    MaxDelay: 0,
    Unlimited: false,
  },
  // These run on every node: there is no other node to move to.
  system: null,
  sysbatch: null,
}

/** The reschedule policy of a task group: its own, or the default of its type of job. */
export const reschedulePolicyOf = (
  { Type }: Pick<JobSpec, 'Type'>,
  group: { readonly ReschedulePolicy: ReschedulePolicy | null },
): ReschedulePolicy | null =>
  reschedules[Type] === null ? null : (spelledOut(group.ReschedulePolicy) ?? reschedules[Type])

const spelledOut = (policy: ReschedulePolicy | null): ReschedulePolicy | null =>
  policy === null || policy.Unlimited !== undefined
    ? policy
    : Object.assign({}, policy, { Unlimited: policy.Attempts === 0 })

const oneByOne: MigrateStrategy = {
  MaxParallel: 1,
  HealthCheck: 'checks',
  MinHealthyTime: 10_000_000_000,
  HealthyDeadline: 300_000_000_000,
}

/** How the allocations of a service's task group leave draining nodes: its own setting, or one at a time. */
export const migrateStrategyOf = ({ Migrate }: Pick<TaskGroup, 'Migrate'>): MigrateStrategy =>
  // Records of older releases may have only a part of its fields.
  Object.assign({}, oneByOne, Migrate)

/** Fills in the defaults of a specification for the type of its job. */
export const withDefaults = (job: JobSpec): JobSpec =>
  Object.assign({}, job, {
    Name: job.Name === '' ? job.ID : job.Name,
    Update: job.Update ?? (job.Type === 'service' ? serviceUpdate : null),
    TaskGroups: job.TaskGroups.map((group) =>
      Object.assign({}, group, {
        ReschedulePolicy: reschedulePolicyOf(job, group),
        Migrate: job.Type === 'service' ? migrateStrategyOf(group) : group.Migrate,
      }),
    ),
  })
