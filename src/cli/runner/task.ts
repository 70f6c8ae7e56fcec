import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../../kernel/index.ts'
import type { RunnerAllocation } from '../../scheduler/index.ts'
import { type Ended, signalNamed, startProcess, type TaskProcess } from './process.ts'
import { interpolated, type TaskFolders, taskEnvironment } from './task-environment.ts'
import { taskLog } from './task-log.ts'

type Group = NonNullable<RunnerAllocation['Group']>
type Task = Group['Tasks'][number]
type RestartPolicy = NonNullable<Group['RestartPolicy']>

/** The state of a task, as allocations report it. */
export interface TaskStatus {
  readonly State: 'pending' | 'running' | 'dead'
  readonly Failed: boolean
  readonly Restarts: number
  readonly StartedAt: string | null
  readonly LastRestart: string | null
  readonly FinishedAt: string | null
  readonly Events: readonly {
    readonly Type: string
    readonly Time: number
    readonly DisplayMessage: string
  }[]
}

/** A running task. */
export interface RunningTask {
  readonly status: () => TaskStatus
  /** Resolves once it has ended permanently. */
  readonly over: Promise<void>
  readonly stop: () => Promise<void>
  /** Ends its process and starts it again, which its restart policy does not count; false if none runs. */
  readonly restart: () => boolean
  /** Sends a signal to its process; false if none runs. */
  readonly signal: (name: NodeJS.Signals) => boolean
}

const keptEvents = 10

/** The drivers of this runner; neither isolates its tasks. */
export const drivers = ['raw_exec', 'exec'] as const

/** A requirement of a task that this runner does not support. */
export function unsupported(task: Task): string | undefined {
  if (!drivers.some((driver) => driver === task.Driver))
    return `driver "${task.Driver}" is not supported by this runner; it has ${drivers.join(' and ')}`
  for (const what of ['Templates', 'Artifacts', 'VolumeMounts'] as const)
    if ((task[what] ?? []).length > 0) return `${what} are not supported by this runner`
  if (task.User !== '' && task.User !== process.env['USER'])
    return `User is not supported by this runner: every task runs as the runner's own user`
  if (typeof task.Config?.['command'] !== 'string') return 'Config.command must name the program to run'
  const args = task.Config['args'] ?? []
  if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string'))
    return 'Config.args must be a list of strings'
  if (task.KillSignal !== '' && signalNamed(task.KillSignal) === undefined)
    return `there is no signal ${task.KillSignal}`
  return undefined
}

/**
 * Runs a task until it ends permanently: failures are restarted by its policy, and with `forever` also exits with code
 * 0.
 *
 * @param forever - whether a task that exits successfully is restarted, too
 * @param changed - called with every change of its status
 */
