import type { JobSpec } from './model.ts'
import { sameJson } from './rules.ts'
import type { Task, TaskGroup } from './task-group.ts'

/**
 * Whether a task group has the same tasks in two versions of a job: then running allocations can move to the new
 * version in place. Counts, strategies, policies, services and constraints do not affect a running task.
 *
 * @example
 * ```ts
 * import { JobSpec, sameTasks } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
 * sameTasks(job, { ...job, Priority: 90 }, 'app') // true
 * sameTasks(job, { ...job, Meta: { color: 'blue' } }, 'app') // false
 * ```
 */
export const sameTasks = (earlier: JobSpec, later: JobSpec, group: string): boolean =>
  sameTasksIn(earlier, later)(group)

/** The same check for many groups of two versions, without searching either for each group. */
export function sameTasksIn(earlier: JobSpec, later: JobSpec): (group: string) => boolean {
  const [before, after] = [groupsByName(earlier), groupsByName(later)]
  return (name) => {
    const [was, is] = [before.get(name), after.get(name)]
    return was !== undefined && is !== undefined && sameJson(running(earlier, was), running(later, is))
  }
}

/** A job's task groups by their names. */
export const groupsByName = ({ TaskGroups }: Pick<JobSpec, 'TaskGroups'>): ReadonlyMap<string, TaskGroup> =>
  new Map(TaskGroups.map((group) => [group.Name, group]))

function running(job: JobSpec, group: TaskGroup) {
  const { EphemeralDisk, Volumes, Networks, Affinities, Spreads } = group
  const tasks = group.Tasks.map((task) => ({
    ...asRun(task),
    // A task sees all three combined.
    Meta: { ...job.Meta, ...group.Meta, ...task.Meta },
  }))
  const leanings = [job.Affinities, job.Spreads, Affinities, Spreads]
  return { EphemeralDisk, Volumes, Networks, leanings, tasks }
}

const asRun = ({
  Services: _services,
  Constraints: _constraints,
  RestartPolicy: _restart,
  KillTimeout: _kill,
  ShutdownDelay: _delay,
  ...run
}: Task) => run
