import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the user can mend; it is told in one line. */
export class Mistake extends Error {}

/** Runs a program in a process group of its own, which ends as a whole when the signal aborts. */
async function run(
  command: string,
  args: readonly string[],
  { cwd, signal }: { readonly cwd: string; readonly signal?: AbortSignal },
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  }
  signal?.addEventListener('abort', end)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const [code] = await once(child, 'close')
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
  return { code: code ?? 1, output: output.trim() }
}

const isInPlace = (base: string, file: string): boolean => {
  try {
    return readFileSync(join(base, file), 'utf8') === readFileSync(file, 'utf8')
  } catch {
    return false
  }
}

/** The commit of BASE: the one that is named, or else the one in `bench/base`. */
export async function commitOf(named: string | undefined): Promise<string> {
  const name = named ?? readFileSync('bench/base', 'utf8').trim()
  const { code, output } = await run('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    cwd: '.',
  })
  if (code !== 0)
    throw new Mistake(
      `there is no commit ${name}${named === undefined ? ', which bench/base names' : ''}; git log lists those there are`,
    )
  return output
}

/** Whether `dist` is newer than everything that it is built from. */
function isBuilt(): boolean {
  const built = statSync('dist/index.js', { throwIfNoEntry: false })?.mtimeMs ?? 0
  return ['src', 'scripts', 'package.json']
    .flatMap((path) => [
      path,
      ...(statSync(path).isDirectory()
        ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
        : []),
    ])
    .every((path) => statSync(path).mtimeMs <= built)
}

/** Builds a tree; the last line that names an error says why it failed. */
async function build(cwd: string, what: string, signal: AbortSignal): Promise<void> {
  const { code, output } = await run('npm', ['run', 'build'], { cwd, signal })
  if (code === 0) return
  const lines = output.split('\n').filter((line) => !line.startsWith('npm '))
  throw new Mistake(
    `${what} does not build: ${lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? ''}`.trim(),
  )
}

/**
 * Builds the working tree if it changed, and a commit in a worktree of its own, and calls `work` with the folder of the latter. The
 * worktree is removed in any case.
 */
export async function withBase<Result>(
  commit: string,
  signal: AbortSignal,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const room = await mkdtemp(join(tmpdir(), 'plinth-compare-'))
  const folder = join(room, 'base')
  // What rows leave behind goes with the worktree.
  process.env['TMPDIR'] = room
  try {
    const added = await run('git', ['worktree', 'add', '--detach', folder, commit], { cwd: '.', signal })
    if (added.code !== 0) throw new Mistake(`git worktree add: ${added.output.split('\n').at(-1)}`)
    const installing = async (): Promise<void> => {
      if (isInPlace(folder, 'package-lock.json'))
        return symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
      const { code, output } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
        signal,
      })
      if (code !== 0) throw new Mistake(`npm ci fails in ${commit.slice(0, 8)}: ${output.split('\n')[0]}`)
    }
    const outcomes = await Promise.allSettled([
      isBuilt() ? undefined : build('.', 'the working tree', signal),
      installing().then(() => build(folder, commit.slice(0, 8), signal)),
    ])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    return await work(folder)
  } finally {
    await rm(room, { recursive: true, force: true })
    await run('git', ['worktree', 'prune'], { cwd: '.' })
  }
}
