import { describe, expect, it } from 'vitest'
import { demoCluster } from '../../src/scheduler/demo/index.ts'
import { filter, given } from './harness.ts'

const jobs = [
  { ID: 'web', Priority: 70, Meta: { team: 'shop' }, Datacenters: ['dc1', 'dc2'] },
  { ID: 'api', Type: 'batch', Periodic: { Spec: '* * * * *' } },
  { ID: 'web-admin', ParameterizedJob: {}, Stop: true },
  { ID: 'web', Namespace: 'prod' },
  { ID: 'z', Namespace: 'a' },
  { ID: 'a', Namespace: 'a-b' },
]

describe('the list of jobs', () => {
  it('is of the default namespace, of the one asked for, or of every one, in order of key', async () => {
    const { ids } = await given({ jobs })
    expect(await ids('/v1/jobs')).toEqual(['api', 'web', 'web-admin'])
    expect(await ids('/v1/jobs?namespace=prod')).toEqual(['web'])
    expect(await ids('/v1/jobs?namespace=none')).toEqual([])
    expect(await ids('/v1/jobs?namespace=*')).toEqual(['z', 'a', 'api', 'web', 'web-admin', 'web'])
    expect(await ids('/v1/jobs?namespace=*&reverse=true')).toEqual([
      'web',
      'web-admin',
      'web',
      'api',
      'a',
      'z',
    ])
    expect(await ids('/v1/jobs?reverse=1')).toEqual(['api', 'web', 'web-admin'])
  })

  it('can be narrowed by a prefix, together with a filter', async () => {
    const { ids } = await given({ jobs })
    expect(await ids('/v1/jobs?prefix=web')).toEqual(['web', 'web-admin'])
    expect(await ids('/v1/jobs?prefix=web&namespace=*')).toEqual(['web', 'web-admin', 'web'])
    expect(await ids(`/v1/jobs?prefix=web&${filter('Priority == 70')}`)).toEqual(['web'])
    expect(await ids('/v1/jobs?prefix=web&reverse=true&per_page=1')).toEqual(['web-admin'])
  })

  it('shows stubs: exactly these fields', async () => {
    const { get } = await given({ jobs })
    const { json } = await get('/v1/jobs?prefix=web&per_page=1')
    expect(json).toEqual([
      {
        ID: 'web',
        ParentID: '',
        Name: 'web',
        Namespace: 'default',
        Datacenters: ['dc1', 'dc2'],
        Multiregion: null,
        Type: 'service',
        Priority: 70,
        Periodic: false,
        ParameterizedJob: false,
        Stop: false,
        Status: 'pending',
        StatusDescription: '',
        JobSummary: {
          JobID: 'web',
          Namespace: 'default',
          Summary: {},
          Children: { Pending: 0, Running: 0, Dead: 0 },
          CreateIndex: 2,
          ModifyIndex: 2,
        },
        CreateIndex: 2,
        ModifyIndex: 2,
        JobModifyIndex: 2,
        SubmitTime: 0,
      },
    ])
    const all = (await get('/v1/jobs?meta=1')).json as Record<string, unknown>[]
    expect(
      all.map(({ ID, Periodic, ParameterizedJob, Stop, Meta }) => [
        ID,
        Periodic,
        ParameterizedJob,
        Stop,
        Meta,
      ]),
    ).toEqual([
      ['api', true, false, false, null],
      ['web', false, false, false, { team: 'shop' }],
      ['web-admin', false, true, true, null],
    ])
  })
})

describe('a filter', () => {
  it.each([
    ['Meta.team == "shop"', ['web']],
    ['Meta["team"] != "shop"', ['api', 'web-admin']],
    ['Meta is empty', ['api', 'web-admin']],
    ['"dc2" in Datacenters', ['web']],
    ['Periodic is not nil', ['api']],
    ['Type == "batch" or Stop == true', ['api', 'web-admin']],
    ['not (ID matches "^web")', ['api']],
    ['JobModifyIndex == 2', ['web']],
    ['', ['api', 'web', 'web-admin']],
    ['  ', ['api', 'web', 'web-admin']],
  ])('%s is asked of the full jobs', async (expression, expected) => {
    const { ids } = await given({ jobs })
    expect(await ids(`/v1/jobs?${filter(expression)}`)).toEqual(expected)
  })

  it.each([
    ['/v1/jobs', 'JobSummary is empty', 'JobSummary'],
    ['/v1/jobs', 'Bogus == 1', 'Bogus'],
    ['/v1/nodes', 'Address == "10.0.0.1"', 'Address'],
    ['/v1/nodes', 'Version == "1"', 'Version'],
    ['/v1/nodes', 'Drain == true', 'Drain'],
    ['/v1/deployments', 'Name == "x"', 'Name'],
    ['/v1/node/pools', 'ID == "x"', 'ID'],
    ['/v1/node/pool/default/nodes', 'Address == ""', 'Address'],
    ['/v1/node/pool/default/jobs', 'Children is empty', 'Children'],
    ['/v1/allocations', 'Bogus == 1', 'Bogus'],
    ['/v1/evaluations', 'Bogus == 1', 'Bogus'],
  ])(
    'of %s on a field that only its stub has is 400 even over nothing: %s',
    async (path, expression, field) => {
      const { get } = await given()
      const refused = await get(`${path}?${filter(expression)}`)
      expect(refused.status).toBe(400)
      expect(refused.text).toContain('failed to read filter expression')
      expect(refused.text).toContain('error finding value in datum')
      expect(refused.text).toContain(`${expression}\n${'^'.repeat(field.length)}`)
    },
  )

  it.each([
    ['Priority ==', 'expected'],
    ['Priority == "high"', 'Priority'],
    ['Name matches "("', 'missing'],
    ['('.repeat(100_000), 'long'],
    ['('.repeat(1000), 'nested'],
  ])('that cannot be understood is 400: %.20s', async (expression, text) => {
    const { get } = await given({ jobs })
    const refused = await get(`/v1/jobs?${filter(expression)}`)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('failed to read filter expression')
    expect(refused.text).toContain(text)
  })

  it('is answered quickly for every pattern', async () => {
    const { ids } = await given({ jobs: [{ ID: `${'a'.repeat(200)}!` }] })
    expect(await ids(`/v1/jobs?${filter('ID matches "^(a+)+$"')}`)).toEqual([])
  })
})

