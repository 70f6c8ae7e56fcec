import { etcdStore } from '../../store/etcd/index.ts'
import { isStoreError } from '../../store/index.ts'
import { realms } from '../backup/folder.ts'
import { readEtcdPlace } from '../serve/etcd-data.ts'
import { UserError } from '../user-error.ts'
import { checkRead } from './read.ts'
import type { Report } from './report.ts'

/** Reads each realm in one snapshot; etcd keeps checksums of its pages itself. */
export async function* checkEtcd(where: string, only: string | undefined): AsyncIterable<Report> {
  const { endpoints, options } = await readEtcdPlace(where)
  let found = false
  try {
    for (const realm of realms.filter((each) => (only ?? each) === each)) {
      const store = await etcdStore(endpoints, { ...options, realm, compactMs: false })
      try {
        if ((await store.head()) === 0) continue
        found = true
        yield { realm, ...(await checkRead(store)) }
      } finally {
        await store.close()
      }
    }
  } catch (error) {
    if (isStoreError(error)) throw new UserError(error.message)
    throw error
  }
  if (!found)
    throw new UserError(`there is no ${only === undefined ? 'data' : `realm ${only}`} in the cluster`)
}
