import { spawnSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresServer } from '../../store/postgres-server.ts'
import { anyPort, cleanUp, folder, plinth, ready, type Server } from '../server.ts'
import { ledger } from './acknowledged.ts'

/*
 * A day of an operator: each command that opens the data of a server, before, beside and after a server that is written
 * to and uploaded to; then the server is killed or stopped, started again, and every acknowledged record and byte is
 * compared. A second process beside the first is what loses data, in another folder, under another name.
 *
 * Not the full product, which takes half an hour: place, user, host name and path length concern how files and sockets
 * are found, so that each is tried with one command that writes nothing and leaves everything as it was, and only where
 * there are files.
 */

let database: PostgresServer
beforeAll(async () => {
  database = await postgresServer()
})
afterAll(async () => {
  cleanUp()
  await database.stop()
})

const isRoot = userInfo().uid === 0
const canRenameHost = isRoot && spawnSync('unshare', ['--uts', 'true']).status === 0
const canBeOther = isRoot && spawnSync('setpriv', ['--reuid=65534', 'true']).status === 0

/** Puts a program before the command of a shell. */
const through = (words: string) => `set -- ${words} "$@"`
const asOther = through('setpriv --reuid=65534 --regid=65534 --clear-groups')
const elsewhere = through(`unshare --uts sh -c 'hostname elsewhere && exec "$@"' sh`)

interface Row {
  readonly title: string
  readonly args: (where: Where) => readonly string[]
  /** What the shell does before the command. */
  readonly first?: (where: Where) => string
  readonly code: number
  readonly says: RegExp
  /** Whether the row can be tried here. */
  readonly isPossible?: boolean
}

interface Where {
  readonly data: string
  /** The file or directory; `undefined` in a database. */
  readonly path: string | undefined
  readonly saved: string
}

const data = ({ data: where }: Where) => ['--data', where]
const within = (folder: string) => `cd '${folder}'`
/** The data named from the folder above it, as a shell in it would. */
const relative = ({ data: where, path = '' }: Where) => [
  '--data',
  where.startsWith('sqlite:') ? `sqlite:${basename(path)}` : basename(path),
]
const backup: Row = {
  title: 'backup',
  args: (where) => ['backup', ...data(where), join(folder(), 'saved')],
  code: 0,
  says: /^registry +revision \d+$/m,
}
const check: Row = {
  title: 'check',
  args: (where) => ['check', ...data(where)],
  code: 0,
  says: /^scheduler .*: whole$/m,
}
const restore: Row = {
  title: 'restore',
  args: (where) => ['restore', ...data(where), where.saved],
  code: 1,
  says: /a server runs on|there is data in/,
}

const anywhere: readonly Row[] = [
  backup,
  check,
  restore,
  { ...backup, title: 'backup from another folder', first: () => within(folder()) },
]

const onFiles: readonly Row[] = [
  {
    ...check,
    title: 'check by a relative path',
    args: (where) => ['check', ...relative(where)],
    first: ({ path = '' }) => within(dirname(path)),
  },
  {
    ...backup,
    title: 'backup under another host name',
    first: () => elsewhere,
    isPossible: canRenameHost,
  },
  {
    ...check,
    title: 'check by another user',
    first: () => asOther,
    code: 1,
    says: /owner|there is no data|permission|cannot be opened/,
    isPossible: canBeOther,
  },
]

async function perform({ args, first, code, says }: Row, where: Where): Promise<void> {
  const given = args(where)
  const command = plinth(given, {}, first?.(where))
  command.child.stdin.end()
  const ended = await command.exited
  const { stdout, stderr } = command.output()
  expect([ended, stdout + stderr], given.join(' ')).toEqual([code, expect.stringMatching(says)])
  expect(stderr).not.toContain('    at ')
}

describe.each([
  {
    store: 'a directory',
    open: async (): Promise<Omit<Where, 'saved'>> => {
      const path = join(folder(), 'data')
      return { data: path, path }
    },
    end: 'SIGKILL',
    rows: [backup, restore, ...onFiles.slice(1, 2)],
  },
  {
    store: 'PostgreSQL',
    open: async () => ({ data: await database.database(), path: undefined }),
    end: 'SIGTERM',
    rows: anywhere,
  },
] as const)("an operator's day with $store", ({ open, end, rows }) => {
  const written = ledger()
  let where: Where
  let server: Server
  const home = folder()
  const serve = (at: string, saved = '') =>
    ready(
      plinth(
        [
          ...['serve', '--json', ...anyPort, '--only=secrets,scheduler,catalog,registry'],
          ...['--data', at, '--root-token=root', ...(saved === '' ? [] : ['--dev-keys', saved])],
        ],
        {},
        within(home),
      ),
    )
  const keysOf = ({ path }: Omit<Where, 'saved'>) => (path === undefined ? join(home, 'dev-keys.json') : '')
  /** Starts it, and refuses to go on if it lacks anything. */
  const startWhole = async () => {
    server = await serve(where.data, keysOf(where))
    expect(await written.lost(server.ready)).toEqual([])
  }
  /** Does something while the server is written to. */
  const besideWriter = async (work: () => Promise<unknown>) => {
    let isOver = false
    const done = work().finally(() => {
      isOver = true
    })
    const writing = async () => {
      await written.upload(server.ready)
      while (!isOver) await written.record(server.ready)
      // Whatever the command did to the files shows in what is written after it.
      await written.record(server.ready)
    }
    await Promise.all([done, writing()])
  }

  it('is restored from a backup of the day before, and whole', async () => {
    const first = await open()
    const yesterday = await serve(first.data, keysOf(first))
    await written.record(yesterday.ready)
    await written.upload(yesterday.ready)
    await yesterday.stop()
    const saved = join(folder(), 'saved')
    await perform({ ...backup, args: () => ['backup', '--data', first.data, saved] }, { ...first, saved })
    where = { ...(await open()), saved }
    await perform({ ...check, code: 1, says: /there is no data/ }, where)
    await perform({ ...restore, code: 0, says: /^scheduler +revision/m }, where)
    for (const row of [check, backup]) await perform(row, where)
    await startWhole()
  })

  for (const row of rows)
    it.skipIf(row.isPossible === false)(`beside a server: ${row.title}`, async () => {
      await besideWriter(() => perform(row, where))
    })

  it('beside a server: a second one, and what both acknowledge', async () => {
    await besideWriter(async () => {
      const second = await serve(where.data, keysOf(where))
      expect(await second.stop()).toBe(0)
    })
  })

  it(`loses nothing by ${end}`, async () => {
    await written.record(server.ready)
    await server.stop(end)
    await startWhole()
    await written.record(server.ready)
    await server.stop(end === 'SIGKILL' ? 'SIGTERM' : 'SIGKILL')
  })

  it('after the server: backup, check and restore, and a server on the backup', async () => {
    const count = written.count()
    const saved = join(folder(), 'saved')
    await perform({ ...backup, args: () => ['backup', ...data(where), saved] }, where)
    await perform(check, where)
    await perform({ ...restore, says: /there is data in/ }, where)
    const other = await open()
    await perform(
      { ...restore, args: () => ['restore', '--data', other.data, saved], code: 0, says: /./ },
      where,
    )
    const restored = await serve(other.data, keysOf(other))
    expect(await written.lost(restored.ready, count)).toEqual([])
    await restored.stop()
    await startWhole()
    await server.stop()
  })
})
