import type { JobSpec } from './model.ts'
import { sameJson } from './rules.ts'
import type { Task, TaskGroup } from './task-group.ts'

/**
 * Whether a task group runs the same tasks in two versions of a job: then what runs of the one may become the
 * other's as it is, and only what is written about it changes. Counts, strategies, policies, services and constraints
 * make no difference to a task that runs.
 *
 * @example
 * ```ts
 * import { JobSpec, sameTasks } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
 * sameTasks(job, { ...job, Priority: 90 }, 'app') // true
 * sameTasks(job, { ...job, Meta: { color: 'blue' } }, 'app') // false
 * ```
 *
 * @public
 */
export const sameTasks = (earlier: JobSpec, later: JobSpec, group: string): boolean =>
  sameTasksIn(earlier, later)(group)

/** The same question about many groups of two versions, neither of which is searched for each of them. */
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
    // What a task sees is all three together.
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