describe('a page', () => {
  it('names the first row of the next one, and the last page names none', async () => {
    const { get, ids } = await given({ jobs })
    const first = await get('/v1/jobs?namespace=*&per_page=2')
    expect(first.nextToken).toBe('default.api')
    const last = await get(`/v1/jobs?namespace=*&per_page=4&next_token=${first.nextToken}`)
    expect(last.nextToken).toBeNull()
    expect((last.json as unknown[]).length).toBe(4)
    expect(await ids('/v1/jobs?next_token=zzz')).toEqual([])
  })

  it('moves on past namespaces whose names begin alike', async () => {
    const { get } = await given({ jobs })
    const first = await get('/v1/jobs?namespace=*&per_page=1')
    expect(first.nextToken).toBe('a-b.a')
    const second = await get('/v1/jobs?namespace=*&per_page=1&next_token=a-b.a')
    expect(second.nextToken).toBe('default.api')
  })

  it('has a next token only when another match exists', async () => {
    const { get } = await given({ jobs })
    const page = await get(`/v1/jobs?per_page=1&${filter('Priority == 70')}`)
    expect([(page.json as unknown[]).length, page.nextToken]).toEqual([1, null])
  })

  it.each([
    ['x', 'Expect a number for `per_page` query string parameter'],
    ['1.5', 'Expect a number for `per_page` query string parameter'],
    ['99999999999', 'Expect a number for `per_page` query string parameter'],
    ['-1', 'Expect a number of 0 or more for `per_page` query string parameter'],
  ])('of %s rows is refused', async (text, message) => {
    const { get } = await given({ jobs })
    const refused = await get(`/v1/jobs?per_page=${text}`)
    expect([refused.status, refused.text]).toEqual([400, message])
  })

  it.each([
    '/v1/node/pools',
    '/v1/nodes',
    '/v1/jobs?namespace=*',
    '/v1/deployments?namespace=*',
    '/v1/allocations?namespace=*',
    '/v1/evaluations?namespace=data',
    '/v1/node/pool/gpu/nodes',
    '/v1/node/pool/all/nodes',
    '/v1/node/pool/default/jobs?namespace=*',
    '/v1/node/pool/batch/jobs?namespace=data',
    '/v1/deployments?namespace=*&prefix=2',
  ])('of %s joined with all that follow is the list, in both directions', async (path) => {
    const { get, ids } = await given(demoCluster())
    const query = path.includes('?') ? `${path}&` : `${path}?`
    for (const reverse of ['', '&reverse=true']) {
      const whole = await ids(`${query}${reverse}`)
      expect(whole.length).toBeGreaterThan(3)
      const seen: string[] = []
      let token: string | null = ''
      while (token !== null && seen.length <= whole.length) {
        const page = await get(`${query}per_page=7${reverse}&next_token=${encodeURIComponent(token)}`)
        seen.push(...(page.json as { ID?: string; Name: string }[]).map(({ ID, Name }) => ID ?? Name))
        token = page.nextToken
      }
      expect(seen).toEqual(whole)
    }
  })
})

