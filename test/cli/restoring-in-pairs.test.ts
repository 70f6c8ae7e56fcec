import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { etcd, needing } from '../programs.ts'
import { type EtcdCluster, etcdCluster } from '../store/etcd-server.ts'
import { type PostgresServer, postgresServer } from '../store/postgres-server.ts'
import { cleanUp, folder, run, type Server, start } from './server.ts'

let database: PostgresServer
let cluster: EtcdCluster | undefined
beforeAll(async () => {
  database = await postgresServer({ fsync: 'off' })
})
afterAll(async () => {
  cleanUp()
  await database.stop()
  await cluster?.stop()
})

let prefixes = 0
const kinds = {
  'a directory': async () => join(folder(), 'data'),
  'a SQLite file': async () => `sqlite:${join(folder(), 'plinth.sqlite')}`,
  PostgreSQL: () => database.database(),
  etcd: async () => {
    cluster ??= await etcdCluster()
    prefixes += 1
    return `etcd://${cluster.urls[0]?.slice('http://'.length)}/place${prefixes}`
  },
}
type Kind = keyof typeof kinds
const names = Object.keys(kinds) as Kind[]

/** The flags of a new, empty place. */
const placeOf = async (kind: Kind) => ['--data', await kinds[kind](), '--blobs', folder()]

const realms = ['secrets', 'scheduler', 'catalog', 'registry']
const savedIn = (backup: string) =>
  realms.map((realm) => gunzipSync(readFileSync(join(backup, `${realm}.jsonl.gz`))).toString())

/** Writes the same number to one pool and then to another, again and again; others write as well. */
function load({ ready: { scheduler } }: Server) {
  let isOver = false
  let acknowledged = 0
  const put = async (name: string, number: number) => {
    const body = JSON.stringify({ Name: name, Description: String(number) })
    const { status } = await fetch(`${scheduler.url}/v1/node/pool/${name}`, { method: 'PUT', body })
    expect(status).toBe(200)
  }
  const pairs = async () => {
    for (let number = 1; !isOver; number += 1) {
      await put('first', number)
      await put('second', number)
      acknowledged = number
    }
  }
  const other = async (name: string) => {
    for (let number = 1; !isOver; number += 1) await put(name, number)
  }
  const writing = Promise.all([pairs(), other('x'), other('y'), other('z')])
  return {
    acknowledged: () => acknowledged,
    end: async () => {
      isOver = true
      await writing
    },
  }
}

describe.each(names)('a backup of %s', (from) => {
  const backup = join(folder(), 'saved')
  const needs = (...used: readonly Kind[]) => (used.includes('etcd') ? [etcd] : [])

  it(...needing('is of one moment, while a server writes', ...needs(from)), async () => {
    const place = await placeOf(from)
    const server = await start(...place, '--dev-keys', join(folder(), 'keys.json'))
    const writing = load(server)
    await expect.poll(writing.acknowledged).toBeGreaterThan(3)
    const before = writing.acknowledged()
    expect(await run(['backup', '--verify', ...place, backup])).toMatchObject({ code: 0 })
    await writing.end()
    expect(await server.stop()).toBe(0)
    const [, scheduler = ''] = savedIn(backup)
    const numberIn = (pool: string) =>
      Number(new RegExp(`"name":"${pool}","description":"(\\d+)"`, 'i').exec(scheduler)?.[1])
    const [first, second] = [numberIn('first'), numberIn('second')]
    expect(second).toBeGreaterThanOrEqual(before)
    expect([second, second + 1]).toContain(first)
  })

  for (const to of names)
    it(...needing(`restored into ${to} is the same data`, ...needs(from, to)), async () => {
      const place = await placeOf(to)
      expect(await run(['restore', ...place, backup])).toMatchObject({ code: 0 })
      const again = join(folder(), 'again')
      expect(await run(['backup', ...place, again])).toMatchObject({ code: 0 })
      expect(savedIn(again)).toEqual(savedIn(backup))
    })
})
