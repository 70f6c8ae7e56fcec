import { describe, expect, it } from 'vitest'
import { filter, given } from './harness.ts'

const records = {
  deployments: [
    { ID: 'd1', JobID: 'web' },
    { ID: 'd2', JobID: 'web', Namespace: 'prod' },
  ],
  allocations: [
    { ID: 'a1', JobID: 'web', DeploymentID: 'd1' },
    { ID: 'a2', JobID: 'web', DeploymentID: 'd1', ClientStatus: 'failed' },
    { ID: 'a3', JobID: 'web' },
    { ID: 'a4', JobID: 'web', DeploymentID: 'd2', Namespace: 'prod' },
  ],
  evaluations: [
    { ID: 'e1', JobID: 'web' },
    { ID: 'e2', JobID: 'web', Status: 'failed' },
    { ID: 'x3', JobID: 'web', Namespace: 'prod' },
  ],
}

describe('what was placed in a deployment', () => {
  it('is listed, filtered and paged like any list', async () => {
    const { ids, get } = await given(records)
    const path = '/v1/deployment/allocations/d1'
    expect(await ids(path)).toEqual(['a1', 'a2'])
    expect(await ids(`${path}?${filter('ClientStatus == "failed"')}`)).toEqual(['a2'])
    expect(await ids(`${path}?reverse=true&per_page=1`)).toEqual(['a2'])
    expect((await get(`${path}?per_page=1`)).nextToken).not.toBeNull()
    expect(await ids('/v1/deployment/allocations/d2')).toEqual(['a4'])
    expect(await ids('/v1/deployment/allocations/none')).toEqual([])
  })
  it('needs the right to read its namespace', async () => {
    const { get } = await given(
      {
        ...records,
        policies: [{ Name: 'p', Rules: 'namespace "prod" { policy = "read" }' }],
        tokens: [{ SecretID: 'p', Type: 'client', Policies: ['p'] }],
      },
      { acl: true },
    )
    const init = { headers: { 'X-Scheduler-Token': 'p' } }
    expect((await get('/v1/deployment/allocations/d2', init)).status).toBe(200)
    expect((await get('/v1/deployment/allocations/d1', init)).status).toBe(403)
  })
})

describe('how many evaluations there are', () => {
  it.each([
    ['', 2],
    ['?namespace=*', 3],
    ['?prefix=x&namespace=*', 1],
    [`?${filter('Status == "failed"')}`, 1],
  ])('is counted: %s', async (query, Count) => {
    const { get } = await given(records)
    const got = await get(`/v1/evaluations/count${query}`)
    expect([got.status, got.json]).toEqual([200, { Count }])
    expect(got.index).toBeGreaterThan(1)
  })
  it('is refused where a list would be', async () => {
    const { get } = await given({}, { acl: true })
    expect((await get('/v1/evaluations/count')).status).toBe(403)
    const open = await given()
    expect((await open.get(`/v1/evaluations/count?${filter('Bogus == 1')}`)).status).toBe(400)
  })
})

describe('a filter on what only lists show', () => {
  it.each([
    ['nodes', 'Address == "10.0.0.1"', 'lists show Address, filters use HTTPAddr'],
    ['nodes', 'Drain == true', 'lists show Drain, filters use DrainStrategy'],
    ['node/pool/all/nodes', 'Version is empty', 'lists show Version, filters use Attributes'],
    ['jobs', 'JobSummary.Children.Dead == 1', 'lists show JobSummary, filters use Status'],
  ])('is refused with what to use instead: %s %s', async (list, expression, text) => {
    const { get } = await given()
    const refused = await get(`/v1/${list}?${filter(expression)}`)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
    expect(refused.text).toContain('error finding value in datum')
  })
})

describe('the health of a server', () => {
  it('needs no token', async () => {
    const { get } = await given({}, { acl: true })
    const got = await get('/v1/agent/health')
    expect([got.status, got.json]).toEqual([200, { server: { ok: true, message: 'ok' } }])
  })
  it('is bad without a leader', async () => {
    const { get } = await given({}, { consistency: { knownLeader: () => false } })
    const got = await get('/v1/agent/health')
    expect([got.status, got.json]).toEqual([500, { server: { ok: false, message: 'No cluster leader' } }])
  })
})

describe('the management token that a server was given', () => {
  it('reads itself, although it is not stored', async () => {
    const { get } = await given({}, { managementToken: 'boss' })
    const init = { headers: { 'X-Scheduler-Token': 'boss' } }
    const self = await get('/v1/acl/token/self', init)
    expect([self.status, self.json]).toEqual([
      200,
      expect.objectContaining({ SecretID: 'boss', Type: 'management', Global: true }),
    ])
    expect((await get('/v1/acl/tokens', init)).json).toEqual([])
    expect((await get('/v1/acl/token/self')).status).toBe(403)
  })
})
