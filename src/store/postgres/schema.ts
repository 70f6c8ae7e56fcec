import { StoreError } from '../port/errors.ts'
import type { Driver, Query } from './driver.ts'
import { tables } from './migrations/1-tables.ts'
import { log } from './migrations/2-log.ts'
import { changesWithCommits } from './migrations/3-changes-with-commits.ts'

/**
 * The schema, as migrations that are applied once and in order. A released one is not changed, except that what a later
 * one drops and creates anew goes. `$schema` stands for its name.
 */
const migrations: readonly string[] = [tables, log, changesWithCommits]

/** Creates the schema, or migrates an older one; safe when two processes start at the same time. */
export async function migrate(driver: Driver, schema: string): Promise<void> {
  const name = `"${schema}"`
  if ((await versionIn(driver.query, schema)) === migrations.length) return
  await driver.transaction('isolation level read committed', async (query) => {
    await query(`select pg_advisory_xact_lock(hashtext('plinth migrations of ' || $1::text))`, [schema])
    const version = await versionIn(query, schema)
    if (version === undefined) {
      await query(`create schema if not exists ${name}`)
      await query(
        `create table ${name}.migration (version integer primary key, at timestamptz not null default now())`,
      )
    }
    for (const [at, sql] of migrations.entries()) {
      if (at < (version ?? 0)) continue
      await query(sql.replaceAll('$schema', name))
      await query(`insert into ${name}.migration (version) values ($1)`, [at + 1])
    }
  })
}

/** The version of the schema; `undefined` if there is none. */
async function versionIn(query: Query, schema: string): Promise<number | undefined> {
  const [found] = await query(
    `select to_regclass(quote_ident($1::text) || '.migration') is not null as ours,
      exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1::text) as used`,
    [schema],
  )
  if (found?.['ours'] !== true) {
    if (found?.['used'] !== true) return undefined
    throw new StoreError(
      'foreign',
      `the schema ${schema} holds tables of another program: choose another schema`,
    )
  }
  const [row] = await query(`select coalesce(max(version), 0)::int as version from "${schema}".migration`)
  const version = Number(row?.['version'])
  if (version > migrations.length)
    throw new StoreError(
      'wrong_schema',
      `the schema ${schema} has version ${version}; this version of plinth knows ${migrations.length}: use a newer one`,
    )
  return version
}
