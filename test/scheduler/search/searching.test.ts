import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const job = (ID: string, over: object = {}) => ({
  ID,
  TaskGroups: [
    {
      Name: 'frontend',
      Services: [{ Name: `${ID}-http` }],
      Tasks: [
        { Name: 'nginx', Driver: 'docker', Config: { image: 'nginx:1.27' }, Services: [{ Name: 'metrics' }] },
        { Name: 'sidecar', Driver: 'exec', Config: { command: '/usr/bin/front-proxy' } },
      ],
    },
  ],
  ...over,
})
const records = {
  pools: [{ Name: 'gpu' }],
  nodes: [
    { ID: 'a1b2-node', Name: 'Rack-7', NodePool: 'gpu' },
    { ID: 'ffff-node', Name: 'rack-17' },
  ],
  jobs: [job('web'), job('web-admin'), job('db'), job('web', { Namespace: 'prod' })],
  allocations: [
    { ID: 'a1b2-1', JobID: 'web', Name: 'web.frontend[0]' },
    { ID: 'a1b2-2', JobID: 'web', Name: 'web.frontend[0]', Namespace: 'prod' },
  ],
  evaluations: [{ ID: 'a1b2-3', JobID: 'web' }],
  deployments: [{ ID: 'a1b2-4', JobID: 'web' }],
}
interface Found {
  readonly Matches: Record<string, unknown[]>
  readonly Truncations: Record<string, boolean>
}
const asked = async (path: string, body: object, init: RequestInit = {}) => {
  const { send } = await given(records)
  const got = await send('POST', path, body, init)
  return { ...got, found: got.json as Found }
}

describe('a search by the beginning of identifiers', () => {
  it('looks at everything, and says what it looked at', async () => {
    const { found, json, index } = await asked('/v1/search', { Prefix: 'a1b2' })
    expect(found.Matches).toEqual({
      jobs: [],
      evals: ['a1b2-3'],
      allocs: ['a1b2-1'],
      nodes: ['a1b2-node'],
      deployment: ['a1b2-4'],
      node_pools: [],
      namespaces: [],
    })
    expect(new Set(Object.values(found.Truncations))).toEqual(new Set([false]))
    expect(json).toMatchObject({ Index: index, LastContact: 0, KnownLeader: true, NextToken: '' })
  })
  it.each([
    ['jobs', 'web', ['web', 'web-admin']],
    ['jobs', '', ['db', 'web', 'web-admin']],
    ['jobs', 'WEB', []],
    ['nodes', 'f', ['ffff-node']],
    ['node_pools', '', ['all', 'default', 'gpu']],
    ['namespaces', '', ['default', 'prod']],
    ['namespaces', 'p', ['prod']],
  ])('looks at %s alone where that is asked: %s', async (Context, Prefix, expected) => {
    const { found } = await asked('/v1/search', { Prefix, Context })
    expect(found).toMatchObject({ Matches: { [Context]: expected }, Truncations: { [Context]: false } })
    expect(Object.keys(found.Matches)).toEqual([Context])
  })
  it('looks where the query or the body says, the query first', async () => {
    const body = { Prefix: 'a1b2', Context: 'allocs' }
    const prod = await asked('/v1/search?namespace=prod', body)
    expect(prod.found.Matches).toEqual({ allocs: ['a1b2-2'] })
    const inBody = await asked('/v1/search', { ...body, Namespace: 'prod' })
    expect(inBody.found.Matches).toEqual({ allocs: ['a1b2-2'] })
    const both = await asked('/v1/search?namespace=default', { ...body, Namespace: 'prod' })
    expect(both.found.Matches).toEqual({ allocs: ['a1b2-1'] })
    const every = await asked('/v1/search?namespace=*', { Prefix: 'web', Context: 'jobs' })
    expect(every.found.Matches).toEqual({ jobs: ['web', 'web-admin', 'web'] })
  })
  it('returns twenty of each, and says that there are more', async () => {
    const many = (count: number) => ({
      jobs: Array.from({ length: count }, (_, at) => job(`w${String(at).padStart(2, '0')}`)),
    })
    for (const [count, truncated] of [
      [20, false],
      [21, true],
    ] as const) {
      const { send } = await given(many(count))
      const { json } = await send('PUT', '/v1/search', { Prefix: 'w', Context: 'jobs' })
      const found = json as Found
      expect([found.Matches['jobs']?.length, found.Truncations['jobs']]).toEqual([20, truncated])
    }
  })
  it('finds names that mean something to JavaScript, and no others', async () => {
    const { send } = await given({ jobs: [job('__proto__'), job('constructor')] })
    const { json } = await send('POST', '/v1/search', { Prefix: '__', Context: 'jobs' })
    expect(json).toMatchObject({ Matches: { jobs: ['__proto__'] } })
  })
})

