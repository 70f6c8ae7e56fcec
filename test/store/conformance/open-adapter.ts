import { join } from 'node:path'
import postgres from 'postgres'
import { etcdStore } from '../../../src/store/etcd/index.ts'
import { memoryStore, type Store } from '../../../src/store/index.ts'
import { postgresStore } from '../../../src/store/postgres/index.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'

/*
 * Opens a realm of each adapter, in a test and in its child processes: PLINTH_TEST_STORES is a directory,
 * PLINTH_TEST_POSTGRES the URL of a database, PLINTH_TEST_ETCD that of a cluster.
 */
const directory = () => process.env['PLINTH_TEST_STORES'] ?? ''

export const sqlite = (realm: string): Promise<Store> =>
  sqliteStore(join(directory(), 'all.sqlite'), { realm })

export const overPostgres = async (realm: string): Promise<Store> => {
  const sql = postgres(process.env['PLINTH_TEST_POSTGRES'] ?? '', { max: 4, onnotice: () => undefined })
  const store = await postgresStore(sql, { realm })
  return {
    ...store,
    close: async () => {
      await store.close()
      await sql.end({ timeout: 1 })
    },
  }
}

export const overEtcd = (realm: string): Promise<Store> =>
  etcdStore([process.env['PLINTH_TEST_ETCD'] ?? ''], { realm })

/** Keeps nothing when its process dies. */
export const memory = async (): Promise<Store> => memoryStore()
