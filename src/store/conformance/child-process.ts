import { systemTimers } from '../../kernel/index.ts'
import type { Store } from '../port/port.ts'
import type { ProcessHarness } from './harness.ts'

/**
 * A program for a child process on an open store, which may open the same realm again; its source text is sent there,
 * so it may use only its arguments.
 */
export type ChildProgram<Input> = (
  store: Store,
  input: Input,
  tell: (line: unknown) => void,
  open: () => Promise<Store>,
) => Promise<void>

/** How many seconds a process may say nothing: starting takes some of them. */
const patience = 60

/** A process that works on a realm. */
export interface Child {
  /** Calls `fn` with each line, past and future; an incomplete line of a killed process is dropped. */
  onLine(fn: (line: unknown) => void): void
  /** Resolves once it has exited by itself; rejects with its error output if it failed. */
  readonly finished: Promise<void>
  /** Kills it as a crash would, and resolves once it has exited. */
  kill(): Promise<void>
}

/** The part of `node:child_process` that is used here, because hosts without it load this folder, too. */
interface Processes {
  spawn(program: string, args: readonly string[], options: object): ChildHandle
}
interface Stream {
  on(event: 'data', fn: (bytes: Uint8Array) => void): unknown
}
interface ChildHandle {
  readonly stdout: Stream
  readonly stderr: Stream
  kill(signal: string): unknown
  once(event: 'close', fn: (code: number | null) => void): unknown
}
interface Host {
  readonly execPath: string
  readonly env: Readonly<Record<string, string | undefined>>
  getBuiltinModule(name: string): unknown
}

/** Writes to another realm now and then, until it is stopped. */
const neighbourProgram = (store: Store, pause: (ms: number) => Promise<void>): (() => Promise<void>) => {
  let isWanted = true
  const written = (async () => {
    for (let at = 0; isWanted; at += 1) {
      await store.commit([{ id: `${process.pid}-${at}`, put: [{ key: `k${at % 9}`, value: at }] }])
      await pause(5)
    }
    await store.close()
  })()
  return () => {
    isWanted = false
    return written
  }
}

/** The text of a program that opens a realm, and beside it those of its neighbours. */
function programText<Input>(
  url: string,
  name: string,
  realm: string,
  neighbours: number,
  { program, input }: { readonly program: ChildProgram<Input>; readonly input: Input },
): string {
  return `
    import { writeSync } from 'node:fs'
    import { setTimeout as pause } from 'node:timers/promises'
    const { ${JSON.stringify(name)}: open } = await import(${JSON.stringify(url)})
    const again = () => open(${JSON.stringify(realm)})
    const store = await again()
    const beside = ${neighbourProgram.toString()}
    const neighbours = []
    for (let at = 0; at < ${neighbours}; at += 1) neighbours.push(beside(await open(${JSON.stringify(realm)} + '-' + at), pause))
    const tell = (line) => {
      for (let rest = Buffer.from(JSON.stringify(line) + '\\n'); rest.length > 0; )
        try {
          rest = rest.subarray(writeSync(1, rest))
        } catch (error) {
          // A full pipe: its reader is slow.
          if (error.code !== 'EAGAIN') throw error
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
        }
    }
    await (${program.toString()})(store, ${JSON.stringify(input)}, tell, again)
    for (const stop of neighbours) await stop()
    await store.close()
    // By itself, which frees what a driver left to the end; at once if a driver would hold the process.
    pause(1_000, undefined, { ref: false }).then(() => process.exit())`
}

/** Starts a process that opens a realm with the harness's module and runs `program` on it. */
export function startChild<Input>(
  { module, export: name = 'open', nodeFlags = [], neighbours = 0 }: ProcessHarness,
  realm: string,
  program: ChildProgram<Input>,
  input: Input,
): Child {
  const { process: host } = globalThis as { readonly process?: Host }
  if (host === undefined || module === undefined)
    throw new Error('this suite starts processes: it needs Node, and the `module` of the harness')
  // The name and signature of the host's own module.
  const { spawn } = host.getBuiltinModule('node:child_process') as Processes
  const url = /^[a-z]{2,}:/.test(module) ? module : new URL(module, `file://${cwdOf(host)}/`).href
  const text = programText(url, name, realm, neighbours, { program, input })
  // Flags of the parent, perhaps a test runner, are not passed to the child.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = host.env
  const child = spawn(host.execPath, [...nodeFlags, '--input-type=module', '--eval', text], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return childOf(child)
}

/** A started process: its lines, and its end. */
function childOf(child: ReturnType<Processes['spawn']>): Child {
  const lines: unknown[] = []
  let hear = (line: unknown): void => {
    lines.push(line)
  }
  let [rest, complaint] = ['', '']
  let isKilled = false
  let silent = 0
  const tick = () => {
    silent += 1
    if (silent >= patience) complaint += `it said nothing for ${patience} s`
    if (silent >= patience) child.kill('SIGKILL')
    cancel = systemTimers.after(1_000, tick)
  }
  let cancel = systemTimers.after(1_000, tick)
  const decoder = new TextDecoder()
  child.stdout.on('data', (bytes) => {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    silent = 0
    for (const part of parts) hear(JSON.parse(part))
  })
  const complaints = new TextDecoder()
  child.stderr.on('data', (bytes) => {
    complaint += complaints.decode(bytes, { stream: true })
  })
  // `close` comes once the pipes are read to their end.
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const finished = closed.then((code) => {
    cancel()
    if (code !== 0 && !isKilled) throw new Error(`a child process ended with ${code}: ${complaint.trim()}`)
  })
  finished.catch(() => undefined)
  return {
    onLine: (fn) => {
      hear = fn
      for (const line of lines.splice(0)) fn(line)
    },
    finished,
    kill: async () => {
      isKilled = true
      child.kill('SIGKILL')
      await closed
    },
  }
}

const cwdOf = (host: Host): string => (host as Host & { cwd(): string }).cwd()