describe('deployments, allocations and evaluations', () => {
  const records = {
    deployments: [
      { ID: 'd2', CreateIndex: 5, JobID: 'web' },
      { ID: 'd1', CreateIndex: 12, JobID: 'web', Status: 'cancelled' },
      { ID: 'd3', CreateIndex: 7, Namespace: 'prod' },
    ],
    allocations: [{ ID: 'a1', TaskStates: { t: {} } }],
    evaluations: [{ ID: 'e1' }],
  }
  it('are listed oldest first, by ID where a prefix is given', async () => {
    const { ids, get } = await given(records)
    expect(await ids('/v1/deployments')).toEqual(['d2', 'd1'])
    expect(await ids('/v1/deployments?namespace=*')).toEqual(['d2', 'd3', 'd1'])
    expect(await ids('/v1/deployments?prefix=d')).toEqual(['d1', 'd2'])
    expect((await get('/v1/deployments?per_page=1')).nextToken).toBe('12.d1')
    expect((await get('/v1/deployments?per_page=1&prefix=d')).nextToken).toBe('d2')
  })

  it('are shown whole, allocations as stubs', async () => {
    const { get } = await given(records)
    expect((await get('/v1/deployments?prefix=d1')).json).toEqual([
      {
        ID: 'd1',
        JobID: 'web',
        Namespace: 'default',
        JobVersion: 0,
        JobModifyIndex: 0,
        JobSpecModifyIndex: 0,
        JobCreateIndex: 0,
        IsMultiregion: false,
        TaskGroups: {},
        Status: 'cancelled',
        StatusDescription: '',
        EvalPriority: 50,
        CreateIndex: 12,
        ModifyIndex: 12,
      },
    ])
    const [stub] = (await get('/v1/allocations?resources=true&task_states=false')).json as object[]
    expect(stub).toMatchObject({
      ID: 'a1',
      TaskStates: null,
      AllocatedResources: { Tasks: {}, Shared: { DiskMB: 0 } },
    })
    const [usual] = (await get('/v1/allocations')).json as object[]
    expect(usual).not.toHaveProperty('AllocatedResources')
  })

  it.each([
    ['/v1/deployment/d1', 200, '"ID":"d1"'],
    ['/v1/deployment/none', 404, 'deployment not found'],
    ['/v1/allocation/a1', 200, '"ID":"a1"'],
    ['/v1/allocation/none', 404, 'alloc not found'],
    ['/v1/evaluation/e1', 200, '"ID":"e1"'],
    ['/v1/evaluation/none', 404, 'eval not found'],
    ['/v1/node/none', 404, 'node not found'],
    ['/v1/job/none', 404, 'job not found'],
    ['/v1/job/none/summary', 404, 'job not found'],
  ])('one is read at %s: %i', async (path, status, text) => {
    const { get } = await given(records)
    const got = await get(path)
    expect(got.status).toBe(status)
    expect(got.text).toContain(text)
    expect(got.index).toBeGreaterThanOrEqual(1)
  })
})

describe('the index of a list', () => {
  it('is that of its table, namespace and pool; changes elsewhere do not raise it', async () => {
    const { get, send } = await given({
      pools: [{ Name: 'gpu' }],
      jobs: [
        { ID: 'a', CreateIndex: 10 },
        { ID: 'b', Namespace: 'prod', CreateIndex: 20, ModifyIndex: 30 },
        { ID: 'c', Namespace: 'prod', NodePool: 'gpu', CreateIndex: 25 },
      ],
      nodes: [{ ID: 'n', CreateIndex: 40 }],
    })
    const written = await send('POST', '/v1/node/pool', { Name: 'cpu' })
    const indexes = await Promise.all(
      [
        '/v1/jobs',
        '/v1/jobs?namespace=prod',
        '/v1/jobs?namespace=*',
        '/v1/jobs?namespace=none',
        '/v1/node/pool/gpu/jobs?namespace=prod',
        '/v1/node/pool/default/jobs?namespace=*',
        '/v1/nodes',
        '/v1/node/pool/gpu/nodes',
        '/v1/deployments',
        '/v1/node/pools',
      ].map(async (path) => (await get(path)).index),
    )
    expect(indexes).toEqual([10, 30, 30, 1, 25, 30, 40, 1, 1, written.index])
  })
})

describe('what is read', () => {
  it('is frozen: a caller cannot change a row for others', async () => {
    const { scheduler } = await given({
      ...{ jobs: [{ ID: 'web' }], nodes: [{ ID: 'n1' }], pools: [{ Name: 'gpu', Meta: { a: 'b' } }] },
      ...{ deployments: [{ ID: 'd1', JobID: 'web', TaskGroups: { app: {} } }] },
      ...{ evaluations: [{ ID: 'e1', JobID: 'web' }], allocations: [{ ID: 'a1', JobID: 'web' }] },
    })
    const found = await Promise.all([
      ...[scheduler.listDeployments(), scheduler.listEvaluations(), scheduler.listPools()],
      ...[scheduler.readDeployment('d1'), scheduler.readEvaluation('e1'), scheduler.readAllocation('a1')],
      ...[scheduler.readNode('n1'), scheduler.readJob('web'), scheduler.readPool('all')],
      ...[scheduler.readPool('gpu'), scheduler.readJobSummary('web')],
      scheduler.readSchedulerConfiguration(),
    ])
    for (const each of found) {
      const rows: readonly object[] = each.ok ? [each.value].flat() : []
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) {
        expect(Object.isFrozen(row)).toBe(true)
        for (const inner of Object.values(row)) expect(Object.isFrozen(inner)).toBe(true)
      }
    }
  })
})
