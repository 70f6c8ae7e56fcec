import { spawn } from 'node:child_process'
import { bundled } from './bundled.ts'

/** Worker processes over the sources, bundled once so that they start fast. */
export interface Workers {
  start(...args: readonly string[]): Worker
  remove(): Promise<void>
}

export interface Worker {
  /** Rejects if it ends before it was killed, with what it complained of. */
  readonly failed: Promise<never>
  /** Calls `fn` with each whole line; half a line that a kill cut off is not heard. */
  onLine(fn: (line: string) => void): void
  /** The lines printed until it ended by itself. */
  finished(): Promise<string[]>
  kill(): Promise<void>
  /** Lets it go on after it was stopped. */
  goOn(): void
}

export async function workers(): Promise<Workers> {
  const { file, remove } = await bundled('worker')
  return { start: (...args) => start(file('worker'), args), remove }
}

function start(file: string, args: readonly string[]): Worker {
  // Earlier versions of Node warn of SQLite, which is no complaint.
  const env = { ...process.env, NODE_NO_WARNINGS: '1' }
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
  const lines: string[] = []
  let rest = ''
  let complaint = ''
  let heard = (line: string): void => {
    lines.push(line)
  }
  child.stdout.on('data', (bytes: Buffer) => {
    const parts = (rest + bytes.toString()).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) heard(line)
  })
  child.stderr.on('data', (bytes: Buffer) => {
    complaint += bytes.toString()
  })
  // `close` comes once the pipes are read to their end.
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  let killed = false
  const failed = closed.then(
    (code): Promise<never> =>
      killed ? new Promise(() => {}) : Promise.reject(new Error(`a worker ended with ${code}: ${complaint}`)),
  )
  failed.catch(() => undefined)
  return {
    failed,
    onLine: (fn) => {
      heard = fn
      for (const line of lines.splice(0)) fn(line)
    },
    finished: async () => {
      const code = await closed
      if (code !== 0) throw new Error(`a worker ended with ${code}: ${complaint}`)
      return lines
    },
    goOn: () => void child.kill('SIGCONT'),
    kill: async () => {
      killed = true
      child.kill('SIGKILL')
      await closed
      if (complaint !== '') throw new Error(`a worker complained before it was killed: ${complaint}`)
    },
  }
}
