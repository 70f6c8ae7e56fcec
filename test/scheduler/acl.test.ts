import { describe, expect, it } from 'vitest'
import { accessOf, readPolicy, readRules } from '../../src/scheduler/index.ts'
import { filter, given } from './harness.ts'

const access = (...texts: readonly string[]) =>
  accessOf(
    texts.map((text) => {
      const rules = readRules(text)
      if (!rules.ok) throw new Error(rules.refusal.message)
      return rules.value
    }),
    'test',
  )

describe('a policy', () => {
  it('is written in HCL or in JSON', () => {
    const hcl = 'namespace "prod" { policy = "read" }\nnode { policy = "write" }'
    const json = '{"namespace":{"prod":{"policy":"read"}},"node":{"policy":"write"}}'
    expect(readRules(hcl)).toEqual(readRules(json))
    expect(readRules(' ')).toMatchObject({ ok: true })
  })

  it.each([
    ['namespace "x" {', 'Failed to parse ACL Policy: line 1'],
    ['namespace "x" { policy = "rule" }', 'Invalid namespace policy for "x": "rule"; use one of'],
    ['namespace "x" { capabilities = ["fly"] }', "Invalid namespace capability 'fly' for 'x'"],
    ['node_pool "p" { capabilities = ["fly"] }', "Invalid node pool capability 'fly' for 'p'"],
    ['namespace "a b" { policy = "read" }', 'Invalid namespace name: "a b"'],
    ['node { policy = "list" }', 'Invalid node policy: "list"; use one of deny, read, write'],
    ['node "x" { policy = "read" }', 'Failed to parse ACL Policy: line 1'],
    [
      'namespace { policy = "read" }',
      'line 1, column 1: "namespace" has 1 label, not 0: namespace "…" { … }',
    ],
    ['nmaespace "x" { policy = "read" }', 'unknown block "nmaespace"; use one of namespace, node_pool'],
    ['spaceship { policy = "read" }', 'unknown block "spaceship"'],
    ['spaceship = 1', 'unknown block "spaceship"'],
    [
      'namespace "x" { polcy = "deny" }',
      'policy for "x": unknown field "polcy"; use policy, capabilities, var',
    ],
    [
      'host_volume "x" { police = "deny" }',
      'policy for "x": unknown field "police"; use policy, capabilities',
    ],
    ['node { policy = "read" rules = [] }', 'Invalid node policy: unknown field "rules"; use policy'],
    ['# nothing but words', 'Invalid policy: it has no block'],
  ])('is refused: %s', (text, message) => {
    const read = readRules(text)
    expect(read.ok ? '' : read.refusal.message).toContain(message)
  })

  it('may name what nothing here asks for', () => {
    const text = `
      namespace "x" { policy = "read" variables { path "*" { capabilities = ["list"] } } }
      host_volume "disk-*" { policy = "write" }
      operator { policy = "read" capabilities = ["license-read"] }
      plugin { policy = "write" }`
    expect(access(text).namespace('x', 'read-job')).toBe(true)
  })

  it('is refused as plain data too', () => {
    const unnamed = readPolicy({ namespace: { policy: 'read' } })
    expect(unnamed).toMatchObject({
      refusal: { message: 'Invalid namespace policy for "policy": a block is expected' },
    })
    expect(readPolicy([]).ok).toBe(false)
    expect(readPolicy({ namespace: { x: { capabilities: 'read-job' } } }).ok).toBe(false)
    expect(readPolicy({ __proto__: null, constructor: {} }).ok).toBe(false)
  })
})

