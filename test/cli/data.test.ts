import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresServer } from '../store/postgres-server.ts'
import { anyPort, cleanUp, folder, plinth, run, start } from './server.ts'

let database: PostgresServer
beforeAll(async () => {
  database = await postgresServer()
})
afterAll(async () => {
  cleanUp()
  await database.stop()
})

/** The commands of the guide, with this test's own directory and database in place of its examples. */
const shown = async (): Promise<readonly (readonly string[])[]> => {
  const guide = readFileSync('site/guide/keep-your-data.md', 'utf8')
  const section = /## From memory to one file to PostgreSQL\n+```sh\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  const [url, keys, data] = [await database.database(), join(folder(), 'dev-keys.json'), folder()]
  return section
    .trim()
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+#.*$/, '')
        .replace(/^npm start(?: --)?/, '')
        .trim()
        .split(/\s+/)
        .filter(Boolean),
    )
    .map((args) =>
      args.map((arg) =>
        arg.startsWith('postgres://')
          ? url
          : arg === './dev-keys.json'
            ? keys
            : arg === './data'
              ? data
              : arg,
      ),
    )
}

describe('from memory to one file to PostgreSQL', () => {
  it('every command of the guide starts a server that keeps what it promises', async () => {
    const commands = await shown()
    expect(commands.map(([flag]) => flag)).toEqual([undefined, '--data', '--data'])
    for (const args of commands) {
      const kept = args.length > 0
      const first = await start(...args)
      const pool = `${first.ready.scheduler.url}/v1/node/pool/gpu`
      expect((await fetch(pool, { method: 'PUT', body: '{"Name":"gpu"}' })).status).toBe(200)
      expect(await first.stop()).toBe(0)
      const second = await start(...args)
      expect((await fetch(`${second.ready.scheduler.url}/v1/node/pool/gpu`)).status).toBe(kept ? 200 : 404)
      if (kept) expect(second.ready.secrets).toMatchObject({ rootToken: first.ready.secrets.rootToken })
      await second.stop()
    }
  })
})

describe('data that two servers use', () => {
  it.each([
    ['a directory', '', (at: string) => at, 'blobs'],
    ['a SQLite file', '', (at: string) => `sqlite:${at}/data.sqlite`, 'data.sqlite-blobs'],
    ['a long path', 'long'.repeat(30), (at: string) => `sqlite:${at}/data.sqlite`, 'data.sqlite-blobs'],
  ])('in %s: a start leaves what the other one is receiving', async (_, name, dataIn, blobs) => {
    const at = join(folder(), name)
    const flags = ['--only=catalog,registry', '--data', dataIn(at), '--registry-token=ci:a-long-token']
    const one = await start(...flags, '--catalog-user=ada:a-long-password')
    const image = join(folder(), 'tiny.box')
    writeFileSync(image, 'bytes')
    const catalog = one.ready.catalog
    const env = { CATALOG_ADDR: catalog.url, CATALOG_TOKEN: catalog.tokens['ada'] ?? '' }
    const words = ['box', 'push', 'ada/tiny', '1.0.0', image, '--provider=qemu', '--architecture=amd64']
    expect(await run(words, env)).toMatchObject({ code: 0 })
    const asked = await fetch(`${catalog.url}/api/v2/box/ada/tiny/version/1.0.0/provider/qemu/amd64/upload`, {
      headers: { authorization: `Bearer ${env.CATALOG_TOKEN}` },
    })
    const { upload_path } = (await asked.json()) as { upload_path: string }
    const uploading = request(upload_path, { method: 'PUT', headers: { 'content-length': 5 } })
    const answered = once(uploading, 'response')
    uploading.write('byt')
    const unfinished = join(at, blobs, 'unfinished')
    while (readdirSync(unfinished).length === 0) await pause(5)
    const other = await start(...flags)
    uploading.end('es')
    expect((await answered)[0].statusCode).toBe(200)
    for (const server of [one, other]) expect(await server.stop()).toBe(0)
    expect(readdirSync(at).filter((name) => name.includes('server-'))).toEqual([])
  })
})

