import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open as openFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownerBlob } from '../../src/store/blobs/owned-blobs.ts'
import type { StoreError } from '../../src/store/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { etcd, needing } from '../programs.ts'
import { etcdCluster } from '../store/etcd-server.ts'
import { type PostgresServer, postgresServer } from '../store/postgres-server.ts'
import { anyPort, cleanUp, folder, plinth, ready, run, type Server, start } from './server.ts'

let database: PostgresServer
beforeAll(async () => {
  database = await postgresServer()
})
afterAll(async () => {
  cleanUp()
  await database.stop()
})

/** Puts something of every kind into a server: a secret, a pool, a box with an image. */
async function fill({ ready: { secrets, scheduler, catalog } }: Server): Promise<void> {
  const send = async (url: string, body: object | string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    expect(answer.ok).toBe(true)
    return answer
  }
  await send(`${secrets.url}/v1/secret/data/app`, { data: { a: '1' } }, { 'X-Secrets-Token': 'root' })
  await send(`${scheduler.url}/v1/node/pool/gpu`, { Name: 'gpu' })
  const admin = { authorization: `Bearer ${catalog.tokens['admin']}` }
  const box = `${catalog.url}/api/v2/box/admin/tiny`
  await send(`${catalog.url}/api/v2/boxes`, { name: 'tiny', is_private: false }, admin)
  await send(`${box}/versions`, { version: '1.0' }, admin)
  await send(`${box}/version/1.0/providers`, { name: 'qemu', architecture: 'amd64' }, admin)
  const asked = await fetch(`${box}/version/1.0/provider/qemu/amd64/upload`, { headers: admin })
  const { upload_path } = (await asked.json()) as { upload_path: string }
  expect((await fetch(upload_path, { method: 'PUT', body: 'the image' })).ok).toBe(true)
  const released = await fetch(`${box}/version/1.0/release`, { method: 'PUT', headers: admin })
  expect(released.status).toBe(200)
}

/** What was put there, as a server answers it. */
async function contents({ ready: { secrets, scheduler, catalog } }: Server) {
  const token = { 'X-Secrets-Token': 'root' }
  const secret = await fetch(`${secrets.url}/v1/secret/data/app`, { headers: token })
  const { data } = (await secret.json()) as { data?: { data: unknown } }
  const pool = await fetch(`${scheduler.url}/v1/node/pool/gpu`)
  const image = await fetch(`${catalog.url}/admin/boxes/tiny/versions/1.0/providers/qemu.box`)
  return { secret: data?.data, pool: pool.status, image: await image.text() }
}
/** The only uploaded file below a folder. */
function fileBelow(path: string): string {
  const found = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== ownerBlob,
  )
  expect(found).toHaveLength(1)
  return join(found[0]?.parentPath ?? '', found[0]?.name ?? '')
}
const all = { secret: { a: '1' }, pool: 200, image: 'the image' }

