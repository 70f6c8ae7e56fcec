import { describe, expect, it } from 'vitest'
import { given } from './harness.ts'

const gpu = { Name: 'gpu', Description: 'Cards', Meta: { owner: 'ml' } }

describe('a new cluster', () => {
  it('has two pools, born at index 1', async () => {
    const { get } = await given()
    const pools = await get('/v1/node/pools')
    expect(pools.index).toBe(1)
    expect(pools.json).toEqual([
      {
        Name: 'all',
        Description: 'Node pool with all nodes in the cluster.',
        Meta: null,
        SchedulerConfiguration: null,
        CreateIndex: 1,
        ModifyIndex: 1,
      },
      {
        Name: 'default',
        Description: 'Default node pool.',
        Meta: null,
        SchedulerConfiguration: null,
        CreateIndex: 1,
        ModifyIndex: 1,
      },
    ])
  })

  it('gives its first write an index beyond 1, so that a wait on 1 ends', async () => {
    const { send } = await given()
    const written = await send('POST', '/v1/node/pool', gpu)
    expect([written.status, written.text, written.index]).toEqual([200, '', 2])
  })
})

describe('writing a pool', () => {
  it('takes its defaults for what the method is not given, as over HTTP', async () => {
    const { scheduler, send } = await given()
    await scheduler.upsertPool({ Name: 'gpu' })
    await send('POST', '/v1/node/pool', { Name: 'cpu' })
    await scheduler.upsertPool({ Name: 'ssd', SchedulerConfiguration: { SchedulerAlgorithm: 'spread' } })
    const read = async (name: string) => (await scheduler.readPool(name)) as { readonly value?: object }
    const { value: gpuPool } = await read('gpu')
    expect(gpuPool).toMatchObject({ Description: '', Meta: null, SchedulerConfiguration: null })
    expect((await read('cpu')).value).toEqual({ ...gpuPool, Name: 'cpu', CreateIndex: 3, ModifyIndex: 3 })
    expect((await read('ssd')).value).toMatchObject({
      SchedulerConfiguration: { SchedulerAlgorithm: 'spread', MemoryOversubscriptionEnabled: null },
    })
  })

  it.each([720 * 3600e9, '720h0m0s', ''])(
    'keeps the lifetime %j of node identities, and has none otherwise',
    async (NodeIdentityTTL) => {
      const { send, get } = await given()
      expect((await send('POST', '/v1/node/pools', { Name: 'gpu', NodeIdentityTTL })).status).toBe(200)
      expect((await get('/v1/node/pool/gpu')).json).toMatchObject({ NodeIdentityTTL })
      await send('POST', '/v1/node/pools', { Name: 'gpu' })
      expect((await get('/v1/node/pool/gpu')).json).not.toHaveProperty('NodeIdentityTTL')
    },
  )

  it('is not read without its name, and never taken for a node', async () => {
    const { get } = await given({ nodes: [{ ID: 'pool' }] })
    const refused = await get('/v1/node/pool')
    expect([refused.status, refused.text]).toEqual([400, 'node pool name is empty'])
  })

  it.each([
    ['POST', '/v1/node/pool/gpu'],
    ['PUT', '/v1/node/pool/gpu'],
    ['POST', '/v1/node/pool'],
    ['PUT', '/v1/node/pool'],
    ['PUT', '/v1/node/pools'],
  ])('is %s %s', async (method, path) => {
    const { send, get } = await given()
    expect((await send(method, path, gpu)).status).toBe(200)
    expect((await get('/v1/node/pool/gpu')).json).toEqual({
      ...gpu,
      SchedulerConfiguration: null,
      CreateIndex: 2,
      ModifyIndex: 2,
    })
  })

  it('replaces the whole pool and keeps its birth', async () => {
    const { send, get } = await given()
    await send('POST', '/v1/node/pool', gpu)
    await send('POST', '/v1/node/pool', {
      Name: 'gpu',
      SchedulerConfiguration: { SchedulerAlgorithm: 'spread' },
    })
    expect((await get('/v1/node/pool/gpu')).json).toEqual({
      Name: 'gpu',
      Description: '',
      Meta: null,
      SchedulerConfiguration: { SchedulerAlgorithm: 'spread', MemoryOversubscriptionEnabled: null },
      CreateIndex: 2,
      ModifyIndex: 3,
    })
  })

  it('raises the index even when nothing differs', async () => {
    const { send } = await given()
    await send('POST', '/v1/node/pool', gpu)
    expect((await send('POST', '/v1/node/pool', gpu)).index).toBe(3)
  })

  it('ignores indexes that the body claims, unknown fields and the case of field names', async () => {
    const { send, get } = await given()
    const body = { name: 'gpu', DESCRIPTION: 'Cards', meta: null, CreateIndex: 99, Fancy: true }
    expect((await send('POST', '/v1/node/pool', body)).status).toBe(200)
    expect((await get('/v1/node/pool/gpu')).json).toMatchObject({ Description: 'Cards', CreateIndex: 2 })
  })

  it('keeps hostile keys of Meta as data', async () => {
    const { get, scheduler } = await given()
    await scheduler.fetch(
      new Request('http://x/v1/node/pool', {
        method: 'POST',
        body: '{"Name":"p","Meta":{"__proto__":"a","constructor":"b"}}',
      }),
    )
    expect((await get('/v1/node/pool/p')).text).toContain('"Meta":{"constructor":"b","__proto__":"a"}')
  })

  const long = 'x'.repeat(127)
  it.each([
    ['no body', undefined, 'Request body is empty'],
    ['an array', [gpu], 'Request body must be a JSON object'],
    ['a wrong type', { Name: 7 }, 'invalid node pool: Name:'],
    ['no name', { Description: 'x' }, 'invalid node pool "": 1 error occurred:\n\t* invalid name ""'],
    ['a name of 128 characters', { Name: `${long}x` }, 'must match regex'],
    ['a name with a space', { Name: 'a b' }, 'invalid name "a b"'],
    ['a name beyond ASCII', { Name: 'é' }, 'invalid name "é"'],
    [
      'a description of 256 bytes',
      { Name: 'p', Description: 'é'.repeat(128) },
      'description longer than 256',
    ],
    ['two faults', { Name: '!', Description: 'x'.repeat(300) }, '2 errors occurred:\n\t* invalid name'],
    [
      'an unknown algorithm',
      { Name: 'p', SchedulerConfiguration: { SchedulerAlgorithm: 'best' } },
      'invalid scheduler algorithm "best", must be binpack or spread',
    ],
    ['the pool of all nodes', { Name: 'all' }, 'modifying node pool "all" is not allowed'],
    ['the default pool', { Name: 'default' }, 'modifying node pool "default" is not allowed'],
  ])('is refused with 400 for %s, and changes nothing', async (_, body, text) => {
    const { send, get } = await given()
    const refused = await send('POST', '/v1/node/pool', body)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(text)
    expect(refused.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await get('/v1/node/pools')).index).toBe(1)
  })

  it('takes a name of 127 characters and a description of 255 bytes', async () => {
    const { send } = await given()
    const widest = { Name: long, Description: `x${'é'.repeat(127)}` }
    expect((await send('POST', '/v1/node/pool', widest)).status).toBe(200)
  })

  it('is refused where path and body disagree', async () => {
    const { send } = await given()
    const refused = await send('PUT', '/v1/node/pool/cpu', gpu)
    expect([refused.status, refused.text]).toEqual([400, 'Node pool name does not match request path'])
    expect((await send('PUT', '/v1/node/pool/cpu', { Description: 'x' })).status).toBe(400)
  })

  it('is refused for what is no JSON, with its place', async () => {
    const { get } = await given()
    const refused = await get('/v1/node/pool', { method: 'POST', body: '{"Name": gpu}' })
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringMatching(/^the body is not valid JSON/),
    ])
  })
})

