import type { JobSpec } from './model.ts'
import { sameJson } from './rules.ts'
import type { Task, TaskGroup } from './task-group.ts'

/**
 * Whether a task group has the same tasks in two versions of a job: then running allocations can move to the new
 * version in place. Counts, strategies, policies, services, constraints, affinities and spreads do not affect a running
 * task.
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
  const { EphemeralDisk, Volumes, Networks, Consul, RestartPolicy } = group
  // A task sees the metadata of all three combined. The order of tasks has no effect.
  const tasks = new Map(
    group.Tasks.map((task) => [
      task.Name,
      { ...asRun(task), Meta: { ...job.Meta, ...group.Meta, ...task.Meta } },
    ]),
  )
  const names = [...tasks.keys()].sort()
  return {
    EphemeralDisk,
    Volumes,
    Networks,
    Consul,
    RenderTemplates: RestartPolicy?.RenderTemplates ?? false,
    tasks: names.map((name) => tasks.get(name)),
  }
}

/** What a task was started with; a running task takes up everything else: services, policies, signals, times. */
const asRun = (task: Task) => ({
  Name: task.Name,
  Driver: task.Driver,
  User: task.User,
  Config: task.Config,
  Env: task.Env,
  Artifacts: task.Artifacts,
  Templates: task.Templates,
  VolumeMounts: task.VolumeMounts,
  CSIPluginConfig: task.CSIPluginConfig,
  Vault: task.Vault,
  Consul: task.Consul,
  Secrets: task.Secrets,
  Identity: task.Identity,
  Identities: task.Identities,
  Resources: task.Resources,
  LogsDisabled: task.LogConfig?.Disabled ?? false,
  RenderTemplates: task.RestartPolicy?.RenderTemplates ?? false,
})
