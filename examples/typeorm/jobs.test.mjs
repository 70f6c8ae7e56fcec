import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataSource } from 'typeorm'
import { findJobs, JobEntity } from './jobs.mjs'

test('finds what the filter says, of one owner', async () => {
  const dataSource = await new DataSource({
    type: 'postgres',
    url: process.env.DATABASE_URL,
    entities: [JobEntity],
    synchronize: true,
  }).initialize()
  try {
    await dataSource.getRepository(JobEntity).save([
      { name: 'web-1', owner: 'ada', status: 'running', priority: 50 },
      { name: 'web-2', owner: 'bob', status: 'running', priority: 60 },
      { name: 'db', owner: 'ada', status: 'running', priority: 70 },
      { name: 'mail', owner: 'ada', status: 'dead', priority: 80 },
    ])
    const names = async (text) => (await findJobs(dataSource, 'ada', text)).map(({ name }) => name)
    assert.deepEqual(await names('status == running and priority >= 50'), ['db', 'web-1'])
    assert.deepEqual(await names('status == dead or name starts with "web"'), ['mail', 'web-1'])
    assert.deepEqual(await names(`name == "'; drop table job; -- :p0"`), [])
    await assert.rejects(async () => findJobs(dataSource, 'ada', 'statsu == dead'), /did you mean status\?/)
  } finally {
    await dataSource.destroy()
  }
})
