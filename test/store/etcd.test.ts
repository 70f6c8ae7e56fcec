import { afterAll, beforeAll, describe, it } from 'vitest'
import { etcdStore } from '../../src/store/etcd/index.ts'
import { type Store, storeConformance } from '../../src/store/index.ts'
import { etcd, needing } from '../programs.ts'
import { type EtcdCluster, etcdCluster } from './etcd-server.ts'

describe(...needing('etcd', etcd), () => {
  let cluster: EtcdCluster
  beforeAll(async () => {
    cluster = await etcdCluster()
  })
  afterAll(() => cluster.stop())

  const realms = new WeakMap<Store, string>()
  let count = 0
  const open = async (realm: string, options = {}) => {
    const store = await etcdStore(cluster.urls, { realm, ...options })
    realms.set(store, realm)
    return store
  }
  const another = (store: Store) => open(realms.get(store) ?? '')
  const fresh = (options = {}) => {
    count += 1
    return open(`r${count}`, options)
  }

  describe('as a store', () => {
    storeConformance(() => fresh(), {
      test: it,
      peer: another,
      reopen: async (store) => {
        await store.close()
        return another(store)
      },
      retaining: (commits) => fresh({ remember: { commits } }),
      neighbours: 1,
      rounds: 20,
      sequences: 10,
    })
  })
})
