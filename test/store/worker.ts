import { writeSync } from 'node:fs'
import postgres from 'postgres'
import type { Store } from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { clients, writers } from './history.ts'
import { parcelSweeper } from './sweeping.ts'

/*
 * A process of its own over a real store: `worker.ts history|crash|large|import|open|sweep sqlite|postgres WHERE REALM NAME SEED COUNT`.
 * `history` runs COUNT operations of each of several clients and prints them; `crash` writes until it is killed and
 * prints each acknowledgement before it starts the next commit; `large` does so with values of some megabytes, and prints
 * each before it starts its commit, too; `import` imports until it is killed and prints how far
 * it has come; `open` opens and closes the store COUNT times; `sweep` sweeps with a lease of COUNT ms and stops itself, as a
 * pause of its machine would, in the middle of its third decision; continued, it prints how many it swept.
 */
const [mode, adapter, where = '', realm = '', name = '', seed = '1', count = '0'] = process.argv.slice(2)

const open = async (): Promise<{ store: Store; end: () => Promise<unknown> }> => {
  if (adapter === 'sqlite') return { store: await sqliteStore(where, { realm }), end: async () => undefined }
  const sql = postgres(where, { max: 4, onnotice: () => undefined })
  return { store: await postgresStore(sql, { realm }), end: () => sql.end() }
}
const print = (line: unknown) => writeSync(1, `${JSON.stringify(line)}\n`)

const { store, end } = await open()
if (mode === 'history') {
  for (const operation of await clients(store, { name, seed: Number(seed), count: Number(count) }))
    print(operation)
  await store.close()
  await end()
} else if (mode === 'large') {
  for (let at = 0; ; at += 1) {
    // Of 16 keys, so that values are replaced.
    const [id, key, bytes] = [`${name}-${at}`, `${name}-${at % 16}`, 1_500_000 + at * 300_000]
    print({ key, bytes })
    const [verdict] = await store.commit([{ id, put: [{ key, value: 'v'.repeat(bytes) }] }])
    print({ key, bytes, rev: verdict?.rev })
  }
} else if (mode === 'import') {
  const endless = async function* () {
    for (let at = 0; ; at += 1) {
      if (at % 500 === 0) print(at)
      yield { key: `${name}${at}`, value: { at }, created: 1, modified: 1 }
    }
  }
  await store.import(endless(), 1)
} else if (mode === 'open') {
  await store.close()
  for (let left = Number(count); left > 0; left -= 1) await (await open()).store.close()
  await end()
} else if (mode === 'sweep') {
  let decisions = 0
  const before = () => {
    decisions += 1
    if (decisions !== 3) return
    print('paused')
    process.kill(process.pid, 'SIGSTOP')
  }
  const sweeps = await parcelSweeper(store, { name, leaseMs: Number(count), before })
  print(await sweeps.sweep())
  process.exit()
} else {
  await writers(store, name, print)
}