describe('a search by a part of names', () => {
  it('finds what jobs are made of, and where it is', async () => {
    const { found } = await asked('/v1/search/fuzzy', { Text: 'FRONT', Context: 'jobs' })
    const web = ['default', 'web']
    expect(found.Matches['groups']).toContainEqual({ ID: 'frontend', Scope: web })
    expect(found.Matches['commands']).toContainEqual({
      ID: '/usr/bin/front-proxy',
      Scope: [...web, 'frontend', 'sidecar'],
    })
    expect(found.Matches).toMatchObject({ jobs: [], tasks: [], images: [], classes: [], services: [] })
  })
  it.each([
    ['images', '1.27', { ID: 'nginx:1.27', Scope: ['default', 'web', 'frontend', 'nginx'] }],
    ['tasks', 'gin', { ID: 'nginx', Scope: ['default', 'web', 'frontend'] }],
    ['services', 'metr', { ID: 'metrics', Scope: ['default', 'web', 'frontend', 'nginx'] }],
    ['services', 'web-h', { ID: 'web-http', Scope: ['default', 'web', 'frontend'] }],
    ['allocs', 'frontend', { ID: 'web.frontend[0]', Scope: ['default', 'a1b2-1'] }],
    ['nodes', 'RACK-7', { ID: 'Rack-7', Scope: ['a1b2-node'] }],
    ['node_pools', 'pu', { ID: 'gpu' }],
    ['namespaces', 'rod', { ID: 'prod' }],
    ['evals', 'a1b2', { ID: 'a1b2-3' }],
    ['deployment', 'a1b2', { ID: 'a1b2-4' }],
  ])('finds %s: %s', async (context, Text, expected) => {
    const { found } = await asked('/v1/search/fuzzy', { Text })
    expect(found.Matches[context]).toContainEqual(expected)
    expect(found.Truncations[context]).toBe(false)
  })
  it('puts names first that begin so, of those the shorter', async () => {
    const { send } = await given({ jobs: ['my-web', 'webshop', 'web', 'aweb'].map((id) => job(id)) })
    const { json } = await send('POST', '/v1/search/fuzzy', { Text: 'web', Context: 'jobs' })
    const found = json as { Matches: { jobs: { ID: string }[] } }
    expect(found.Matches.jobs.map(({ ID }) => ID)).toEqual(['web', 'webshop', 'aweb', 'my-web'])
  })
  it('gives the best hundred of many', async () => {
    const nodes = Array.from({ length: 2000 }, (_, at) => ({ ID: `n${at}`, Name: `rack-${9999 - at}` }))
    const { send } = await given({ nodes: [...nodes, { ID: 'best', Name: 'rack-' }] })
    const { json } = await send('POST', '/v1/search/fuzzy', { Text: 'rack-', Context: 'nodes' })
    const found = json as Found
    expect(found.Matches['nodes']).toHaveLength(100)
    expect(found.Matches['nodes']?.[0]).toEqual({ ID: 'rack-', Scope: ['best'] })
    expect(found.Truncations['nodes']).toBe(true)
  })
})

