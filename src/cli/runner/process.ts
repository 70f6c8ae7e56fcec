import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { TaskLog } from './task-log.ts'

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  /** Why it could not start. */
  readonly error: string | undefined
}

/** A process and its descendants, as one process group. */
export interface TaskProcess {
  readonly pid: number | undefined
  readonly ended: Promise<Ended>
  /** Sends a signal; false if it has exited. */
  readonly signal: (signal: NodeJS.Signals) => boolean
  /** Sends a signal, and SIGKILL after a timeout. */
  readonly kill: (signal: NodeJS.Signals, patienceMs: number) => Promise<void>
}

/** What to start. */
export interface ProcessSpec {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly logs: { readonly stdout: TaskLog; readonly stderr: TaskLog }
  /** The folder that records running processes, so that a restarted runner can find them. */
  readonly pids: string
}

/** Starts a process as the leader of its own process group. */
export function startProcess({ command, args, cwd, env, logs, pids }: ProcessSpec): TaskProcess {
  const child: ChildProcess = spawn(command, [...args], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid } = child
  child.stdout?.on('data', logs.stdout.write)
  child.stderr?.on('data', logs.stderr.write)
  if (pid !== undefined)
    try {
      writeFileSync(join(pids, String(pid)), bornAt(pid) ?? '', { mode: 0o600 })
    } catch (error) {
      // A process that is not recorded would outlive a killed runner.
      signalGroup(pid, 'SIGKILL')
      throw error
    }
  const ended = new Promise<Ended>((resolve) => {
    const end = (found: Ended) => {
      if (pid !== undefined) {
        // Whatever is left of its group ends with it.
        signalGroup(pid, 'SIGKILL')
        rmSync(join(pids, String(pid)), { force: true })
      }
      resolve(found)
    }
    child.once('error', (error) => end({ code: null, signal: null, error: error.message }))
    child.once('exit', (code, signal) => end({ code, signal, error: undefined }))
  })
  return {
    pid,
    ended,
    signal: (signal) => pid !== undefined && signalGroup(pid, signal),
    kill: async (signal, patienceMs) => {
      if (pid === undefined) return
      signalGroup(pid, signal)
      const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), patienceMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Kills the processes that a killed runner left behind. A process ID that has been reused is left alone. */
export function killLeftovers(pids: string): number {
  let killed = 0
  for (const name of readdirSync(pids)) {
    const born = readFileSync(join(pids, name), 'utf8')
    if (born !== '' && bornAt(Number(name)) === born && signalGroup(Number(name), 'SIGKILL')) killed += 1
    rmSync(join(pids, name), { force: true })
  }
  return killed
}

/** The signal of this name, if it exists; with or without `SIG`. */
export function signalNamed(name: string): NodeJS.Signals | undefined {
  const full = name.startsWith('SIG') ? name : `SIG${name}`
  return Object.hasOwn(constants.signals, full) ? (full as NodeJS.Signals) : undefined // checked above
}

const signalGroup = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(-pid, signal)
  } catch {
    // It has exited.
    return false
  }
}

/** The start time of a process, in the system's ticks; undefined if unknown. */
function bornAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