describe('deleting a pool', () => {
  const cluster = {
    pools: [{ Name: 'idle' }, { Name: 'nodes' }, { Name: 'jobs' }, { Name: 'both' }, { Name: 'past' }],
    nodes: [{ ID: 'n1', NodePool: 'nodes' }, { ID: 'n2', NodePool: 'both' }, { ID: 'n3' }],
    jobs: [
      { ID: 'j1', NodePool: 'jobs' },
      { ID: 'j2', NodePool: 'both', Status: 'running' },
      { ID: 'j3', NodePool: 'past', Status: 'dead', Stop: true },
    ],
  }
  it('answers 200 with an empty body and the index', async () => {
    const { send, get } = await given(cluster)
    const before = (await get('/v1/node/pools')).index
    const deleted = await send('DELETE', '/v1/node/pool/idle')
    expect([deleted.status, deleted.text]).toEqual([200, ''])
    expect(deleted.index).toBeGreaterThan(before)
    expect((await get('/v1/node/pools')).index).toBe(deleted.index)
    expect((await get('/v1/node/pool/idle')).status).toBe(404)
  })

  it('is not held back by dead jobs', async () => {
    const { send } = await given(cluster)
    expect((await send('DELETE', '/v1/node/pool/past')).status).toBe(200)
  })

  it.each([
    ['nodes', 400, '1 error occurred:\n\t* node pool "nodes" has nodes in regions: [global]\n\n'],
    ['jobs', 400, '1 error occurred:\n\t* node pool "jobs" has non-terminal jobs in regions: [global]\n\n'],
    [
      'both',
      400,
      '2 errors occurred:\n\t* node pool "both" has non-terminal jobs in regions: [global]\n\t* node pool "both" has nodes in regions: [global]\n\n',
    ],
    ['all', 400, 'deleting node pool "all" is not allowed'],
    ['default', 400, '1 error occurred:\n\t* node pool "default" has nodes in regions: [global]\n\n'],
    ['none', 404, 'node pool none not found'],
  ])('%s is refused with %i', async (name, status, text) => {
    const { send } = await given(cluster)
    const refused = await send('DELETE', `/v1/node/pool/${name}`)
    expect([refused.status, refused.text]).toEqual([status, text])
  })

  it('has the statuses such services are known for in the compatible profile', async () => {
    const { send, get } = await given(cluster, { errors: 'compat' })
    expect((await send('DELETE', '/v1/node/pool/nodes')).status).toBe(500)
    expect((await send('DELETE', '/v1/node/pool/none')).status).toBe(500)
    expect((await get('/v1/node/pool/none')).status).toBe(404)
  })
})

