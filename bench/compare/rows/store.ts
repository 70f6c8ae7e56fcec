import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../../src/store/index.ts'
import { counting, type Row } from '../row.ts'
import type { Tree } from '../tree.ts'

const stores = {
  memory: async ({ load }: Tree): Promise<Store> => (await load('./store')).memoryStore(),
  SQLite: async ({ load }: Tree): Promise<Store> =>
    (await load('./store/sqlite')).sqliteStore(join(await mkdtemp(join(tmpdir(), 'store-')), 'bench.sqlite')),
}

/** Commits of one put each, never of the same value twice; the callers commit at once, again and again. */
const committing = (name: keyof typeof stores, callers: number, operations: number): Row => ({
  name: `store: ${name}, commits of ${callers === 1 ? 'one caller' : `${callers} callers`}`,
  clock: name === 'memory' ? 'cpu' : 'wall',
  operations,
  prepare: async (tree) => {
    const { keyOf } = await tree.load('./store')
    const store = await stores[name](tree)
    const put = async (n: number) => {
      const key = keyOf('job', 'default', n % 5000)
      const value = { id: n, name: `record ${n}`, tags: ['a', 'b'], padding: 'x'.repeat(60) }
      const [done] = await store.commit([{ id: `b${n}`, put: [{ key, value }] }])
      if (done?.ok !== true) throw new Error('a commit was refused')
    }
    return counting(operations / callers, (turn) =>
      callers === 1
        ? put(turn)
        : Promise.all(Array.from({ length: callers }, (_, caller) => put(turn * callers + caller))),
    )
  },
})

export const store: readonly Row[] = [
  committing('memory', 1, 5000),
  committing('memory', 64, 6400),
  committing('SQLite', 1, 100),
  committing('SQLite', 64, 1280),
]