describe('plinth backup and plinth restore', () => {
  it('keep all of a directory, its keys too, while the server runs', async () => {
    const [data, saved, other] = [folder(), join(folder(), 'saved'), join(folder(), 'other')]
    const server = await start('--data', data, '--root-token', 'root')
    await fill(server)
    const backup = await run(['backup', '--data', data, saved])
    expect(backup).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^scheduler +revision \d+$/m),
      stderr: expect.stringMatching(/^records: 100%\nuploads: 100%$/m),
    })
    await server.stop()
    expect(statSync(saved).mode & 0o777).toBe(0o700)

    const restore = await run(['restore', '--data', other, '--json', saved])
    expect([restore.code, restore.stderr]).toEqual([0, ''])
    expect(JSON.parse(restore.stdout)).toEqual({
      revisions: expect.objectContaining({ scheduler: expect.any(Number) }),
    })
    expect(statSync(join(other, 'dev-keys.json')).mode & 0o777).toBe(0o600)
    const restored = await start('--data', other)
    expect(await contents(restored)).toEqual(all)
    await restored.stop()
  })

  it('move a directory to PostgreSQL', async () => {
    const [data, saved, blobs] = [folder(), join(folder(), 'saved'), folder()]
    const server = await start('--data', data, '--root-token', 'root')
    await fill(server)
    await server.stop()
    expect(await run(['backup', '--data', data, saved])).toMatchObject({ code: 0 })

    const there = ['--data', await database.database(), '--blobs', blobs]
    const keys = join(saved, 'dev-keys.json')
    expect(await run(['restore', ...there, saved])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(keys),
    })
    const moved = await start(...there, '--dev-keys', keys)
    expect(await contents(moved)).toEqual(all)
    await moved.stop()
  })

  it('let one of two concurrent backups to the same folder succeed, completely', async () => {
    const [data, home] = [folder(), folder()]
    const server = await start('--data', data, '--root-token', 'root')
    await fill(server)
    await server.stop()
    const saved = join(home, 'saved')
    const both = await Promise.all([1, 2].map(() => run(['backup', '--data', data, saved])))
    expect(both.map(({ code }) => code)).toContain(0)
    expect(readdirSync(home)).toEqual(['saved'])
    const other = join(home, 'other')
    expect(await run(['restore', '--data', other, saved])).toMatchObject({ code: 0 })
    const restored = await start('--data', other)
    expect(await contents(restored)).toEqual(all)
    await restored.stop()
  })

  it('leave data that a server refuses, and another restore fills, when they are killed before all is restored', async () => {
    const [data, saved, home] = [folder(), join(folder(), 'saved'), folder()]
    const server = await start('--data', data, '--root-token', 'root')
    await fill(server)
    await server.stop()
    expect(await run(['backup', '--data', data, saved])).toMatchObject({ code: 0 })
    const counts = join(home, 'counts')
    const dying = (at: number) => ({
      NODE_OPTIONS: `--import=${pathToFileURL(resolve('test/cli/dies-at.mjs')).href}`,
      PLINTH_DIES_AT: String(at),
      PLINTH_COUNTS_IN: counts,
    })
    const restore = (other: string, env = {}) => run(['restore', '--data', other, saved], env)
    expect(await restore(join(home, 'whole'), dying(0))).toMatchObject({ code: 0 })
    const steps = readFileSync(counts, 'utf8').trimEnd().split('\n')
    const commits = [...steps.keys()].filter((at) => steps[at] === 'after commit')
    // The realms of a file share transactions: how many there are depends on the moment.
    expect(commits.length).toBeGreaterThanOrEqual(5)
    let isTried = false
    for (const at of commits) {
      const other = join(home, `cut-${at}`)
      await restore(other, dying(at + 1))
      const realms = await Promise.all(
        // Nothing was put into the registry.
        ['secrets', 'scheduler', 'catalog'].map(async (realm) => {
          const store = await sqliteStore(join(other, 'plinth.db'), { realm })
          const head = await store.head().catch(({ code }: StoreError) => code)
          await store.close()
          return head === 'locked' ? 'locked' : head === 0 ? 'empty' : 'whole'
        }),
      )
      // One that is locked keeps a server from starting; one that is empty would not.
      const isSeen = realms.includes('locked') || new Set(realms).size === 1
      expect([at, isSeen ? 'seen' : realms]).toEqual([at, 'seen'])
      if (isTried || realms.some((realm) => realm !== 'locked')) continue
      isTried = true
      await expect(start('--data', other)).rejects.toThrow(
        'a restore into this data is running, or was interrupted',
      )
      expect(await restore(other)).toMatchObject({ code: 0 })
      const again = await start('--data', other)
      expect(await contents(again)).toEqual(all)
      await again.stop()
    }
    expect(isTried).toBe(true)
  })

  it('find the uploads of a database from any working folder', async () => {
    const [home, saved] = [folder(), join(folder(), 'saved')]
    const data = ['--data', await database.database()]
    const keys = ['--dev-keys', join(home, 'keys.json')]
    const inHome = `cd '${home}'`
    const flags = ['serve', '--json', ...anyPort, ...data, ...keys]
    const server = await ready(plinth([...flags, '--root-token=root'], {}, inHome))
    await fill(server)
    expect(await run(['backup', ...data, saved])).toMatchObject({ code: 0 })
    await server.stop()
    expect(readFileSync(fileBelow(join(saved, 'blobs', 'kept')), 'utf8')).toBe('the image')
    const again = await start(...data, ...keys)
    expect(await contents(again)).toEqual(all)
    await again.stop()
  })

  it('fail with the names of the uploads that are missing or damaged, and save nothing', async () => {
    const [data, home] = [folder(), folder()]
    const server = await start('--data', data, '--root-token', 'root')
    await fill(server)
    await server.stop()
    const saved = join(home, 'saved')
    const image = fileBelow(join(data, 'blobs', 'kept'))
    const name = `box admin/tiny 1.0 qemu amd64 (blob ${basename(image)})`
    const other = await run(['backup', '--data', data, '--blobs', join(home, 'others'), saved])
    expect([other.code, other.stdout]).toEqual([1, ''])
    expect(other.stderr).toContain(name)
    writeFileSync(image, 'the imago')
    const damaged = await run(['backup', '--data', data, saved])
    expect([damaged.code, damaged.stdout]).toEqual([1, ''])
    expect(damaged.stderr).toContain(name)
    expect(existsSync(saved)).toBe(false)
  })

  it('verify what was saved: each record and each upload', async () => {
    const [data, home] = [folder(), folder()]
    const server = await start('--data', data, '--root-token', 'root')
    await fill(server)
    const saved = join(home, 'saved')
    expect(await run(['backup', '--verify', '--data', data, saved])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^checking: 100%$/m),
    })
    await server.stop()
    const verify = (place: string) => run(['backup', '--verify', place])
    expect(await verify(saved)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/saved is whole: \d+ records, 1 uploads\n$/),
    })
    const json = JSON.parse((await run(['backup', '--verify', '--json', saved])).stdout)
    expect(json).toMatchObject({ revisions: { scheduler: expect.any(Number) }, uploads: 1, elsewhere: 0 })

    /** Each copy with another fault; a restore tells it as well, and leaves nothing behind. */
    const faults: readonly (readonly [string, (copy: string) => void, string])[] = [
      [
        'a record changed',
        (copy) => {
          const file = join(copy, 'scheduler.jsonl.gz')
          const text = gunzipSync(readFileSync(file)).toString()
          writeFileSync(file, gzipSync(text.replace('"gpu"', '"cpu"')))
        },
        'count or checksum do not match',
      ],
      [
        'the footer cut off',
        (copy) => {
          const file = join(copy, 'secrets.jsonl.gz')
          const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
          writeFileSync(file, gzipSync(`${lines.slice(0, -1).join('\n')}\n`))
        },
        'the footer is missing',
      ],
      ['a realm missing', (copy) => rmSync(join(copy, 'registry.jsonl.gz')), 'is not a backup of plinth'],
      [
        'an upload changed',
        (copy) => writeFileSync(fileBelow(join(copy, 'blobs', 'kept')), 'the imago'),
        'box admin/tiny 1.0 qemu amd64',
      ],
      [
        'an upload missing',
        (copy) => rmSync(fileBelow(join(copy, 'blobs', 'kept'))),
        'box admin/tiny 1.0 qemu amd64',
      ],
    ]
    for (const [what, harm, says] of faults) {
      const copy = join(home, what.replaceAll(' ', '-'))
      cpSync(saved, copy, { recursive: true })
      harm(copy)
      for (const args of [
        ['backup', '--verify', copy],
        ['restore', '--data', join(home, 'other'), copy],
      ])
        expect(await run(args), what).toMatchObject({ code: 1, stderr: expect.stringContaining(says) })
      expect(existsSync(join(home, 'other'))).toBe(false)
    }
  })

  it('leave no folder when the backup is killed at any step, and the next one is whole', async () => {
    const [data, home] = [folder(), folder()]
    const server = await start('--data', data, '--root-token', 'root')
    await fill(server)
    await server.stop()
    const saved = join(home, 'saved')
    const counts = join(home, 'counts')
    const dying = (at: number) => ({
      NODE_OPTIONS: `--import=${pathToFileURL(resolve('test/cli/dies-at.mjs')).href}`,
      PLINTH_DIES_AT: String(at),
      PLINTH_COUNTS_IN: counts,
    })
    const backup = (place: string, env = {}) => run(['backup', '--data', data, place], env)
    expect(await backup(join(home, 'whole'), dying(0))).toMatchObject({ code: 0 })
    const steps = readFileSync(counts, 'utf8').trimEnd().split('\n')
    const renamed = steps.lastIndexOf('rename')
    for (const at of [1, Math.floor(renamed / 2), renamed, renamed + 1]) {
      await backup(saved, dying(at))
      expect([at, existsSync(saved)]).toEqual([at, false])
    }
    expect(await backup(saved)).toMatchObject({ code: 0 })
    expect(readdirSync(home).filter((name) => name.includes('unfinished'))).toEqual([])
    expect(await run(['backup', '--verify', saved])).toMatchObject({ code: 0 })
  })

  const targets = [
    [
      'into a directory',
      {},
      async () => ({ data: join(folder(), 'data'), more: [] as readonly string[], close: async () => {} }),
    ],
    [
      'into PostgreSQL',
      {},
      async () => ({ data: await database.database(), more: ['--blobs', folder()], close: async () => {} }),
    ],
    [
      ...needing('into etcd', etcd),
      async () => {
        const cluster = await etcdCluster()
        const data = `etcd://${cluster.urls[0]?.slice(7)}/plinth`
        return { data, more: ['--blobs', folder()], close: cluster.stop }
      },
    ],
  ] as const
  for (const [title, options, open] of targets)
    describe(title, options, () => {
      let saved: string
      const closing: (() => Promise<void>)[] = []
      const opened = async () => {
        const target = await open()
        closing.push(target.close)
        return target
      }
      afterAll(async () => {
        for (const close of closing) await close()
      })
      beforeAll(async () => {
        const data = folder()
        const server = await start('--data', data, '--root-token', 'root')
        await fill(server)
        await server.stop()
        saved = join(folder(), 'saved')
        expect(await run(['backup', '--data', data, saved])).toMatchObject({ code: 0 })
      })
      const served = async (flags: readonly string[]) => {
        const server = await start(...flags, '--dev-keys', join(saved, 'dev-keys.json'))
        expect(await contents(server)).toEqual(all)
        await server.stop()
      }

      it('restore once, if two restore at the same time', async () => {
        const { data, more } = await opened()
        const flags = ['--data', data, ...more]
        const both = await Promise.all([1, 2].map(() => run(['restore', ...flags, saved])))
        expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
        expect(both.find(({ code }) => code === 1)?.stderr).toMatch(
          /another restore into|there is data in|a server runs on/,
        )
        await served(flags)
      })

      it('refuse to restore beside a server whose data is empty', async () => {
        const { data, more } = await opened()
        const flags = ['--data', data, ...more]
        const server = await start('--only=secrets', '--sealed', ...flags)
        expect(await run(['restore', ...flags, saved])).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('a server runs on'),
        })
        await server.stop()
        expect(await run(['restore', ...flags, saved])).toMatchObject({ code: 0 })
      })

      it('tell at the next start that a restore was killed in the middle, and restore again', async () => {
        const { data, more } = await opened()
        const flags = ['--data', data, ...more]
        const half = join(folder(), 'half')
        cpSync(saved, half, { recursive: true })
        const pipe = join(half, 'secrets.jsonl.gz')
        const bytes = readFileSync(pipe)
        rmSync(pipe)
        execFileSync('mkfifo', [pipe])
        const restore = plinth(['restore', ...flags, half])
        // It reads all once to verify it, then copies the uploads; its second reading of the records begins and does not end.
        await writeFile(pipe, bytes)
        await expect.poll(() => restore.output().stderr).toMatch(/(?:uploads: 100%[\s\S]*){2}/)
        const second = await openFile(pipe, 'w')
        restore.child.kill('SIGKILL')
        await restore.exited
        await second.close()
        for (const only of ['--only=catalog', '--only=registry'])
          await expect(start(only, ...flags)).rejects.toThrow(
            'a restore into this data is running, or was interrupted',
          )
        expect(await run(['restore', ...flags, saved])).toMatchObject({ code: 0 })
        await served(flags)
      })
    })

  it('say what is wrong, and change nothing', async () => {
    const [data, saved, home] = [folder(), join(folder(), 'saved'), folder()]
    await (await start('--data', data)).stop()
    expect(await run(['backup', '--data', data, saved])).toMatchObject({ code: 0 })
    const damaged = join(home, 'damaged')
    expect(await run(['backup', '--data', data, damaged])).toMatchObject({ code: 0 })
    truncateSync(join(damaged, 'registry.jsonl.gz'), 40)
    const empty = join(home, 'empty')
    mkdirSync(empty)
    writeFileSync(join(home, 'file'), '')
    const refused = [
      [['backup'], 2, 'usage: plinth backup FOLDER'],
      [['backup', saved], 2, 'name the data of the server: --data a directory'],
      [['backup', '--verify', join(home, 'nowhere')], 1, 'there is no folder'],
      [['backup', '--verify', empty], 1, 'is not a backup of plinth'],
      [['backup', '--verify', damaged], 1, 'registry.jsonl.gz is damaged: unexpected end'],
      [['backup', '--data', data], 2, 'usage: plinth backup'],
      [['backup', '--data', 'memory', saved], 2, '--data memory stores nothing'],
      [['backup', '--date', data, saved], 2, 'there is no flag --date; did you mean --data?'],
      [['backup', '--data', join(home, 'nowhere'), join(home, 'new')], 1, 'there is no data of a server in'],
      [['backup', '--data', empty, join(home, 'new')], 1, 'plinth.db does not exist'],
      [['backup', '--data', data, saved], 1, 'already exists'],
      [['backup', '--data', data, join(home, 'file', 'new')], 1, 'a part of the path is not a directory'],
      [['restore', '--data', data, saved], 1, 'already: restore a backup into new data'],
      [['restore', '--data', join(home, 'x'), empty], 1, 'is not a backup of plinth'],
      [['restore', '--data', join(home, 'x'), damaged], 1, 'registry.jsonl.gz is damaged: unexpected end'],
    ] as const
    for (const [args, code, text] of refused) {
      const result = await run(args)
      expect([result.code, result.stdout], args.join(' ')).toEqual([code, ''])
      expect(result.stderr).toContain(text)
      expect(result.stderr).not.toContain('    at ')
    }
    expect(readdirSync(empty)).toEqual([])
    // What was refused has left nothing in the way.
    expect(await run(['restore', '--data', join(home, 'x'), saved])).toMatchObject({ code: 0 })
  })
})
