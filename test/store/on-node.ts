import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { crashConformance, type Store, storeConformance } from '../../src/store/index.ts'
import { sqlite } from './conformance/open-adapter.ts'

/*
 * The suites over the SQLite store for `node --test`, under whatever version of Node runs it.
 */
const directory = mkdtempSync(join(tmpdir(), 'plinth-on-node-'))
process.env['PLINTH_TEST_STORES'] = directory
after(() => rmSync(directory, { recursive: true, force: true }))

let realms = 0
const names = new WeakMap<Store, string>()
const open = async (realm: string) => {
  const store = await sqlite(realm)
  names.set(store, realm)
  return store
}
const realmOf = (store: Store) => names.get(store) ?? ''
const sizes = { neighbours: 1, sequences: 2, rounds: 8 }
storeConformance(() => open(`realm-${++realms}`), {
  test,
  peer: (store) => open(realmOf(store)),
  reopen: async (store) => {
    await store.close()
    return open(realmOf(store))
  },
  ...sizes,
})
crashConformance(open, {
  // Of the kills, what an operator does: these differ from one version of the engine to another.
  test: (name, run) => (/opened and closed|none is starved/.test(name) ? test(name, run) : undefined),
  module: fileURLToPath(new URL('conformance/open-adapter.mjs', import.meta.url)),
  export: 'sqlite',
  ...sizes,
})
