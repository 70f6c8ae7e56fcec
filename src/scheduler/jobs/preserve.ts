import type { JobSpec } from './model.ts'

/**
 * The fields of the current job that a registration preserves instead of taking them from the new job.
 */
export interface Preserving {
  /**
   * Whether existing task groups, stopped or not, keep their counts as the last scaling set them; those of the input
   * are ignored.
   */
  readonly preserveCounts?: boolean | undefined
  /** Whether tasks of the current job, in task groups of the same names, likewise keep their resources. */
  readonly preserveResources?: boolean | undefined
}

/** A job to register over an existing one, with the preserved fields. */
export function preserved(
  present: JobSpec,
  job: JobSpec,
  { preserveCounts = false, preserveResources = false }: Preserving,
): JobSpec {
  if (!preserveCounts && !preserveResources) return job
  const before = byName(present.TaskGroups)
  const TaskGroups = job.TaskGroups.map((group) => {
    const known = before.get(group.Name)
    if (known === undefined) return group
    const Count = preserveCounts ? known.Count : group.Count
    if (!preserveResources) return Object.assign({}, group, { Count })
    const tasks = byName(known.Tasks)
    const Tasks = group.Tasks.map((task) =>
      Object.assign({}, task, { Resources: tasks.get(task.Name)?.Resources ?? task.Resources }),
    )
    return Object.assign({}, group, { Count, Tasks })
  })
  return Object.assign({}, job, { TaskGroups })
}

const byName = <Item extends { readonly Name: string }>(items: readonly Item[]) =>
  new Map(items.map((item) => [item.Name, item]))