describe('a directory for data', () => {
  it('is made for its owner alone', async () => {
    const data = join(folder(), 'new', 'data')
    await (await start('--data', data)).stop()
    expect(statSync(data).mode & 0o777).toBe(0o700)
  })

  it("keeps the password of the catalog's admin", async () => {
    const data = folder()
    await (await start('--data', data, '--catalog-user', 'admin:the first one')).stop()
    const again = await start('--data', data)
    const { url, tokens } = again.ready.catalog
    const body = JSON.stringify({ user: { login: 'admin', password: 'the first one' } })
    const headers = { 'content-type': 'application/json' }
    const logIn = await fetch(`${url}/api/v1/authenticate`, { method: 'POST', headers, body })
    expect(logIn.status).toBe(200)
    const authorization = `Bearer ${tokens['admin']}`
    expect((await fetch(`${url}/api/v1/authenticate`, { headers: { authorization } })).status).toBe(200)
    await again.stop()
  })

  it('is not begun when its keys have nowhere to go, so that it can be begun later', async () => {
    const data = folder()
    const lost = await run(['serve', '--json', '--data', data, '--dev-keys', '/proc/no/keys.json'])
    expect([lost.code, lost.stderr]).toEqual([
      1,
      expect.stringContaining('cannot write the development keys'),
    ])
    expect(await (await start('--data', data)).stop()).toBe(0)
  })

  it('is complete although the server was stopped while it started', async () => {
    const data = folder()
    const { child, exited } = plinth(['serve', '--json', '--data', data, ...anyPort])
    // The first file is there long before the keys are.
    while (!existsSync(join(data, 'plinth.db'))) await pause(5)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    expect(await (await start('--data', data)).stop()).toBe(0)
  })

  it.runIf(process.platform === 'linux')('cannot be where no directory can be made', async () => {
    const refused = await run(['serve', '--json', '--data', '/proc/none'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'plinth: cannot use /proc/none for data: cannot create a directory in /proc\n',
    ])
  })

  it('cannot be a file', async () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    const refused = await run(['serve', '--json', '--data', file])
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toBe(`plinth: cannot use ${file} for data: it is not a directory\n`)
  })

  it('of a version that kept it with lmdb is refused, and the message says how to come over', async () => {
    const data = folder()
    writeFileSync(join(data, 'secrets.lmdb'), '')
    for (const args of [['serve', '--json'], ['check'], ['backup', join(data, 'saved')]] as const) {
      const [name, ...rest] = args
      const refused = await run([name, '--data', data, ...rest])
      expect([name, refused.code, refused.stdout]).toEqual([name, 1, ''])
      expect(refused.stderr).toBe(
        `plinth: ${data} holds the lmdb files of an earlier version: run plinth backup with that version, and plinth restore into a new directory with this one\n`,
      )
    }
  })

  it('that was emptied is not initialised again next to the keys of the lost one', async () => {
    const data = folder()
    await (await start('--data', data)).stop()
    const keys = join(data, 'dev-keys.json')
    const before = readFileSync(keys, 'utf8')
    rmSync(join(data, 'plinth.db'))
    const refused = await run(['serve', '--json', '--data', data])
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toBe(
      `plinth: ${keys} holds the keys of a secrets service, but this data has none: restore the data, or remove the file to start over\n`,
    )
    expect(readFileSync(keys, 'utf8')).toBe(before)
    rmSync(keys)
    await (await start('--data', data)).stop()
    expect(await (await start('--data', data)).stop()).toBe(0)
  })

  it('is not opened with keys that do not fit; the message says where they are', async () => {
    const data = folder()
    await (await start('--data', data)).stop()
    const keys = join(data, 'dev-keys.json')
    for (const [text, problem] of [
      ['{"rootToken":', 'does not hold development keys'],
      [JSON.stringify({ rootToken: 's.x', unsealKeys: ['00'] }), 'do not unseal this data'],
    ] as const) {
      writeFileSync(keys, text)
      const refused = await run(['serve', '--json', '--data', data])
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      expect(refused.stderr).toContain(keys)
      expect(refused.stderr).toContain(problem)
    }
  })
})

