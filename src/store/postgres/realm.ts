import { systemTimers } from '../../kernel/index.ts'
import { StoreError } from '../port/errors.ts'
import type { Driver } from './driver.ts'
import { explain, isRestarting } from './errors.ts'
import type { PostgresOptions } from './options.ts'
import { attemptsWithin, withTimeout } from './retries.ts'
import { migrate } from './schema.ts'

/**
 * Verifies that the database is suitable for a store, and finds or creates the realm. While the server starts, or
 * recovers from a crash, it answers with an error and the query is retried. Any query may receive this error, because
 * each may use a connection that was opened before the server was ready, or that was reopened after the server ended it.
 */
export async function openRealm(driver: Driver, schema: string, options: PostgresOptions): Promise<number> {
  const { settleMs = 10_000 } = options
  const attempts = attemptsWithin(settleMs, settleMs)
  while (true) {
    try {
      return await findRealm(driver, schema, options)
    } catch (error) {
      if (!isRestarting(error) || attempts.isOver(error)) throw explain(error, 'unreachable')
      await attempts.pause()
    }
  }
}

async function findRealm(driver: Driver, schema: string, options: PostgresOptions): Promise<number> {
  const { timers = systemTimers, settleMs = 10_000 } = options
  const [row] = await withTimeout(
    { timers, driver },
    settleMs,
    driver.query(
      `select current_setting('server_encoding') as encoding, current_setting('default_transaction_isolation') as isolation,
      current_setting('server_version_num')::int as version, current_setting('synchronous_standby_names') as standbys,
      current_setting('synchronous_commit') as synchronous, current_setting('fsync') as fsync, pg_is_in_recovery() as standby`,
    ),
  )
  const setting = (name: string) => String(row?.[name] ?? '')
  const unsuitable = (message: string) => new StoreError('unsuitable', message)
  if (setting('encoding') !== 'UTF8')
    throw unsuitable(`the database has encoding ${setting('encoding')}: create one with encoding 'UTF8'`)
  if (Number(setting('version')) < 120_000) throw unsuitable('the server is older than PostgreSQL 12')
  if (setting('isolation') !== 'read committed')
    throw unsuitable(`default_transaction_isolation is ${setting('isolation')}: it must be 'read committed'`)
  if (row?.['standby'] === true) throw unsuitable('the server is a standby: use the address of the primary')
  await migrate(driver, schema)
  const name = `"${schema}"`
  await driver.query(`insert into ${name}.realm (name) values ($1) on conflict do nothing`, [options.realm])
  const [found] = await driver.query(`select id from ${name}.realm where name = $1`, [options.realm])
  for (const warning of warnings(setting)) options.onWarning?.(warning)
  return Number(found?.['id'])
}

function warnings(setting: (name: string) => string): string[] {
  const found: string[] = []
  if (setting('fsync') === 'off') found.push('fsync is off: a crash of the machine loses or damages data')
  if (setting('synchronous') === 'off')
    found.push('synchronous_commit is off: a crash of the server loses acknowledged commits')
  if (setting('standbys') === '')
    found.push('synchronous_standby_names is empty: losing the primary loses commits that no standby has yet')
  return found
}
