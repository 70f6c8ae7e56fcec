import { isStoreError, type Store } from '../../store/index.ts'
import type { Report } from './report.ts'

/** How many entries are read at once. */
const pageSize = 1_000

/** Reads a realm in one snapshot. */
export const checkRead = (store: Store): Promise<Omit<Report, 'realm'>> =>
  store.read(async ({ rev, scan }) => {
    let entries = 0
    const faults: string[] = []
    try {
      for (let after: string | undefined; ; ) {
        const page = await scan({ prefix: '', after, limit: pageSize })
        for (const { key, created, modified } of page) {
          entries += 1
          if (!(created >= 1 && created <= modified && modified <= rev))
            faults.push(`${key} has revisions ${created} and ${modified} in a realm at ${rev}`)
        }
        after = page.at(-1)?.key
        if (page.length < pageSize) return { rev, entries, faults }
      }
    } catch (error) {
      if (!isStoreError(error)) throw error
      return { rev, entries, faults: [...faults, error.message] }
    }
  })
