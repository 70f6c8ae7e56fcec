import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { unwrap } from '../../../../src/kernel/index.ts'
import { devSecrets } from '../../../../src/secrets/index.ts'
import { listKeys } from '../../../../src/secrets/kv1/index.ts'
import { coalesced, compareKeys, memoryStore, type Store } from '../../../../src/store/index.ts'
import { postgresStore } from '../../../../src/store/postgres/index.ts'
import { sqliteStore } from '../../../../src/store/sqlite/index.ts'
import { postgresServer } from '../../../store/postgres-server.ts'
import { driverOptions } from '../../../store/sqlite-driver.ts'

// Random paths, short and long, against a map. They share their beginnings up to about where a key has only the head of
// a long path, and differ in characters of every size there.

const filler = fc
  .tuple(
    fc.constantFrom('x', 'é', '日', '😀', '\u0001'),
    fc.constantFrom(300, 690, 696, 697, 698, 699, 700, 701, 960),
  )
  .map(([character, bytes]) =>
    character.repeat(
      Math.floor(bytes / Math.max(character === '\u0001' ? 2 : 1, Buffer.byteLength(character))),
    ),
  )
const small = fc.constantFrom('a', 'b', 'a-', 'é', '日', '😀', '\uffee', '\u0001', 'xx')
const segment = fc.oneof(
  { weight: 3, arbitrary: small },
  { weight: 1, arbitrary: fc.tuple(filler, small).map(([begin, end]) => begin + end) },
)
const path = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join('/'))
  .filter((text) => Buffer.byteLength(text) <= 4096)
/** Few beginnings, so that many paths share one. */
const paths = fc
  .tuple(
    fc.uniqueArray(fc.oneof(path, filler), { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(2), fc.boolean(), path), { maxLength: 14 }),
  )
  .map(([begins, ends]) =>
    ends
      .map(([at, isBelow, end]) => `${begins[at % begins.length]}${isBelow ? '/' : ''}${end}`)
      .filter((text) => Buffer.byteLength(text) <= 4096)
      .concat(begins),
  )
const writes = fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 5, maxLength: 40 })

const foldersOf = (all: Iterable<string>) => {
  const folders = new Set([''])
  for (const path of all)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      folders.add(path.slice(0, at + 1))
  return folders
}

/** Where a store lies that a test opens; it is closed and removed at the end. */
const folder = async (): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), 'plinth-paths-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}
const closing = (store: Store): Store => {
  onTestFinished(() => store.close())
  return store
}
const stores: readonly [name: string, numRuns: number, open: () => Promise<Store | undefined>][] = [
  ['memory of its own', 25, async () => undefined],
  ['a memory store', 15, async () => memoryStore()],
  ['a store whose keys alone are in the replica', 15, async () => coalesced(memoryStore())],
  ['SQLite', 10, async () => closing(await sqliteStore(join(await folder(), 'all.sqlite'), driverOptions))],
  [
    'PostgreSQL',
    5,
    async () => {
      const server = await postgresServer({ fsync: 'off' })
      onTestFinished(() => server.stop())
      const sql = postgres(await server.database(), { max: 4, onnotice: () => undefined })
      onTestFinished(() => sql.end({ timeout: 1 }))
      return closing(await postgresStore(sql, { realm: 'secrets' }))
    },
  ],
]

it.each(stores)('paths of any length are kept and listed as a map would, in %s', async (_, numRuns, open) => {
  const store = await open()
  const { service } = await devSecrets(store === undefined ? {} : { store })
  onTestFinished(() => service.close())
  let mounts = 0
  await fc.assert(
    fc.asyncProperty(paths, writes, fc.integer({ min: 1, max: 4 }), async (all, turns, limit) => {
      mounts += 1
      for (const version of ['1', '2'])
        await service.mounts.enable({ path: `m${mounts}-${version}`, type: 'kv', options: { version } })
      const [plain, kv] = [service.kv1(`m${mounts}-1`), service.kv(`m${mounts}-2`)]
      const model = new Map<string, number>()
      for (const [turn, [at, isWrite]] of turns.entries()) {
        const path = all[at % all.length] ?? ''
        for (const each of [plain, kv]) {
          const done = isWrite ? await each.write(path, { turn }) : await each.remove(path)
          if (!isWrite) expect(done).toEqual({ ok: true, value: model.has(path) })
          unwrap<unknown>(done)
        }
        if (isWrite) model.set(path, turn)
        else model.delete(path)
      }
      for (const path of new Set(all)) {
        const turn = model.get(path)
        expect(unwrap(await plain.read(path))?.data).toEqual(turn === undefined ? undefined : { turn })
        const read = unwrap(await kv.read(path))
        expect(read.kind === 'live' ? read.data : undefined).toEqual(
          turn === undefined ? undefined : { turn },
        )
      }
      const sorted = [...model.keys()].sort(compareKeys)
      for (const folder of foldersOf(all)) {
        const below = sorted
          .filter((path) => path.startsWith(folder))
          .map((path) => path.slice(folder.length))
        const wanted = { list: listKeys(sorted, folder), scan: below.filter((path) => path !== '') }
        for (const how of ['list', 'scan'] as const) {
          const names = wanted[how]
          for (const each of [plain, kv]) {
            expect(unwrap(await each[how](folder))).toEqual(names)
            for (const name of names)
              for (const after of [name, Array.from(name).slice(0, -1).join('')])
                expect(unwrap(await each[how](folder, { after, limit }))).toEqual(
                  names.filter((other) => compareKeys(other, after) > 0).slice(0, limit),
                )
          }
        }
      }
    }),
    { numRuns },
  )
})
