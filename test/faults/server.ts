import { writeSync } from 'node:fs'
import postgres from 'postgres'
import { etcdStore } from '../../src/store/etcd/index.ts'
import { type Commit, isStoreError, type Operation, type Store } from '../../src/store/index.ts'
import { postgresJsSettings, postgresStore } from '../../src/store/postgres/index.ts'
import { seededRandom } from '../../src/testing/index.ts'

/*
 * One of several servers on one realm: `server.ts etcd|postgres ADDRESSES REALM NAME SEED`. Clients read and write few
 * keys until the first line of standard input. Prints each commit before it is submitted and each answer; a commit
 * whose outcome is unknown is submitted again until it is known.
 */
const [engine, addresses = '', realm = '', name = '', seed = '1'] = process.argv.slice(2)

/** A line of a server. */
export type Line =
  | { readonly submitted: Commit }
  | { readonly answered: Operation }
  | { readonly failed: string; readonly ms: number }

const open = async (): Promise<Store> =>
  engine === 'etcd'
    ? etcdStore(addresses.split(','), { realm })
    : postgresStore(postgres(addresses, { max: 8, onnotice: () => undefined, ...postgresJsSettings() }), {
        realm,
      })

const print = (line: Line) => writeSync(1, `${JSON.stringify(line)}\n`)
const instant = () => Number(process.hrtime.bigint() / 1000n)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const names = ['a', 'b', 'c', 'd', 'e', 'f']

let isOver = false
process.stdin.once('data', () => {
  isOver = true
})

async function insisted(store: Store, commit: Commit, start: number): Promise<void> {
  for (let again = false; ; ) {
    const began = instant()
    try {
      const [verdict] = await store.commit([again ? { ...commit, again } : commit])
      if (verdict) print({ answered: { kind: 'commit', start, end: instant(), commit, verdict } })
      return
    } catch (error) {
      print({ failed: String(error), ms: (instant() - began) / 1000 })
      if (!isStoreError(error, 'unknown') && !again) return
      again = true
      await pause(100)
    }
  }
}

async function client(store: Store, number: number): Promise<void> {
  const random = seededRandom(Number(seed) * 1000 + number)
  const roll = (below: number) => Math.floor(random() * below)
  const some = () => names.filter(() => roll(3) === 0)
  for (let at = 0; !isOver; at += 1) {
    await pause(roll(40))
    const start = instant()
    try {
      const keys = some()
      const { rev, found } = await store.read(async (view) => ({
        rev: view.rev,
        found: await view.get(keys),
      }))
      print({
        answered: { kind: 'read', start, end: instant(), rev, keys, found: found.map((one) => one ?? null) },
      })
      const put = some().map((key) => ({ key, value: [name, number, at] }))
      const del = some().filter((key) => put.every((each) => each.key !== key))
      if (put.length + del.length === 0) continue
      const expect = keys
        .map((key, each) => ({ key, rev: found[each]?.modified ?? 0 }))
        .filter(() => roll(2) === 0)
      const commit: Commit = { id: `${name}-${number}-${at}`, expect, put, del }
      print({ submitted: commit })
      await insisted(store, commit, instant())
    } catch (error) {
      print({ failed: String(error), ms: (instant() - start) / 1000 })
    }
  }
}

const opened = async (): Promise<Store> => {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      print({ failed: String(error), ms: 0 })
      await pause(100)
    }
  }
}
const store = await opened()
await Promise.all(Array.from({ length: 4 }, (_, number) => client(store, number)))
process.exit()
