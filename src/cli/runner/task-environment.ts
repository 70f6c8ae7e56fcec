import { join } from 'node:path'
import type { RunnerAllocation } from '../../scheduler/index.ts'

type Task = NonNullable<RunnerAllocation['Group']>['Tasks'][number]

/** The folders of a task. */
export interface TaskFolders {
  /** Shared by the tasks of the allocation: `data`, `logs` and `tmp`. */
  readonly alloc: string
  /** Its own, in which it starts: `local`, `secrets` and `tmp`. */
  readonly task: string
}

/** The address of ports: tasks share the network of this machine. */
const host = '127.0.0.1'

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
    SHORT_ALLOC_ID: allocation.ID.slice(0, 8),
    ALLOC_NAME: allocation.Name,
    ALLOC_INDEX: /\[(\d+)\]$/.exec(allocation.Name)?.[1] ?? '0',
    ALLOC_DIR: folders.alloc,
    TASK_DIR: join(folders.task, 'local'),
    SECRETS_DIR: join(folders.task, 'secrets'),
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
  for (const [key, value] of Object.entries(meta))
    for (const name of [key, key.toUpperCase()]) about[`META_${name.replace(/\W/g, '_')}`] = value
  for (const { Label, Value, To } of allocation.AllocatedResources.Shared.Ports ?? []) {
    const name = Label.replace(/\W/g, '_')
    about[`PORT_${name}`] = String(To > 0 ? To : Value)
    about[`HOST_PORT_${name}`] = String(Value)
    // An address is where others reach the task, also where a port is mapped to another one inside of it.
    for (const kind of ['', 'HOST_']) {
      about[`${kind}IP_${name}`] = host
      about[`${kind}ADDR_${name}`] = `${host}:${Value}`
    }
  }
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
