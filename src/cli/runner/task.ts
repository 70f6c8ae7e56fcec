import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Env } from '../../kernel/index.ts'
import type { RunnerAllocation } from '../../scheduler/index.ts'
import { pause } from './pause.ts'
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
  /** The ID of its process group; undefined if none runs. */
  readonly group: () => number | undefined
  /** Sends a signal to its process; false if none runs. */
  readonly signal: (name: NodeJS.Signals) => boolean
}

const keptEvents = 10

const killed = ['Killed', 'Task successfully killed'] as const

/** The drivers of this runner; neither isolates its tasks. */
export const drivers = ['raw_exec', 'exec'] as const

/** A requirement of a task that this runner does not support. */
export function unsupported(task: Task): string | undefined {
  if (!isFolderName(task.Name))
    return 'the name of a task is that of a folder: without slashes, and not "alloc"'
  if (!drivers.some((driver) => driver === task.Driver))
    return `driver "${task.Driver}" is not supported by this runner; it has ${drivers.join(' and ')}`
  for (const what of ['Templates', 'Artifacts', 'VolumeMounts'] as const)
    if ((task[what] ?? []).length > 0) return `${what} are not supported by this runner`
  if (task.User !== '' && task.User !== process.env['USER'])
    return `User is not supported by this runner: every task runs as the runner's own user`
  if (typeof task.Config?.['command'] !== 'string') return 'Config.command must name the program to run'
  const args = task.Config['args'] ?? []
  if (!Array.isArray(args) || args.some((arg) => typeof arg === 'object'))
    return 'Config.args must be a list of strings'
  if (task.KillSignal !== '' && signalNamed(task.KillSignal) === undefined)
    return `there is no signal ${task.KillSignal}`
  return undefined
}

/** The folder of a task stands beside `alloc`. */
const isFolderName = (name: string): boolean =>
  !/[\\/\0]/.test(name) && !['', '.', '..', 'alloc'].includes(name)

/** How a task is run. */
interface TaskOptions {
  readonly folders: TaskFolders & { readonly pids: string }
  readonly datacenter: string
  readonly policy: RestartPolicy
  /** Whether a task that exits successfully is restarted, too. */
  readonly forever: boolean
  readonly env: () => Pick<Env, 'now'>
  /** Called with every change of its status. */
  readonly changed: () => void
}

/**
 * Runs a task until it ends permanently: failures are restarted by its policy, and with `forever` also exits with code
 * 0.
 */
export function runTask(allocation: RunnerAllocation, task: Task, options: TaskOptions): RunningTask {
  const { status, now, timestamp, restarted, become } = statusOfTask(options)
  const program = prepared(allocation, task, options)
  const stopping = new AbortController()
  let current: TaskProcess | undefined
  let isRestarting = false
  const killSignal = signalNamed(task.KillSignal) ?? 'SIGINT'
  const end = () => current?.kill(killSignal, task.KillTimeout / 1e6)

  const run = async () => {
    const restartPause = restartPauses(options.policy)
    for (;;) {
      current = startProcess(program)
      if (current.pid !== undefined)
        become({ State: 'running', StartedAt: timestamp() }, 'Started', 'Task started by client')
      const ended = await current.ended
      const isWell = ended.code === 0
      const FinishedAt = timestamp()
      if (stopping.signal.aborted) return become({ State: 'dead', FinishedAt }, ...killed)
      if (isRestarting) {
        isRestarting = false
        restarted()
        become({ State: 'pending', FinishedAt }, 'Restarting', 'Task restarting: a user asked for it')
        continue
      }
      if (isWell && !options.forever) return become({ State: 'dead', FinishedAt }, 'Terminated', said(ended))
      become({ State: 'pending', FinishedAt }, 'Terminated', said(ended))
      const { pauseMs, exceeded } = restartPause(now())
      if (exceeded !== undefined)
        return become({ State: 'dead', Failed: !isWell }, 'Not Restarting', exceeded)
      become({}, 'Restarting', `Task restarting in ${pauseMs / 1000}s`)
      await pause(pauseMs, stopping.signal)
      if (stopping.signal.aborted) return become({ State: 'dead', FinishedAt }, ...killed)
      restarted()
    }
  }
  const over = run()
    .catch((error: unknown) => become({ State: 'dead', Failed: true }, 'Driver Failure', String(error)))
    .finally(program.closeLogs)
  return {
    status,
    over,
    stop: async () => {
      stopping.abort()
      await end()
      await over
    },
    restart: () => {
      if (status().State !== 'running') return false
      become({}, 'Restart Signaled', 'User requested task to restart')
      isRestarting = true
      void end()
      return true
    },
    group: () => (status().State === 'running' ? current?.pid : undefined),
    signal: (name) => {
      if (status().State !== 'running') return false
      become({}, 'Signaling', `Task being sent a signal: ${name}`)
      return current?.signal(name) === true
    },
  }
}

