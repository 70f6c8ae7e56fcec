import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, createConnection } from 'mysql2/promise'
import { commandOf, mariadb } from '../../programs.ts'

/** A MariaDB of its own for a test file, in a temporary folder, without a network. */
export interface MariaDbServer {
  readonly connection: Connection
  readonly stop: () => Promise<void>
}

export async function mariaDbServer(): Promise<MariaDbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-mariadb-'))
  const socketPath = join(folder, 'socket')
  const made = spawnSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stdout}${made.stderr}`)
  const server = spawn(commandOf(mariadb) ?? '', [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    `--socket=${socketPath}`,
    '--skip-networking',
    '--character-set-server=utf8mb4',
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ])
  let log = ''
  for await (const chunk of server.stderr) {
    log += String(chunk)
    if (log.includes('ready for connections')) break
  }
  if (!log.includes('ready for connections')) throw new Error(`MariaDB did not start: ${log}`)
  const connection = await createConnection({
    socketPath,
    user: 'root',
    charset: 'utf8mb4_general_ci',
    timezone: 'Z',
  })
  await connection.query('create database plinth character set utf8mb4')
  await connection.query('use plinth')
  return {
    connection,
    stop: async () => {
      await connection.end()
      const exited = once(server, 'exit')
      server.kill()
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
