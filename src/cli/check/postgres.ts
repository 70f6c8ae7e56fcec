import { realms } from '../backup/folder.ts'
import { peer } from '../serve/peer.ts'
import { UserError } from '../user-error.ts'
import { checkRead } from './read.ts'
import type { Report } from './report.ts'

/** Reads each realm in one snapshot; the database keeps checksums of its pages itself. */
export async function* checkPostgres(url: string, only: string | undefined): AsyncIterable<Report> {
  const { postgresJsSettings, postgresStore } = await import('../../store/postgres/index.ts')
  const { default: postgres } = await peer('--data postgres://…', 'postgres@3', () => import('postgres'))
  const client = postgres(url, { max: 3, onnotice: () => {}, ...postgresJsSettings() })
  try {
    // Opening a realm would create it, and the tables.
    const [tables] = await client`select to_regclass('plinth.realm') is not null as there`
    const rows = tables?.['there'] === true ? await client`select name from plinth.realm where rev > 0` : []
    const found = realms.filter(
      (realm) => (only ?? realm) === realm && rows.some(({ name }) => name === realm),
    )
    if (found.length === 0)
      throw new UserError(`there is no ${only === undefined ? 'data' : `realm ${only}`} in the database`)
    for (const realm of found) {
      const store = await postgresStore(client, { realm, notify: false })
      yield { realm, ...(await checkRead(store)) }
      await store.close()
    }
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`cannot read the database: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await client.end({ timeout: 5 })
  }
}