describe('what policies allow', () => {
  it.each([
    ['namespace "*" { policy = "read" }', 'prod', true],
    ['namespace "prod" { policy = "read" }', 'prod', true],
    ['namespace "prod" { policy = "read" }', 'prod-eu', false],
    ['namespace "prod-*" { policy = "read" }', 'prod-eu', true],
    ['namespace "*-eu" { policy = "read" }', 'prod-eu', true],
    ['namespace "*-eu" { policy = "read" } namespace "prod-*" { policy = "deny" }', 'prod-eu', false],
    ['namespace "*" { policy = "write" } namespace "prod" { policy = "deny" }', 'prod', false],
    ['namespace "prod*" { policy = "deny" } namespace "prod-eu*" { policy = "read" }', 'prod-eu-1', true],
    ['namespace "prod" { policy = "read" } namespace "prod" { policy = "deny" }', 'prod', false],
    ['namespace "prod" { capabilities = ["read-job"] } namespace "prod" { policy = "scale" }', 'prod', true],
    ['namespace "prod" { policy = "scale" }', 'prod', false],
  ])('%s on %s to read-job: %s', (text, name, allowed) => {
    expect(access(text).namespace(name, 'read-job')).toBe(allowed)
  })

  it('are united over several, except where one denies', () => {
    const both = access('node_pool "gpu" { policy = "read" }', 'node_pool "gpu" { capabilities = ["write"] }')
    expect([both.pool('gpu', 'read'), both.pool('gpu', 'write'), both.pool('gpu', 'delete')]).toEqual([
      true,
      true,
      false,
    ])
    expect(access('node { policy = "write" }', 'node { policy = "deny" }').coarse('node', 'read')).toBe(false)
    expect(access('node { policy = "read" }', 'node { policy = "write" }').coarse('node', 'write')).toBe(true)
  })

  it('takes a linear look at a pattern of many stars', () => {
    const pattern = `${'*a'.repeat(50)}*b`
    expect(access(`namespace "${pattern}" { policy = "read" }`).namespace('a'.repeat(5000), 'read-job')).toBe(
      false,
    )
  })
})

