import { findDriver } from './driver.ts'

/** The first version of SQLite that notices when a program in the same process drops its locks. */
const noticesSince = [3, 51, 3] as const

/** A warning if the engine in use is older. */
export function olderEngine(): string | undefined {
  const database = findDriver().open(':memory:')
  const { version } = database.prepare('select sqlite_version() as version').get() as {
    readonly version: string
  }
  database.close()
  const parts = version.split('.').map(Number)
  const differing = noticesSince.findIndex((part, at) => part !== parts[at])
  if (differing < 0 || (parts[differing] ?? 0) > (noticesSince[differing] ?? 0)) return undefined
  return `SQLite ${version} does not notice when another program drops the locks of its file; ${noticesSince.join('.')}, in Node 22.23 and later, does`
}
