import { describe, expect, it } from 'vitest'
import type { JobDiff } from '../../../src/scheduler/index.ts'
import { filter, given } from '../harness.ts'

const job = (over: object = {}) => ({
  ID: 'web',
  Type: 'service',
  TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 'server', Config: { image: 'web:1' } }] }],
  ...over,
})

/** A job of three versions, its ID given. */
async function threeVersions(ID = 'web') {
  const harness = await given()
  await harness.send('PUT', '/v1/jobs', { Job: job({ ID }) })
  await harness.send('PUT', '/v1/jobs', { Job: job({ ID, Priority: 70 }) })
  await harness.send('DELETE', `/v1/job/${encodeURIComponent(ID)}`)
  return harness
}
const diffsOf = (json: unknown) => (json as { readonly Diffs: readonly JobDiff[] | null }).Diffs

describe('the versions of a job', () => {
  it('list what each version changed from the one before it, on request', async () => {
    const { get } = await threeVersions()
    const diffs = diffsOf((await get('/v1/job/web/versions?diffs=true')).json)
    expect(diffs?.map(({ Type, Fields }) => [Type, ...Fields.map((each) => Object.values(each))])).toEqual([
      ['Edited', ['Edited', 'Stop', 'false', 'true', null]],
      ['Edited', ['Edited', 'Priority', '50', '70', null]],
    ])
    for (const path of ['/v1/job/web/versions', '/v1/job/web/versions?diffs=false'])
      expect(diffsOf((await get(path)).json)).toBeNull()
  })
  it('say so of a job whose ID has slashes, too', async () => {
    const { get } = await threeVersions('ops/web')
    expect(diffsOf((await get('/v1/job/ops/web/versions?diffs=1')).json)).toHaveLength(2)
  })
  it('say nothing of a job with one version', async () => {
    const { get, send } = await given()
    await send('PUT', '/v1/jobs', { Job: job() })
    expect(diffsOf((await get('/v1/job/web/versions?diffs=true')).json)).toEqual([])
  })
  it('wake queries that wait for diffs, and share no answer with queries without diffs', async () => {
    const { get, send, scheduler } = await threeVersions()
    const { index } = await get('/v1/job/web/versions')
    const waiting = ['?diffs=true&', '?'].map((query) => get(`/v1/job/web/versions${query}index=${index}`))
    while (scheduler.waiting() < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    await send('PUT', '/v1/jobs', { Job: job() })
    const [asked, plain] = await Promise.all(waiting)
    expect(diffsOf(asked?.json)).toHaveLength(3)
    expect(diffsOf(plain?.json)).toBeNull()
  })
  it('refuse a flag that is neither yes nor no', async () => {
    const { get } = await threeVersions()
    for (const id of ['web', 'ops/web']) {
      const refused = await get(`/v1/job/${id}/versions?diffs=maybe`)
      expect([refused.status, refused.text]).toEqual([
        400,
        'Failed to parse value of "diffs" (maybe) as a bool: invalid syntax',
      ])
    }
  })
})

describe('planning to start a stopped job', () => {
  it('tells that it starts', async () => {
    const { send } = await threeVersions()
    const plan = await send('PUT', '/v1/job/web/plan', { Job: job({ Priority: 70 }), Diff: true })
    expect((plan.json as { readonly Diff: JobDiff }).Diff.Fields).toMatchObject([
      { Name: 'Stop', Old: 'true', New: 'false' },
    ])
  })
})

describe('what belongs to a job whose ID has slashes', () => {
  it('is filtered and paged like that of any other', async () => {
    const { get, ids } = await threeVersions('ops/web')
    const all = await ids('/v1/job/ops/web/evaluations')
    expect(all).toHaveLength(3)
    const page = await get('/v1/job/ops/web/evaluations?per_page=1')
    expect([page.json, page.nextToken]).toEqual([
      [expect.objectContaining({ ID: all[0] })],
      expect.any(String),
    ])
    const stops = `/v1/job/ops/web/evaluations?${filter('TriggeredBy == "job-deregister"')}`
    expect(await ids(stops)).toHaveLength(1)
    expect(await ids('/v1/job/ops/web/evaluations?reverse=true')).toEqual([...all].reverse())
    expect((await get('/v1/job/ops/web/evaluations?per_page=x')).status).toBe(400)
    expect((await get('/v1/job/ops/web/deployments?all=x')).status).toBe(400)
    expect((await get('/v1/job/ops/web/summary?per_page=x')).status).toBe(200)
  })
})
