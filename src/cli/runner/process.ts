import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { TaskLog } from './task-log.ts'

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  /** Why it could not even begin. */
  readonly error: string | undefined
}

/** A process with everything it started, as one group. */
export interface TaskProcess {
  readonly pid: number | undefined
  readonly ended: Promise<Ended>
  /** Asks it to end, and makes it after a while. */
  readonly kill: (signal: NodeJS.Signals, patienceMs: number) => Promise<void>
}

/** What to start. */
export interface ProcessSpec {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly logs: { readonly stdout: TaskLog; readonly stderr: TaskLog }
  /** The folder that remembers which processes there are, for a runner that comes after this one. */
  readonly pids: string
}

/** Starts a process as the head of a group of its own. */
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
  if (pid !== undefined) writeFileSync(join(pids, String(pid)), bornAt(pid) ?? '', { mode: 0o600 })
  const ended = new Promise<Ended>((resolve) => {
    const end = (found: Ended) => {
      if (pid !== undefined) {
        // What it left behind in its group ends with it.
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
    kill: async (signal, patienceMs) => {
      if (pid === undefined) return
      signalGroup(pid, signal)
      const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), patienceMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Ends what a runner that was killed has left running. A number that another process has by now is left alone. */
export function killLeftovers(pids: string): number {
  let killed = 0
  for (const name of readdirSync(pids)) {
    const born = readFileSync(join(pids, name), 'utf8')
    if (born !== '' && bornAt(Number(name)) === born && signalGroup(Number(name), 'SIGKILL')) killed += 1
    rmSync(join(pids, name), { force: true })
  }
  return killed
}

/** The signal of this name, where there is one; clients write it with `SIG` or without. */
export function signalNamed(name: string): NodeJS.Signals | undefined {
  const full = name.startsWith('SIG') ? name : `SIG${name}`
  return Object.hasOwn(constants.signals, full) ? (full as NodeJS.Signals) : undefined // one of that very table
}

const signalGroup = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(-pid, signal)
  } catch {
    // It is gone.
    return false
  }
}

/** When a process was started, as the system counts; undefined where that cannot be known. */
function bornAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
