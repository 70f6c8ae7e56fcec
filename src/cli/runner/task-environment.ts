import type { RunnerAllocation } from '../../scheduler/index.ts'

type Task = NonNullable<RunnerAllocation['Group']>['Tasks'][number]

/** The folders of a task. */
export interface TaskFolders {
  /** Shared by the tasks of the allocation. */
  readonly alloc: string
  readonly task: string
}

/** The variables that every process inherits from the runner's environment; never its secrets. */
const inherited = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'TZ'] as const

/** The environment of a task; its own settings take precedence. */
export function taskEnvironment(
  allocation: RunnerAllocation,
  task: Task,
  folders: TaskFolders,
  { datacenter }: { readonly datacenter: string },
): Readonly<Record<string, string>> {
  const about: Record<string, string> = {
    ALLOC_ID: allocation.ID,
    ALLOC_NAME: allocation.Name,
    ALLOC_INDEX: /\[(\d+)\]$/.exec(allocation.Name)?.[1] ?? '0',
    ALLOC_DIR: folders.alloc,
    TASK_DIR: folders.task,
    TASK_NAME: task.Name,
    GROUP_NAME: allocation.TaskGroup,
    JOB_ID: allocation.JobID,
    JOB_NAME: allocation.Job?.Name ?? allocation.JobID,
    NAMESPACE: allocation.Namespace,
    DC: datacenter,
    CPU_LIMIT: String(task.Resources.CPU),
    MEMORY_LIMIT: String(task.Resources.MemoryMB),
  }
  const meta = { ...allocation.Job?.Meta, ...allocation.Group?.Meta, ...task.Meta }
  for (const [key, value] of Object.entries(meta)) about[`META_${key.replace(/\W/g, '_')}`] = value
  const env: Record<string, string> = {}
  for (const name of inherited) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  // The second name is the one that such tasks expect.
  for (const [name, value] of Object.entries(about)) {
    env[`PLINTH_${name}`] = value
    env[`NOMAD_${name}`] = value
  }
  for (const [name, value] of Object.entries(task.Env ?? {})) env[name] = interpolated(value, env)
  return env
}

/** Replaces `${NAME}` and `${env["NAME"]}` in a text; unknown names stay unchanged. */
export const interpolated = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(?:env\["(\w+)"\]|(\w+))\}/g, (whole, quoted?: string, plain?: string) => {
    const name = quoted ?? plain ?? ''
    return Object.hasOwn(env, name) ? (env[name] ?? whole) : whole
  })
