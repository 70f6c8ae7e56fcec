import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry, type Module, type ModuleAddress, type Registry } from '../../src/registry/index.ts'
import { type Entry, faulty, isStoreError, memoryStore, partsOf, type Store } from '../../src/store/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { testClock } from '../../src/testing/index.ts'

const source = 'https://example.com/x.zip'
let seeds = 100
function open(store: Store): Registry {
  seeds += 1
  const clock = testClock({ seed: seeds })
  return createRegistry({ store, env: clock.env, timers: clock.timers })
}

/** The same realm, as if it stood in another process. */
const remote = ({ head, read, commit, changes, import: fill, close }: Store): Store => ({
  head,
  read,
  commit,
  changes,
  import: fill,
  close,
})

const names = ['a', 'B', 'c-1'] as const
const address: fc.Arbitrary<ModuleAddress> = fc.record({
  namespace: fc.constantFrom('acme', 'Zed'),
  name: fc.constantFrom(...names),
  provider: fc.constantFrom('aws', 'google'),
})
const act = fc.oneof(
  fc.record({ verb: fc.constant('publish' as const), at: address, verified: fc.boolean() }),
  fc.record({
    verb: fc.constant('version' as const),
    at: address,
    version: fc.constantFrom('1', '2', '2.0.0-b1', '10'),
  }),
  fc.record({ verb: fc.constant('unpublish' as const), at: address, version: fc.constantFrom('1', '2') }),
  fc.record({ verb: fc.constant('rename' as const), at: address, to: address }),
  fc.record({ verb: fc.constant('remove' as const), at: address }),
  fc.record({ verb: fc.constant('download' as const), at: address, version: fc.constantFrom('1', '10') }),
  fc.record({ verb: fc.constant('read' as const) }),
)
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never

async function perform(registry: Registry, move: Act): Promise<void> {
  if (move.verb === 'publish')
    await registry.publishModule({ ...move.at, verified: move.verified, description: 'text' })
  if (move.verb === 'version') await registry.publishVersion(move.at, { version: move.version, source })
  if (move.verb === 'unpublish') await registry.removeVersion(move.at, move.version)
  if (move.verb === 'rename') await registry.renameModule(move.at, move.to)
  if (move.verb === 'remove') await registry.removeModule(move.at)
  if (move.verb === 'download') await registry.download(move.at, move.version)
  if (move.verb === 'read') await registry.search('a')
}

/** Everything a reader can find out. */
async function seen(registry: Registry) {
  const modules = []
  for (const namespace of ['acme', 'zed'])
    for (const name of names)
      for (const provider of ['aws', 'google']) {
        const at = { namespace, name, provider }
        const [read, listed, counted] = [
          await registry.readModule(at),
          await registry.listVersions(at),
          await registry.downloads(at),
        ]
        modules.push([read, listed, counted])
      }
  return {
    modules,
    list: await registry.list({ limit: 100 }),
    verified: await registry.list({ verified: true, limit: 100 }),
    found: await registry.search('te', { limit: 100 }),
    aws: await registry.search('aws', { namespace: 'ZED', limit: 100 }),
  }
}

describe('the records of a registry', () => {
  it('can all be reached after concurrent work of two processes over a faulty store', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { maxLength: 15 }),
        fc.integer(),
        async (rounds, seed) => {
          const store = memoryStore()
          const faults = { delay: 0.3, conflict: 0.05, unknownApplied: 0.05, unknownLost: 0.05 }
          const processes = [1, 2].map((each) => open(faulty(store, { seed: seed + each, faults })))
          for (const moves of rounds)
            await Promise.all(
              moves.map((move, at) => perform(processes[at % 2] ?? open(store), move).catch(unlessLost)),
            )
          await Promise.all(processes.map((each) => each.close()))
          const later = open(store)
          await later.sweep()
          await later.close()
          const records = await store.read((now) => now.scan({ prefix: '' }))
          const of = (kind: string) => records.filter(({ key }) => partsOf(key)[0] === kind)
          const living = new Map(
            of('module').map(({ value }) => {
              const { id, versions } = value as unknown as Module
              return [id, versions.map(({ number }) => number).sort()]
            }),
          )
          const idOf = ({ value }: Entry) => (value as { moduleId: string }).moduleId
          for (const kind of ['version', 'contents']) {
            const numbers = new Map<string, string[]>()
            for (const entry of of(kind))
              numbers.set(idOf(entry), [...(numbers.get(idOf(entry)) ?? []), partsOf(entry.key)[2] ?? ''])
            for (const [id, listed] of living) expect((numbers.get(id) ?? []).sort()).toEqual(listed)
            for (const id of numbers.keys()) expect(living.has(id)).toBe(true)
          }
          for (const entry of [...of('downloads'), ...of('moved')]) expect(living.has(idOf(entry))).toBe(true)
          expect(of('remains')).toEqual([])
        },
      ),
      { numRuns: 40 },
    )
  })
})

/** The store may lose the outcome of a commit for good: the caller is told. */
const unlessLost = (error: unknown): void => {
  if (!isStoreError(error, 'unknown', 'contended')) throw error
}

describe('the lists of a registry', () => {
  it.each([
    ['in this process', (store: Store) => store],
    ['in another process', remote],
  ])('equal what a fresh start makes of the records, after any history (%s)', async (_, wrap) => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (moves) => {
        const store = memoryStore()
        const [kept, onlooker] = [open(wrap(store)), open(wrap(store))]
        await onlooker.list()
        for (const move of moves) await perform(kept, move)
        const fresh = open(store)
        const expected = await seen(fresh)
        expect(await seen(kept)).toEqual(expected)
        expect(await seen(onlooker)).toEqual(expected)
        await Promise.all([kept, onlooker, fresh].map((registry) => registry.close()))
      }),
      { numRuns: 60 },
    )
  })
})

describe('a registry on disk', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plinth-registry-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is as it was after a restart', async () => {
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    const first = await sqliteStore(join(folder, 'a.sqlite'), { realm: 'registry' })
    const before = open(first)
    unwrap(
      await before.load({ modules: [{ ...vpc, downloads: 5, versions: [{ version: '1.0.0', source }] }] }),
    )
    unwrap(await before.publishVersion(vpc, { version: '1.1.0', source, root: { readme: '# VPC' } }))
    unwrap(await before.renameModule(vpc, { ...vpc, name: 'network' }))
    unwrap(await before.download({ ...vpc, name: 'network' }, '1.1.0'))
    const kept = await seen(before)
    await before.close()
    await first.close()

    const second = await sqliteStore(join(folder, 'a.sqlite'), { realm: 'registry' })
    const after = open(second)
    expect(await seen(after)).toEqual(kept)
    expect(unwrap(await after.readModule({ ...vpc, name: 'network' }))).toMatchObject({
      versions: ['1.0.0', '1.1.0'],
      contents: { root: { readme: '# VPC' } },
      row: { downloads: 6 },
    })
    expect(await after.readModule(vpc)).toMatchObject({ refusal: { code: 'module_moved' } })
    expect(await after.load({ modules: [] })).toMatchObject({ refusal: { code: 'not_empty' } })
    await after.close()
    await second.close()
  })
})