export function runTask(
  allocation: RunnerAllocation,
  task: Task,
  options: {
    readonly folders: TaskFolders & { readonly pids: string }
    readonly datacenter: string
    readonly policy: RestartPolicy
    readonly forever: boolean
    readonly env: () => Pick<Env, 'now'>
    readonly changed: () => void
  },
): RunningTask {
  const { folders, policy, forever, changed } = options
  const now = () => options.env().now
  const timestamp = () => new Date(now()).toISOString()
  const stopping = new AbortController()
  let status: TaskStatus = {
    State: 'pending',
    Failed: false,
    Restarts: 0,
    StartedAt: null,
    LastRestart: null,
    FinishedAt: null,
    Events: [],
  }
  const become = (next: Partial<TaskStatus>, Type: string, DisplayMessage: string) => {
    const event = { Type, Time: now() * 1e6, DisplayMessage }
    status = { ...status, ...next, Events: [...status.Events.slice(1 - keptEvents), event] }
    changed()
  }
  const logsFolder = join(folders.alloc, 'logs')
  for (const folder of [
    logsFolder,
    ...['data', 'tmp'].map((name) => join(folders.alloc, name)),
    ...['local', 'secrets', 'tmp'].map((name) => join(folders.task, name)),
  ])
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { MaxFiles = 10, MaxFileSizeMB = 10 } = task.LogConfig ?? {}
  const kept = { files: Math.max(1, MaxFiles), bytes: Math.max(1, MaxFileSizeMB) * 1024 * 1024 }
  const logs = {
    stdout: taskLog(logsFolder, `${task.Name}.stdout`, kept),
    stderr: taskLog(logsFolder, `${task.Name}.stderr`, kept),
  }
  const env = taskEnvironment(allocation, task, folders, options)
  const command = interpolated(String(task.Config?.['command']), env)
  const args = ((task.Config?.['args'] ?? []) as readonly string[]).map((arg) => interpolated(arg, env)) // checked by unsupported
  let current: TaskProcess | undefined
  const isStopping = () => stopping.signal.aborted
  let isRestarting = false
  const end = () => {
    const signal = signalNamed(task.KillSignal === '' ? 'SIGINT' : task.KillSignal) ?? 'SIGINT'
    return current?.kill(signal, task.KillTimeout / 1e6)
  }

  const run = async () => {
    /** The times of its restarts within the interval of the policy. */
    let restarts: number[] = []
    for (;;) {
      current = startProcess({ command, args, cwd: folders.task, env, logs, pids: folders.pids })
      if (current.pid !== undefined)
        become({ State: 'running', StartedAt: timestamp() }, 'Started', 'Task started by client')
      const ended = await current.ended
      const isWell = ended.code === 0
      const FinishedAt = timestamp()
      if (isStopping()) return become({ State: 'dead', FinishedAt }, 'Killed', 'Task successfully killed')
      if (isRestarting) {
        isRestarting = false
        status = { ...status, Restarts: status.Restarts + 1, LastRestart: timestamp() }
        become({ State: 'pending', FinishedAt }, 'Restarting', 'Task restarting: a user asked for it')
        continue
      }
      if (isWell && !forever) return become({ State: 'dead', FinishedAt }, 'Terminated', said(ended))
      become({ State: 'pending', FinishedAt }, 'Terminated', said(ended))
      const endedAt = now()
      const intervalMs = policy.Interval / 1e6
      restarts = restarts.filter((at) => at > endedAt - intervalMs)
      let pauseMs = policy.Delay / 1e6
      if (restarts.length >= policy.Attempts) {
        if (policy.Mode !== 'delay' || policy.Attempts === 0)
          return become(
            { State: 'dead', Failed: !isWell },
            'Not Restarting',
            `Exceeded allowed attempts ${policy.Attempts} in interval ${intervalMs / 1000}s and mode is "fail"`,
          )
        pauseMs = Math.max(pauseMs, (restarts[0] ?? endedAt) + intervalMs - endedAt)
        restarts = []
      }
      restarts.push(endedAt)
      become({}, 'Restarting', `Task restarting in ${pauseMs / 1000}s`)
      await pause(pauseMs, stopping.signal)
      if (isStopping()) return become({ State: 'dead', FinishedAt }, 'Killed', 'Task successfully killed')
      status = { ...status, Restarts: status.Restarts + 1, LastRestart: timestamp() }
    }
  }
  const over = run()
    .catch((error: unknown) => become({ State: 'dead', Failed: true }, 'Driver Failure', String(error)))
    .finally(() => {
      logs.stdout.close()
      logs.stderr.close()
    })
  return {
    status: () => status,
    over,
    stop: async () => {
      stopping.abort()
      await end()
      await over
    },
    restart: () => {
      if (status.State !== 'running') return false
      become({}, 'Restart Signaled', 'User requested task to restart')
      isRestarting = true
      void end()
      return true
    },
    signal: (name) => {
      if (status.State !== 'running') return false
      become({}, 'Signaling', `Task being sent a signal: ${name}`)
      return current?.signal(name) === true
    },
  }
}

const said = ({ code, signal, error }: Ended): string =>
  error ?? (signal === null ? `Exit Code: ${code}` : `Signal: ${signal}`)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