describe('the caller of a search', () => {
  const tokens = async () => {
    const managementToken = 'boss'
    const { send, scheduler } = await given(records, { managementToken })
    const asBoss = { headers: { 'X-Scheduler-Token': managementToken } }
    const withRules = async (Name: string, Rules: string) => {
      await send('PUT', `/v1/acl/policy/${Name}`, { Name, Rules }, asBoss)
      const made = await send('PUT', '/v1/acl/token', { Type: 'client', Policies: [Name] }, asBoss)
      const { SecretID } = made.json as { readonly SecretID: string }
      return (body: object, query = '') =>
        send('POST', `/v1/search${query}`, body, { headers: { 'X-Scheduler-Token': SecretID } })
    }
    return { withRules, send, scheduler }
  }
  it('finds only what they may list', async () => {
    const { withRules } = await tokens()
    const search = await withRules(
      'prod',
      'namespace "prod" { policy = "read" }\nnode_pool "gpu" { policy = "read" }',
    )
    const all = await search({ Prefix: '' })
    expect((all.json as Found).Matches).toEqual({ node_pools: ['gpu'], namespaces: ['prod'] })
    const every = await search({ Prefix: 'a1b2' }, '?namespace=*')
    expect((every.json as Found).Matches).toMatchObject({ allocs: ['a1b2-2'], evals: [], deployment: [] })
    expect((every.json as Found).Matches).not.toHaveProperty('nodes')
    const fuzzy = await search({ Text: 'we' }, '/fuzzy?namespace=*')
    expect((fuzzy.json as Found).Matches['jobs']).toEqual([{ ID: 'web', Scope: ['prod', 'web'] }])
  })
  it('is refused a context they may not list', async () => {
    const { withRules } = await tokens()
    const search = await withRules('nodes', 'node { policy = "read" }')
    expect((await search({ Prefix: 'a', Context: 'nodes' })).status).toBe(200)
    for (const Context of ['jobs', 'evals', 'allocs', 'deployment'])
      expect((await search({ Prefix: 'a', Context })).status).toBe(403)
  })
  it('learns nothing without a token, or with a wrong one', async () => {
    const { send } = await tokens()
    const anonymous = await send('POST', '/v1/search', { Prefix: '' })
    expect([anonymous.status, anonymous.text]).toEqual([403, 'Permission denied'])
    const wrong = { headers: { 'X-Scheduler-Token': 'no-such' } }
    expect((await send('POST', '/v1/search', { Prefix: '' }, wrong)).status).toBe(403)
  })
})

describe('a search that makes no sense', () => {
  it.each([
    ['/v1/search', undefined, 'Request body is empty'],
    ['/v1/search', [], 'Request body must be a JSON object: a search'],
    ['/v1/search', { Prefix: 1 }, 'invalid search: Prefix'],
    ['/v1/search', { Prefix: 'a', Context: 'planets' }, 'context must be one of jobs, evals, allocs, nodes'],
    ['/v1/search', { Prefix: 'a', Context: '__proto__' }, 'got "__proto__"'],
    ['/v1/search/fuzzy', { Text: 'a' }, 'fuzzy search query must be at least 2 characters, got 1'],
    ['/v1/search/fuzzy', {}, 'fuzzy search query must be at least 2 characters, got 0'],
    ['/v1/search', { Prefix: '\ud800' }, 'must be valid Unicode without U+0000'],
    ['/v1/search', { Prefix: 'a', Namespace: '\u0000' }, 'must be valid Unicode without U+0000'],
    ['/v1/search/fuzzy', { Text: 'a\ud800' }, 'must be valid Unicode without U+0000'],
    ['/v1/search?stale=maybe', { Prefix: 'a' }, 'Expect `true` or `false` for `stale`'],
  ])('%s with %j is 400: %s', async (path, body, text) => {
    const { send } = await given()
    const refused = await send('POST', path, body)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
  })
  it('is 405 as a read', async () => {
    const { get } = await given()
    expect((await get('/v1/search')).status).toBe(405)
  })
})
