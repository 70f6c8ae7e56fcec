import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import { given } from '../harness.ts'

const Job = (Priority = 50) => ({ ID: 'web', Priority, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] })
const Submission = { Source: 'job "web" { }', Format: 'hcl2', VariableFlags: { a: '1' }, Variables: 'b = 2' }

describe('what a job was written in', () => {
  it('is kept with its version, and read back', async () => {
    const { send, get } = await given()
    const first = await send('PUT', '/v1/jobs', { Job: Job(), Submission })
    await send('PUT', '/v1/job/web', { Job: Job(60), submission: { source: '{}', format: 'json' } })
    expect((await get('/v1/job/web/submission?version=0')).json).toEqual({
      ...Submission,
      Namespace: 'default',
      JobID: 'web',
      Version: 0,
      JobModifyIndex: first.index,
    })
    const newest = { Source: '{}', Format: 'json', VariableFlags: null, Variables: '', Version: 1 }
    expect((await get('/v1/job/web/submission')).json).toMatchObject(newest)
    expect((await get('/v1/job/web/submission?version=1')).json).toMatchObject(newest)
  })

  it.each(['web/submission?version=7', 'none/submission', 'bare/submission'])(
    'is not found: %s',
    async (path) => {
      const { send, get } = await given()
      await send('PUT', '/v1/jobs', { Job: Job(), Submission })
      await send('PUT', '/v1/jobs', { Job: { ...Job(), ID: 'bare' } })
      const missing = await get(`/v1/job/${path}`)
      expect([missing.status, missing.text]).toEqual([404, 'job source not found'])
    },
  )

  it('goes with its version, and with its job', async () => {
    const store = memoryStore()
    const { send, get } = await given({}, { store })
    for (let priority = 1; priority <= 9; priority += 1)
      await send('PUT', '/v1/jobs', { Job: Job(priority), Submission })
    expect((await get('/v1/job/web/submission?version=0')).status).toBe(404)
    expect((await get('/v1/job/web/submission?version=8')).status).toBe(200)
    await send('DELETE', '/v1/job/web?purge=true')
    expect(store.snapshot().scan({ prefix: 'job-submissions' })).toEqual([])
  })

  it('is dropped with a warning where it is very long', async () => {
    const { send, get } = await given()
    const long = await send('PUT', '/v1/jobs', { Job: Job(), Submission: { Source: 'x'.repeat(1_000_001) } })
    expect(long.json).toMatchObject({ Warnings: expect.stringContaining('exceeds maximum of 1000000') })
    expect((await get('/v1/job/web/submission')).status).toBe(404)
  })

  it('is refused if it is invalid, and nothing is registered', async () => {
    const { send, get } = await given()
    const refused = await send('PUT', '/v1/jobs', { Job: Job(), Submission: { Source: 7 } })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Submission: Source')])
    expect((await get('/v1/job/web')).status).toBe(404)
    await send('PUT', '/v1/jobs', { Job: Job(), Submission: null })
    expect((await get('/v1/job/web/submission?version=x')).status).toBe(400)
  })

  it('can be read with the right to read the job', async () => {
    const { send, get } = await given(
      {
        policies: [{ Name: 'l', Rules: 'namespace "default" { capabilities = ["list-jobs"] }' }],
        tokens: [{ SecretID: 'l', Type: 'client', Policies: ['l'] }],
      },
      { managementToken: 'm' },
    )
    const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })
    await send('PUT', '/v1/jobs', { Job: Job(), Submission }, as('m'))
    expect((await get('/v1/job/web/submission', as('l'))).status).toBe(403)
  })
})