describe('a SQLite file for data', () => {
  it('keeps everything, its keys and uploads beside it, and moves to a directory', async () => {
    const file = join(folder(), 'new', 'plinth.sqlite')
    const first = await start('--data', `sqlite:${file}`)
    const pool = (server: typeof first) => `${server.ready.scheduler.url}/v1/node/pool/gpu`
    expect((await fetch(pool(first), { method: 'PUT', body: '{"Name":"gpu"}' })).status).toBe(200)
    expect(await first.stop()).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const again = await start('--data', `sqlite:${file}`)
    expect((await fetch(pool(again))).status).toBe(200)
    expect(again.ready.secrets.rootToken).toBe(first.ready.secrets.rootToken)
    expect(await again.stop()).toBe(0)
    const saved = join(folder(), 'saved')
    expect(await run(['backup', '--data', `sqlite:${file}`, saved])).toMatchObject({ code: 0 })
    const moved = folder()
    expect(await run(['restore', '--data', moved, saved])).toMatchObject({ code: 0 })
    const there = await start('--data', moved)
    expect((await fetch(pool(there))).status).toBe(200)
    expect(await there.stop()).toBe(0)
  })

  it('cannot be left unnamed, nor be a directory', async () => {
    const unnamed = await run(['serve', '--json', '--data', 'sqlite:'])
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('sqlite:./plinth.sqlite')])
    const at = folder()
    const refused = await run(['serve', '--json', '--data', `sqlite:${at}`])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`cannot use ${at} for data: it is a directory`),
    ])
  })
})

describe('two servers on one PostgreSQL database', () => {
  it('are one service: a write through one wakes a blocking query of the other', async () => {
    const args = ['--data', await database.database(), '--dev-keys', join(folder(), 'keys.json')]
    const one = await start(...args)
    const two = await start(...args)
    expect(two.ready.secrets.rootToken).toBe(one.ready.secrets.rootToken)
    const before = await fetch(`${two.ready.scheduler.url}/v1/node/pools`)
    const index = before.headers.get('X-Scheduler-Index') ?? ''
    const poll = fetch(`${two.ready.scheduler.url}/v1/node/pools?index=${index}&wait=5m`)
    await fetch(`${one.ready.scheduler.url}/v1/node/pool`, { method: 'PUT', body: '{"Name":"gpu"}' })
    const after = await poll
    expect(Number(after.headers.get('X-Scheduler-Index'))).toBeGreaterThan(Number(index))
    expect(await after.text()).toContain('"gpu"')
    const headers = { 'X-Secrets-Token': one.ready.secrets.rootToken ?? '' }
    await fetch(`${one.ready.secrets.url}/v1/secret/data/x`, {
      method: 'PUT',
      headers,
      body: '{"data":{"a":"shared"}}',
    })
    expect(await (await fetch(`${two.ready.secrets.url}/v1/secret/data/x`, { headers })).text()).toContain(
      'shared',
    )
    await one.stop()
    await two.stop()
  })

  it('needs a place for the keys of dev mode', async () => {
    const result = await run(['serve', '--json', '--data', await database.database()])
    expect([result.code, result.stdout]).toEqual([1, ''])
    expect(result.stderr).toContain('--dev-keys FILE')
  })

  it('reports a database that does not answer, without the password', async () => {
    const result = await run([
      'serve',
      '--json',
      '--data',
      'postgres://me:hunter2@127.0.0.1:1/none',
      '--dev-keys',
      join(folder(), 'k'),
    ])
    expect([result.code, result.stdout]).toEqual([1, ''])
    expect(result.stderr).toContain('cannot be reached')
    expect(result.stderr).not.toContain('hunter2')
  })
})
