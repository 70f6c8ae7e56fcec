import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
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
 * are found, so that they are tried where there are files, each with one or two commands.
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
  /** How it ends; `undefined` for a server, which is stopped once it is ready. */
  readonly ends: { readonly code: number; readonly says: RegExp } | undefined
  /** Whether the row can be tried here. */
  readonly isPossible?: boolean
}

interface Where {
  readonly data: string
  /** The file or directory; `undefined` in a database. */
  readonly path: string | undefined
  /** The folder in which the server runs. */
  readonly home: string
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
  ends: { code: 0, says: /^registry +revision \d+$/m },
}
const check: Row = {
  title: 'check',
  args: (where) => ['check', ...data(where)],
  ends: { code: 0, says: /^scheduler .*: whole$/m },
}
const restore: Row = {
  title: 'restore',
  args: (where) => ['restore', ...data(where), where.saved],
  ends: { code: 1, says: /a server runs on|there is data in/ },
}
/** It sweeps what unfinished uploads of others left behind. */
const second: Row = { title: 'a server', args: (where) => serving(where), ends: undefined }
const load: Row = {
  title: 'a server that loads records',
  args: (where) => {
    const records = join(folder(), 'records.json')
    writeFileSync(records, '{"scheduler":{"jobs":[]},"registry":{"modules":[]}}')
    return [...serving(where), '--load', records]
  },
  ends: { code: 1, says: /already has|holds? .*already|not empty|into an empty/ },
}

const anywhere: readonly Row[] = [
  backup,
  check,
  restore,
  second,
  load,
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
    ...second,
    title: 'a server under another host name',
    first: ({ home }) => `${within(home)} && ${elsewhere}`,
    isPossible: canRenameHost,
  },
  {
    ...check,
    title: 'check by another user',
    first: () => asOther,
    ends: { code: 1, says: /owner|there is no data|permission|cannot be opened/ },
    isPossible: canBeOther,
  },
]

/** The arguments of a server, whose keys are in its folder if its data are in a database. */
const serving = ({ data: at, path, home }: Omit<Where, 'saved'>) => [
  ...['serve', '--json', ...anyPort, '--only=secrets,scheduler,catalog,registry', '--root-token=root'],
  ...['--data', at, ...(path === undefined ? ['--dev-keys', join(home, 'dev-keys.json')] : [])],
]
/** Starts one in its folder, where it keeps the uploads of a database. */
const serve = (where: Omit<Where, 'saved'>) => ready(plinth(serving(where), {}, within(where.home)))

async function perform({ args, first, ends }: Row, where: Where): Promise<void> {
  const given = args(where)
  const command = plinth(given, {}, first?.(where) ?? within(where.home))
  command.child.stdin.end()
  if (ends === undefined) return expect(await (await ready(command)).stop(), given.join(' ')).toBe(0)
  const ended = await command.exited
  const { stdout, stderr } = command.output()
  expect([ended, stdout + stderr], given.join(' ')).toEqual([ends.code, expect.stringMatching(ends.says)])
  expect(stderr).not.toContain('    at ')
}

describe.each([
  {
    store: 'a directory',
    open: async () => {
      const path = join(folder(), 'data')
      return { data: path, path }
    },
    end: 'SIGKILL',
    rows: [backup, restore, second],
  },
  {
    store: 'a SQLite file at a long path',
    open: async () => {
      const path = join(folder(), 'a-long-name-of-a-folder'.repeat(5), 'all.sqlite')
      return { data: `sqlite:${path}`, path }
    },
    end: 'SIGKILL',
    rows: [...anywhere, ...onFiles],
  },
  {
    store: 'PostgreSQL',
    open: async () => ({ data: await database.database(), path: undefined }),
    end: 'SIGTERM',
    rows: anywhere,
  },
] as const)("an operator's day with $store", ({ open: openData, end, rows }) => {
  const written = ledger()
  let where: Where
  let server: Server
  const home = folder()
  const open = async (): Promise<Omit<Where, 'saved'>> => ({ ...(await openData()), home })
  /** Starts it, and refuses to go on if it lacks anything. */
  const startWhole = async () => {
    server = await serve(where)
    expect(await written.lost(server.ready)).toEqual([])
  }
  /** Does something while the server is written to. */
  const besideWriter = async (work: () => Promise<unknown>) => {
    let isOver = false
    const done = work().finally(() => {
      isOver = true
    })
    const writing = async () => {
      while (!isOver) {
        await written.upload(server.ready)
        await written.record(server.ready)
      }
      // Whatever the command did to the files shows in what is written after it.
      await written.record(server.ready)
    }
    await Promise.all([done, writing()])
  }
  const save = async (from: Omit<Where, 'saved'>) => {
    const saved = join(folder(), 'saved')
    await perform({ ...backup, args: () => ['backup', '--data', from.data, saved] }, { ...from, saved })
    return saved
  }
  /** Restores a backup to where nothing is. */
  const restored = async (saved: string): Promise<Where> => {
    const target = { ...(await open()), saved }
    await perform({ ...check, ends: { code: 1, says: /there is no data/ } }, target)
    await perform({ ...restore, ends: { code: 0, says: /^scheduler +revision/m } }, target)
    return target
  }

  it('is restored from a backup of the day before, and whole', async () => {
    const first = await open()
    const yesterday = await serve(first)
    await written.record(yesterday.ready)
    await written.upload(yesterday.ready)
    await yesterday.stop()
    where = await restored(await save(first))
  })

  for (const row of rows)
    it.skipIf(row.isPossible === false)(`before the server: ${row.title}`, () => perform(row, where))

  it('has all of it', startWhole)

  for (const row of rows)
    it.skipIf(row.isPossible === false)(`beside the server: ${row.title}`, () =>
      besideWriter(() => perform(row, where)),
    )

  it(`loses nothing by ${end}`, async () => {
    await written.record(server.ready)
    await server.stop(end)
    await startWhole()
    await written.record(server.ready)
    await server.stop(end === 'SIGKILL' ? 'SIGTERM' : 'SIGKILL')
  })

  for (const row of rows)
    it.skipIf(row.isPossible === false)(`after the server: ${row.title}`, () => perform(row, where))

  it('has all of it still, and so has a server on a backup', async () => {
    const other = await serve(await restored(await save(where)))
    expect(await written.lost(other.ready)).toEqual([])
    await other.stop()
    await startWhole()
    await server.stop()
  })
})