describe('reading a pool', () => {
  it('shows the index of the pool, and of all pools where there is none', async () => {
    const { send, get } = await given()
    await send('POST', '/v1/node/pool', gpu)
    const { index } = await send('POST', '/v1/node/pool', { Name: 'cpu' })
    expect((await get('/v1/node/pool/gpu')).index).toBe(2)
    const missing = await get('/v1/node/pool/none')
    expect([missing.status, missing.text, missing.index]).toEqual([404, 'node pool not found', index])
    expect(missing.headers.get('X-Scheduler-KnownLeader')).toBe('true')
  })

  it('finds names that only look like paths', async () => {
    const { get } = await given()
    expect((await get(`/v1/node/pool/${encodeURIComponent('a/b')}`)).status).toBe(404)
    expect((await get(`/v1/node/pool/${'x'.repeat(3000)}`)).status).toBe(404)
  })
})

describe('the nodes of a pool', () => {
  const nodes = [
    {
      ID: 'n1',
      NodePool: 'gpu',
      HTTPAddr: '10.0.0.1:4646',
      Attributes: { 'os.name': 'debian', 'scheduler.version': '1.2' },
    },
    { ID: 'n2', NodePool: 'gpu', HTTPAddr: '[fd00::1]:4646', DrainStrategy: {} },
    { ID: 'n3' },
  ]
  it('are those of the pool, and every node for "all"', async () => {
    const { ids } = await given({ nodes })
    expect(await ids('/v1/node/pool/gpu/nodes')).toEqual(['n1', 'n2'])
    expect(await ids('/v1/node/pool/default/nodes')).toEqual(['n3'])
    expect(await ids('/v1/node/pool/all/nodes')).toEqual(['n1', 'n2', 'n3'])
  })

  it('of an unknown pool are an empty list', async () => {
    const { get } = await given({ nodes })
    const none = await get('/v1/node/pool/none/nodes')
    expect([none.status, none.text, none.index]).toEqual([200, '[]', 1])
  })

  it('are stubs: exactly these fields, and more when asked', async () => {
    const { get } = await given({ nodes })
    expect((await get('/v1/node/pool/gpu/nodes')).json).toEqual([
      {
        Address: '10.0.0.1',
        CreateIndex: 2,
        Datacenter: 'dc1',
        Drain: false,
        Drivers: {},
        ID: 'n1',
        LastDrain: null,
        ModifyIndex: 2,
        Name: '',
        NodeClass: '',
        NodePool: 'gpu',
        SchedulingEligibility: 'eligible',
        Status: 'ready',
        StatusDescription: '',
        Version: '1.2',
      },
      expect.objectContaining({ ID: 'n2', Address: 'fd00::1', Drain: true, Version: '' }),
    ])
    const [first] = (await get('/v1/node/pool/gpu/nodes?os=t&resources=1')).json as Record<string, unknown>[]
    expect(first).toMatchObject({
      Attributes: { 'os.name': 'debian' },
      NodeResources: { Cpu: {}, Memory: {}, Disk: {} },
      ReservedResources: { Cpu: {} },
    })
  })

  it('know no prefix, and no flag that is no yes or no', async () => {
    const { get } = await given({ nodes })
    const prefix = await get('/v1/node/pool/gpu/nodes?prefix=n')
    expect([prefix.status, prefix.text]).toEqual([400, 'prefix argument not allowed'])
    const os = await get('/v1/node/pool/gpu/nodes?os=maybe')
    expect(os.status).toBe(400)
    expect(os.text).toMatch(/^Failed to parse node list fields:/)
  })
})

