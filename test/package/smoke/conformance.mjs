// The conformance suite of stores, on a driver that is not one of Node's: `conformance.mjs bun:sqlite FOLDER`.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { storeConformance } from 'plinth/store'

/** How to open a new realm with each driver. */
const openers = {
  'bun:sqlite': async (folder) => {
    const { Database } = await import('bun:sqlite')
    const { sqliteStore } = await import('plinth/store/sqlite')
    return () =>
      sqliteStore(join(folder, `${randomUUID()}.db`), { realm: 'one', open: (file) => new Database(file) })
  },
  pglite: async (folder) => {
    const { pglitePool } = await import('./pglite-pool.mjs')
    const { postgresStore } = await import('plinth/store/postgres')
    const pool = await pglitePool(join(folder, 'pglite'))
    return () => postgresStore(pool, { realm: randomUUID(), notify: false, settleMs: 1_000 })
  },
}

const [driver, folder] = process.argv.slice(2)
const failed = []
const cases = []
storeConformance(await openers[driver](folder), {
  test: (name, run) => cases.push({ name, run }),
  sequences: 2,
  rounds: 5,
})
for (const { name, run } of cases) await run().catch(() => failed.push(name))
console.log(JSON.stringify({ cases: cases.length, failed }))
process.exit()
