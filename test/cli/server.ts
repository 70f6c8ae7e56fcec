import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ready } from '../../src/cli/serve/ready.ts'

const portFlags = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry', 'console'].map(
  (name) => `--${name}-port`,
)

/** Flags that let every service listen on a free port. */
export const anyPort = portFlags.flatMap((flag) => [flag, '0'])

/** `plinth serve` on free ports wherever no port is given: a server that happens to run has the usual ones. */
const onFreePorts = (args: readonly string[]): readonly string[] =>
  args[0] !== 'serve'
    ? args
    : [
        'serve',
        ...portFlags.flatMap((flag) => (args.some((arg) => arg.split('=')[0] === flag) ? [] : [flag, '0'])),
        ...args.slice(1),
      ]

/** A `plinth` process, run from source. */
export interface Plinth {
  readonly child: ChildProcessWithoutNullStreams
  /** What it has printed so far. */
  readonly output: () => { readonly stdout: string; readonly stderr: string }
  /** Its exit code, once it is gone; `null` when a signal ended it. */
  readonly exited: Promise<number | null>
}

const running = new Set<ChildProcessWithoutNullStreams>()

/** Runs `plinth` with arguments, perhaps behind a limit of the shell, such as `ulimit -n 128`. */
export function plinth(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  limit?: string,
): Plinth {
  const cli = env['PLINTH_CLI'] ?? process.env['PLINTH_CLI'] // made by test/global-setup.ts
  if (cli === undefined) throw new Error('the tests run without their global setup')
  const command = [process.execPath, cli, ...onFreePorts(args)]
  const [program = '', ...given] =
    limit === undefined ? command : ['sh', '-c', `${limit} && exec "$@"`, 'plinth', ...command]
  const child = spawn(program, given, { env: { ...process.env, ...env } })
  running.add(child)
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const exited = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child)
    return code ?? null
  })
  return { child, output: () => ({ stdout, stderr }), exited }
}

/** Runs `plinth` to its end. */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input?: string,
) {
  const process_ = plinth(args, env)
  process_.child.stdin.end(input ?? '')
  const code = await process_.exited
  return { code, ...process_.output() }
}

/** A server that is ready. */
export interface Server extends Plinth {
  readonly ready: Ready
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts `plinth serve` on free ports and waits for its ready line. */
export const start = (...args: readonly string[]): Promise<Server> =>
  ready(plinth(['serve', '--json', ...args]))

/** The same with so many file descriptors. */
export const startLimited = (descriptors: number, ...args: readonly string[]): Promise<Server> =>
  ready(plinth(['serve', '--json', ...args], {}, `ulimit -n ${descriptors}`))

export async function ready(server: Plinth): Promise<Server> {
  const line = await new Promise<Ready>((resolve, reject) => {
    server.child.stdout.on('data', () => {
      const { stdout } = server.output()
      if (stdout.includes('\n')) resolve(JSON.parse(stdout.slice(0, stdout.indexOf('\n'))))
    })
    void server.exited.then((code) =>
      reject(new Error(`plinth serve exited with ${code}: ${server.output().stderr}`)),
    )
  })
  return {
    ...server,
    ready: line,
    stop: (signal = 'SIGTERM') => {
      server.child.kill(signal)
      return server.exited
    },
  }
}

/** Stops the processes that a test left running. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** A folder that is removed when the test file ends; see {@link removeFolders}. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'plinth-test-'))
  folders.push(path)
  return path
}
const folders: string[] = []

export function removeFolders(): void {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true })
}

/** Stops the processes of a test file, and then removes the folders that they used. */
export function cleanUp(): void {
  killAll()
  removeFolders()
}
