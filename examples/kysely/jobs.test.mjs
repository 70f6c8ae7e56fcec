import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { findJobs } from './jobs.mjs'

test('finds what the filter says, of one owner', async () => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
  try {
    await sql`create table jobs (name text not null, owner text not null, status text not null, priority bigint not null)`.execute(
      db,
    )
    await db
      .insertInto('jobs')
      .values([
        { name: 'web-1', owner: 'ada', status: 'running', priority: 50 },
        { name: 'web-2', owner: 'bob', status: 'running', priority: 60 },
        { name: 'db', owner: 'ada', status: 'running', priority: 70 },
        { name: 'mail', owner: 'ada', status: 'dead', priority: 80 },
      ])
      .execute()
    const names = async (text) => (await findJobs(db, 'ada', text)).map(({ name }) => name)
    assert.deepEqual(await names('status == running and priority >= 50'), ['db', 'web-1'])
    assert.deepEqual(await names('status == dead or name starts with "web"'), ['mail', 'web-1'])
    assert.deepEqual(await names('status == running and name matches "^web-[0-9]+$"'), ['web-1'])
    assert.deepEqual(await names(`name == "'; drop table jobs; -- ?"`), [])
    await assert.rejects(names('statsu == dead'), /did you mean status\?/)
  } finally {
    await db.destroy()
  }
})