const secret = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`
const cluster = {
  pools: [{ Name: 'gpu' }, { Name: 'cpu' }],
  nodes: [{ ID: 'n1', NodePool: 'gpu' }],
  jobs: [
    { ID: 'web', NodePool: 'gpu' },
    { ID: 'db', Namespace: 'prod', NodePool: 'gpu', Meta: { n: 'x' } },
    { ID: 'etl', Namespace: 'data', NodePool: 'gpu' },
  ],
  deployments: [{ ID: 'd1' }, { ID: 'd2', Namespace: 'prod' }],
  policies: [
    { Name: 'dev', Rules: 'namespace "default" { policy = "read" } node_pool "gpu" { policy = "read" }' },
    { Name: 'prod', Rules: 'namespace "prod" { policy = "read" } node { policy = "read" }' },
    { Name: 'pools', Rules: 'node_pool "*" { policy = "write" }' },
  ],
  tokens: [
    { SecretID: secret('1'), Type: 'client', Policies: ['dev'] },
    { SecretID: secret('2'), Type: 'client', Policies: ['dev', 'prod'] },
    { SecretID: secret('3'), Type: 'client', Policies: ['pools'] },
    { SecretID: secret('4'), Type: 'client', Policies: ['dev'], ExpirationTime: '2025-12-31T00:00:00Z' },
    { SecretID: secret('5'), Type: 'management' },
  ],
}
const management = '99999999-0000-4000-8000-000000000000'
const guarded = () => given(cluster, { managementToken: management })
const as = (token: string): RequestInit => ({ headers: { 'X-Scheduler-Token': token } })

describe('a guarded cluster', () => {
  it.each([
    ['no token', undefined, '/v1/jobs', 403],
    ['no token', undefined, '/v1/nodes', 403],
    ['no token', undefined, '/v1/deployments', 403],
    ['no token', undefined, '/v1/node/pool/gpu', 403],
    ['no token', undefined, '/v1/node/pool/none', 403],
    ['no token', undefined, '/v1/node/pool/gpu/nodes', 403],
    ['a stranger', secret('7'), '/v1/node/pools', 403],
    ['a token that is no UUID', 'hello', '/v1/node/pools', 403],
    ['an expired token', secret('4'), '/v1/jobs', 403],
    ['dev', secret('1'), '/v1/jobs', 200],
    ['dev', secret('1'), '/v1/jobs?namespace=prod', 403],
    ['dev', secret('1'), '/v1/jobs?namespace=*', 200],
    ['dev', secret('1'), '/v1/node/pool/gpu', 200],
    ['dev', secret('1'), '/v1/node/pool/cpu', 403],
    ['dev', secret('1'), '/v1/node/pool/gpu/nodes', 403],
    ['dev', secret('1'), '/v1/nodes', 403],
    ['dev', secret('1'), '/v1/deployment/d1', 200],
    ['dev', secret('1'), '/v1/deployment/d2', 404],
    ['dev', secret('1'), '/v1/deployment/d2?namespace=prod', 403],
    ['dev', secret('1'), '/v1/deployment/none?namespace=prod', 403],
    ['dev and prod', secret('2'), '/v1/node/pool/gpu/nodes', 200],
    ['dev and prod', secret('2'), '/v1/node/n1', 200],
    ['management', secret('5'), '/v1/jobs?namespace=data', 200],
    ['the management token', management, '/v1/node/pool/none', 404],
  ])('answers %s (%s) at %s with %i', async (_, token, path, status) => {
    const { get } = await guarded()
    const got = await get(path, token === undefined ? {} : as(token))
    expect(got.status).toBe(status)
    if (status === 403) expect(got.text).toBe('Permission denied')
  })

  it('takes the token as a bearer too, its own header first', async () => {
    const { get } = await guarded()
    const bearer = { headers: { Authorization: `bearer ${secret('1')}` } }
    expect((await get('/v1/jobs', bearer)).status).toBe(200)
    const both = { headers: { Authorization: `Bearer ${management}`, 'X-Scheduler-Token': secret('3') } }
    expect((await get('/v1/jobs', both)).status).toBe(403)
  })

  it('shows of a list what the caller may see', async () => {
    const { ids } = await guarded()
    expect(await ids('/v1/node/pools')).toEqual([])
    expect(await ids('/v1/node/pools', as(secret('1')))).toEqual(['gpu'])
    expect(await ids('/v1/node/pools', as(secret('3')))).toEqual(['all', 'cpu', 'default', 'gpu'])
    expect(await ids('/v1/jobs?namespace=*', as(secret('2')))).toEqual(['web', 'db'])
    expect(await ids('/v1/deployments?namespace=*', as(secret('1')))).toEqual(['d1'])
    expect(await ids('/v1/node/pool/gpu/jobs?namespace=*', as(secret('1')))).toEqual(['web'])
    // A namespace out of sight is empty in a pool's list, not forbidden.
    expect(await ids('/v1/node/pool/gpu/jobs?namespace=prod', as(secret('1')))).toEqual([])
  })

  it('pages over what is visible only', async () => {
    const { get } = await guarded()
    const page = await get('/v1/jobs?namespace=*&per_page=2', as(secret('2')))
    expect([(page.json as unknown[]).length, page.nextToken]).toEqual([2, null])
  })

  it('never lets a hidden row speak through a filter', async () => {
    const { get } = await guarded()
    const hidden = await get(`/v1/jobs?namespace=*&${filter('Meta.n == "x"')}`, as(secret('1')))
    expect(hidden.text).toBe('[]')
  })

  it('lets no one learn from a refused write what a body would do', async () => {
    const { send, scheduler } = await guarded()
    const write = (body: unknown, token?: string) =>
      send('POST', '/v1/node/pool/gpu', body, token === undefined ? {} : as(token))
    expect((await write({ Name: 'gpu' }, secret('1'))).status).toBe(403)
    expect((await write({ Name: 'gpu', Description: 'x'.repeat(300) }, secret('1'))).status).toBe(403)
    expect((await write({ Name: 'gpu', Meta: 7 }, secret('1'))).status).toBe(403)
    expect((await write({ Name: 'cpu' }, secret('1'))).status).toBe(403)
    expect((await write({ Name: 'cpu' }, secret('3'))).status).toBe(400)
    expect((await write({ Name: 'gpu' }, secret('3'))).status).toBe(200)
    expect((await send('POST', '/v1/node/pool', { Name: 'bad name' }, as(secret('1')))).status).toBe(403)
    expect((await send('POST', '/v1/node/pool', { Name: 'bad name' }, as(secret('3')))).status).toBe(400)
    expect((await send('POST', '/v1/node/pool', { Name: 'bad name' }, as(management))).status).toBe(400)
    const read = await scheduler.readPool('gpu', { token: management })
    expect(read.ok && read.value.Description).toBe('')
  })

  it('lets only management delete pools', async () => {
    const { send } = await guarded()
    expect((await send('DELETE', '/v1/node/pool/cpu', undefined, as(secret('3')))).status).toBe(403)
    expect((await send('DELETE', '/v1/node/pool/cpu', undefined, as(management))).status).toBe(200)
  })

  it('gives callers without a token the anonymous policy', async () => {
    const anonymous = { Name: 'anonymous', Rules: 'namespace "default" { policy = "read" }' }
    const { get } = await given({ ...cluster, policies: [...cluster.policies, anonymous] }, { acl: true })
    expect((await get('/v1/jobs')).status).toBe(200)
    expect((await get('/v1/jobs?namespace=prod')).status).toBe(403)
  })

  it('is open to everyone while access control is off', async () => {
    const { get } = await given(cluster)
    expect((await get('/v1/nodes', as('any-token'))).status).toBe(200)
  })
})

describe('an ID in a namespace without read access', () => {
  const hidden = {
    jobs: [
      { ID: 'web', CreateIndex: 2 },
      { ID: 'web', Namespace: 'prod', CreateIndex: 3 },
    ],
    deployments: [{ ID: 'there', JobID: 'web', Namespace: 'prod', CreateIndex: 4 }],
    allocations: [{ ID: 'there', JobID: 'web', EvalID: 'there', Namespace: 'prod', CreateIndex: 5 }],
    evaluations: [{ ID: 'there', JobID: 'web', Namespace: 'prod', CreateIndex: 6 }],
    policies: [
      { Name: 'dev', Rules: 'namespace "default" { policy = "write" }', CreateIndex: 7 },
      { Name: 'prod', Rules: 'namespace "prod" { policy = "read" }', CreateIndex: 8 },
      { Name: 'ops', Rules: 'namespace "prod" { capabilities = ["submit-job"] }', CreateIndex: 9 },
    ],
    tokens: ['dev', 'prod', 'ops'].map((name, n) => ({
      SecretID: secret(String(n)),
      Type: 'client',
      Policies: [name],
      CreateIndex: 10 + n,
    })),
  }
  const requests: readonly (readonly [method: string, path: string, found: number])[] = [
    ['GET', '/v1/deployment/ID', 404],
    ['GET', '/v1/allocation/ID', 404],
    ['GET', '/v1/evaluation/ID', 404],
    ['GET', '/v1/evaluation/ID/allocations', 200],
    ['GET', '/v1/deployment/allocations/ID', 200],
    ['PUT', '/v1/deployment/fail/ID', 404],
    ['PUT', '/v1/deployment/promote/ID', 404],
    ['PUT', '/v1/allocation/ID/stop', 404],
  ]

  it.each(requests)('is answered like an unknown one: %s %s', async (method, path, status) => {
    const { send } = await given(hidden, { managementToken: management })
    const ask = async (id: string, token: string) => {
      const body = path.includes('promote') ? { DeploymentID: id, All: true } : undefined
      const got = await send(method, path.replace('ID', id), body, as(token))
      return { status: got.status, text: got.text, index: got.index }
    }
    const [there, none] = [await ask('there', secret('0')), await ask('none', secret('0'))]
    expect(there).toEqual(none)
    expect(there.status).toBe(status)
    // Callers that may read there are told which capability is missing.
    if (method === 'PUT') expect((await ask('there', secret('1'))).status).toBe(403)
  })

  it('is steered with exactly the required right', async () => {
    const { send } = await given(hidden, { managementToken: management })
    const paused = { DeploymentID: 'there', Pause: true }
    expect((await send('PUT', '/v1/deployment/pause/there', paused, as(secret('2')))).status).toBe(200)
  })
})