/** The status of a task and its latest events. */
function statusOfTask({ env, changed }: Pick<TaskOptions, 'env' | 'changed'>) {
  const now = () => env().now
  const timestamp = () => new Date(now()).toISOString()
  let status: TaskStatus = {
    State: 'pending',
    Failed: false,
    Restarts: 0,
    StartedAt: null,
    LastRestart: null,
    FinishedAt: null,
    Events: [],
  }
  return {
    status: () => status,
    now,
    timestamp,
    /** Counts a restart, which the next event announces. */
    restarted: () => {
      status = { ...status, Restarts: status.Restarts + 1, LastRestart: timestamp() }
    },
    become: (next: Partial<TaskStatus>, Type: string, DisplayMessage: string) => {
      const event = { Type, Time: now() * 1e6, DisplayMessage }
      status = { ...status, ...next, Events: [...status.Events.slice(1 - keptEvents), event] }
      changed()
    },
  }
}

/** Creates the folders and logs of a task: its process is ready to start. */
function prepared(allocation: RunnerAllocation, task: Task, options: TaskOptions) {
  const { folders } = options
  const logsFolder = join(folders.alloc, 'logs')
  for (const folder of [
    logsFolder,
    ...['data', 'tmp'].map((name) => join(folders.alloc, name)),
    ...['local', 'secrets', 'tmp'].map((name) => join(folders.task, name)),
  ])
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  putPayload(allocation, task, join(folders.task, 'local'))
  const { MaxFiles = 10, MaxFileSizeMB = 10 } = task.LogConfig ?? {}
  const kept = { files: Math.max(1, MaxFiles), bytes: Math.max(1, MaxFileSizeMB) * 1024 * 1024 }
  const env = taskEnvironment(allocation, task, folders, options)
  const args = (task.Config?.['args'] ?? []) as readonly unknown[] // checked by unsupported
  const logs = {
    stdout: taskLog(logsFolder, `${task.Name}.stdout`, kept),
    stderr: taskLog(logsFolder, `${task.Name}.stderr`, kept),
  }
  return {
    command: interpolated(String(task.Config?.['command']), env),
    args: args.map((arg) => interpolated(String(arg), env)),
    cwd: folders.task,
    env,
    pids: folders.pids,
    logs,
    closeLogs: () => {
      logs.stdout.close()
      logs.stderr.close()
    },
  }
}

/** Writes the payload with which the job was dispatched to the file that a task has for it. */
function putPayload({ Job }: RunnerAllocation, { DispatchPayload }: Task, local: string): void {
  const name = DispatchPayload?.File ?? ''
  if (name === '' || (Job?.Payload ?? '') === '') return
  const file = join(local, name)
  if (!file.startsWith(join(local, '/')))
    throw new Error(`dispatch_payload: file ${JSON.stringify(name)} is not in the folder local of the task`)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, Buffer.from(Job?.Payload ?? '', 'base64'), { mode: 0o600 })
}

/** How long a restart policy has each next restart wait, or why there is none. */
function restartPauses({ Attempts, Interval, Delay, Mode }: RestartPolicy) {
  const intervalMs = Interval / 1e6
  /** The times of the restarts within the interval. */
  let restarts: number[] = []
  return (endedAt: number): { readonly pauseMs: number; readonly exceeded?: string } => {
    restarts = restarts.filter((at) => at > endedAt - intervalMs)
    let pauseMs = Delay / 1e6
    if (restarts.length >= Attempts) {
      if (Mode !== 'delay' || Attempts === 0) {
        const exceeded = `Exceeded allowed attempts ${Attempts} in interval ${intervalMs / 1000}s and mode is "fail"`
        return { pauseMs, exceeded }
      }
      pauseMs = Math.max(pauseMs, (restarts[0] ?? endedAt) + intervalMs - endedAt)
      restarts = []
    }
    restarts.push(endedAt)
    return { pauseMs }
  }
}

const said = ({ code, signal, error }: Ended): string =>
  error ?? (signal === null ? `Exit Code: ${code}` : `Signal: ${signal}`)
