import { setFlagsFromString } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import { createRegistry, moduleRow } from '../../src/registry/index.ts'
import { modules } from '../../src/registry/records.ts'
import { createScheduler, JobSpec, NodeRecord } from '../../src/scheduler/index.ts'
import { type LocalStore, memoryBlobs, memoryStore } from '../../src/store/index.ts'

setFlagsFromString('--allow-natives-syntax')
/** Whether V8 gives two objects the same hidden class. */
const haveSameMap = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (a: object, b: object) => boolean

/** How many records are made of each kind; the first ones may settle on a hidden class that later ones share. */
const made = 60

/** The kinds of object, by their fields and where they stand, whose hidden classes are about as many as the objects. */
function ownHiddenClasses(values: Iterable<readonly [name: string, value: unknown]>): readonly string[] {
  const kinds = new Map<string, { objects: number; readonly classes: object[] }>()
  const visit = (path: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const each of value) visit(`${path}[]`, each)
      return
    }
    const name = `${path} {${Object.keys(value).join()}}`
    const kind = kinds.get(name) ?? { objects: 0, classes: [] }
    kinds.set(name, kind)
    kind.objects += 1
    if (!kind.classes.some((other) => haveSameMap(other, value))) kind.classes.push(value)
    for (const [field, each] of Object.entries(value)) visit(`${path}.${field}`, each)
  }
  for (const [name, value] of values) visit(name, value)
  return [...kinds].flatMap(([name, { objects, classes }]) =>
    objects >= made / 2 && classes.length > objects / 4
      ? [`${name}: ${objects} objects, ${classes.length} classes`]
      : [],
  )
}

const recordsOf = (store: LocalStore) =>
  store
    .snapshot()
    .scan({ prefix: '' })
    .map(({ key, value }) => [/^[a-z-]*/.exec(key)?.[0] ?? '', value] as const)
const numbers = Array.from({ length: made }, (_, number) => number)

describe('objects of one kind share their hidden class', () => {
  it('in the records of the scheduler', async () => {
    const store = memoryStore()
    const scheduler = createScheduler({ store, place: true })
    for (const number of numbers)
      await scheduler.registerNode(NodeRecord.parse({ ID: `node-${number}`, Name: `node-${number}` }))
    for (const count of [1, 2])
      for (const number of numbers) {
        const group = { Name: 'web', Count: count, Tasks: [{ Name: 'main', Driver: 'raw_exec' }] }
        await scheduler.registerJob(
          JobSpec.parse({ ID: `job-${number}`, Meta: { count: String(count) }, TaskGroups: [group] }),
        )
      }
    await scheduler.settled()
    const records = recordsOf(store)
    expect(records.length).toBeGreaterThan(5 * made)
    expect(ownHiddenClasses(records)).toEqual([])
    await scheduler.close()
  })

  it('in the records of the catalog', async () => {
    const store = memoryStore()
    const catalog = createCatalog({ store, blobs: memoryBlobs(nodeHashing) })
    const providers = [
      { name: 'virtualbox', architecture: 'amd64', url: 'https://example.com/a.box' },
    ] as const
    const boxes = numbers.map((number) => ({
      username: `user-${number}`,
      name: 'tiny',
      downloads: number + 1,
      versions: [{ version: '1.0.0', status: 'active' as const, providers: [...providers] }],
    }))
    const loaded = await catalog.load({ boxes })
    expect(loaded.ok).toBe(true)
    const records = recordsOf(store)
    expect(records.length).toBeGreaterThan(3 * made)
    expect(ownHiddenClasses(records)).toEqual([])
    await catalog.close()
  })

  it('in the records and rows of the registry', async () => {
    const store = memoryStore()
    const registry = createRegistry({ store })
    for (const number of numbers) {
      const address = { namespace: 'acme', name: `module-${number}`, provider: 'aws' }
      await registry.publishModule(address)
      await registry.publishVersion(address, { version: '1.0.0', source: 'https://example.com/a.zip' })
    }
    const records = recordsOf(store)
    expect(records.length).toBeGreaterThan(2 * made)
    const rows = modules.list(store.snapshot()).map(({ value }) => ['row', moduleRow(value, 7)] as const)
    expect(rows).toHaveLength(made)
    expect(ownHiddenClasses([...records, ...rows])).toEqual([])
    await registry.close()
  })
})
