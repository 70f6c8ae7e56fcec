import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import sql, { bulk } from 'sql-template-tag'
import { findJobs } from './jobs.mjs'

test('finds what the filter says, of one owner', async () => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  const query = async (text) => (await pool.query(text)).rows
  try {
    await query(
      'create table jobs (name text not null, owner text not null, status text not null, priority bigint not null)',
    )
    const rows = [
      ['web-1', 'ada', 'running', 50],
      ['web-2', 'bob', 'running', 60],
      ['db', 'ada', 'running', 70],
      ['mail', 'ada', 'dead', 80],
    ]
    await query(sql`insert into jobs (name, owner, status, priority) values ${bulk(rows)}`)
    const names = async (text) => (await findJobs(query, 'ada', text)).map(({ name }) => name)
    assert.deepEqual(await names('status == running and priority >= 50'), ['db', 'web-1'])
    assert.deepEqual(await names('status == dead or name starts with "web"'), ['mail', 'web-1'])
    assert.deepEqual(await names('status == running and name matches "^web-[0-9]+$"'), ['web-1'])
    assert.deepEqual(await names(`name == "'; drop table jobs; -- ?"`), [])
    await assert.rejects(names('statsu == dead'), /did you mean status\?/)
  } finally {
    await pool.end()
  }
})
