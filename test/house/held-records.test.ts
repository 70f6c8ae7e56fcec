import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { type Collection, memoryBlobs, memoryStore, type Store } from '../../src/store/index.ts'

const ask = ({ fetch }: { readonly fetch: (request: Request) => Promise<Response> }, path: string) =>
  fetch(new Request(`http://service.test${path}`))

/** How each service is made to read its store, and the collections that it does not keep in its replica, by name. */
const services: readonly [
  name: string,
  open: (store: Store) => Promise<unknown>,
  outside: readonly string[],
][] = [
  [
    'catalog',
    (store) => ask(createCatalog({ store, blobs: memoryBlobs(nodeHashing) }), '/api/v2/search'),
    [],
  ],
  ['registry', (store) => ask(createRegistry({ store }), '/v1/modules'), ['contents', 'version']],
  ['scheduler', (store) => ask(createScheduler({ store }), '/v1/jobs'), []],
  ['secrets', (store) => devSecrets({ store }), ['kv1data', 'kv2data', 'kvpiece']],
]

/** What a service's replica holds: the prefixes whose changes it asks its store for. */
async function prefixesHeld(open: (store: Store) => Promise<unknown>): Promise<ReadonlySet<string>> {
  const { snapshot: _snapshot, onCommit: _onCommit, ...remote } = memoryStore()
  const asked = new Set<string>()
  const store: Store = {
    ...remote,
    changes: (since) => {
      for (const prefix of since.prefixes) asked.add(prefix)
      return remote.changes(since)
    },
  }
  onTestFinished(() => remote.close())
  await open(store)
  return asked
}

const isCollection = (value: unknown): value is Collection<unknown> =>
  typeof value === 'object' && value !== null && 'markOf' in value && 'prefixes' in value

/** Every collection that a service declares. */
async function collectionsOf(service: string): Promise<readonly Collection<unknown>[]> {
  const files = readdirSync(`src/${service}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${service}/${file}`)
    .filter((file) => /= collection[<(]/.test(readFileSync(file, 'utf8')))
  const modules: Readonly<Record<string, unknown>>[] = await Promise.all(
    files.map((file) => import(resolve(file))),
  )
  return modules.flatMap((each) => Object.values(each).filter(isCollection))
}

describe.each(services)('%s', (name, open, outside) => {
  it('holds every collection in its replica but those that it reads from the store', async () => {
    const held = await prefixesHeld(open)
    const notHeld = (await collectionsOf(name)).filter(
      ({ prefixes }) => !prefixes.every((each) => held.has(each)),
    )
    expect(notHeld.map((each) => each.name).sort()).toEqual(outside.toSorted())
  })
})