describe('the jobs of a pool', () => {
  const records = {
    pools: [{ Name: 'gpu' }],
    jobs: [
      { ID: 'train', NodePool: 'gpu', Meta: { team: 'ml' } },
      { ID: 'serve', NodePool: 'gpu', Namespace: 'prod' },
      { ID: 'web' },
      { ID: 'everywhere', NodePool: 'all' },
    ],
  }
  it('are those of one namespace, or of every one', async () => {
    const { ids } = await given(records)
    expect(await ids('/v1/node/pool/gpu/jobs')).toEqual(['train'])
    expect(await ids('/v1/node/pool/gpu/jobs?namespace=prod')).toEqual(['serve'])
    expect(await ids('/v1/node/pool/gpu/jobs?namespace=*')).toEqual(['train', 'serve'])
    expect(await ids('/v1/node/pool/gpu/jobs?namespace=*&reverse=true')).toEqual(['serve', 'train'])
  })

  it('of "all" are only those that name it', async () => {
    const { ids } = await given(records)
    expect(await ids('/v1/node/pool/all/jobs')).toEqual(['everywhere'])
  })

  it('are stubs: exactly these fields, with Meta when asked', async () => {
    const { get } = await given(records)
    const summary = {
      JobID: 'train',
      Namespace: 'default',
      Summary: {},
      Children: { Pending: 0, Running: 0, Dead: 0 },
      CreateIndex: 3,
      ModifyIndex: 3,
    }
    const stub = {
      ID: 'train',
      ParentID: '',
      Name: 'train',
      Type: 'service',
      Priority: 50,
      Status: 'pending',
      StatusDescription: '',
      JobSummary: summary,
      CreateIndex: 3,
      ModifyIndex: 3,
      JobModifyIndex: 3,
    }
    expect((await get('/v1/node/pool/gpu/jobs')).json).toEqual([stub])
    expect((await get('/v1/node/pool/gpu/jobs?meta=true')).json).toEqual([{ ...stub, Meta: { team: 'ml' } }])
    expect((await get('/v1/node/pool/gpu/jobs?meta=x')).status).toBe(400)
    expect((await get('/v1/node/pool/gpu/jobs?prefix=t')).status).toBe(400)
  })
})
