import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { toNodeListener } from '../../../src/http/node/listener.ts'
import type { Timers } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { testClock } from '../../../src/testing/index.ts'
import { given } from '../harness.ts'
import { reading } from './stream.ts'

const TaskGroups = [{ Name: 'g', Tasks: [{ Name: 't' }] }]
const job = (ID: string, more: object = {}) => ({ Job: { ID, TaskGroups, ...more } })

describe('the stream of events', () => {
  it('reports a job, its evaluation, its allocation and its deployment as they appear', async () => {
    const { scheduler, send } = await given(
      { nodes: [{ ID: 'n1', NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 4000 } } }] },
      { place: true, simulate: true },
    )
    const stream = await reading(scheduler)
    expect([stream.status, stream.type]).toEqual([200, 'application/x-ndjson'])
    const registered = await send('PUT', '/v1/jobs', job('web'))
    const first = await stream.line()
    expect(first?.Index).toBe(registered.index)
    expect(first?.Events?.map(({ Topic, Type, Key }) => [Topic, Type, Key])).toEqual([
      ['Job', 'JobRegistered', 'web'],
      ['Evaluation', 'EvaluationUpdated', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ])
    expect(first?.Events?.[0]).toMatchObject({
      Namespace: 'default',
      Index: registered.index,
      Payload: { Job: { ID: 'web', ModifyIndex: registered.index, Status: 'pending' } },
    })
    const seen = new Set<string>()
    while (!seen.has('Job JobStatusUpdated') || !seen.has('Allocation PlanResult'))
      for (const { Topic, Type } of (await stream.next()).Events ?? []) seen.add(`${Topic} ${Type}`)
    await scheduler.settled()
    await stream.cancel()
  })

  it('reports every kind of record, and its deletion', async () => {
    const { scheduler, send } = await given({ nodes: [{ ID: 'n1' }] }, { managementToken: 'm' })
    const as = { headers: { 'X-Scheduler-Token': 'm' } }
    const stream = await reading(scheduler, '?namespace=*', as)
    for (const [method, path, body, reported] of [
      ['PUT', '/v1/node/pool/gpu', { Name: 'gpu' }, 'NodePoolUpserted'],
      ['DELETE', '/v1/node/pool/gpu', undefined, 'NodePoolDeleted'],
      ['PUT', '/v1/namespaces', { Name: 'ops' }, 'NamespaceUpserted'],
      ['PUT', '/v1/jobs?namespace=ops', job('web'), 'JobRegistered'],
      ['DELETE', '/v1/job/web?namespace=ops', undefined, 'JobDeregistered'],
      ['DELETE', '/v1/namespace/ops', undefined, 'NamespaceDeleted'],
      ['PUT', '/v1/acl/policy/p', { Name: 'p', Rules: '' }, 'ACLPolicyUpserted'],
      ['PUT', '/v1/acl/token', { Type: 'client', Policies: ['p'] }, 'ACLTokenUpserted'],
      ['DELETE', '/v1/acl/policy/p', undefined, 'ACLPolicyDeleted'],
      ['PUT', '/v1/node/n1/eligibility', { Eligibility: 'ineligible' }, 'NodeEligibility'],
      ['PUT', '/v1/node/n1/drain', { DrainSpec: { Deadline: 1e9 } }, 'NodeDrain'],
    ] as const) {
      const { status, index } = await send(method, path, body, as)
      expect(status).toBe(200)
      for (;;) {
        const line = await stream.next()
        if (!line.Events?.some(({ Type }) => Type === reported)) continue
        expect(line.Index).toBe(index)
        break
      }
    }
    await stream.cancel()
  })

  it('never shows the secret of a token', async () => {
    const { scheduler, send } = await given({}, { managementToken: 'm' })
    const as = { headers: { 'X-Scheduler-Token': 'm' } }
    const stream = await reading(scheduler, '?topic=ACLToken', as)
    const made = await send('PUT', '/v1/acl/token', { Type: 'management', Name: 'ci' }, as)
    const { SecretID, AccessorID } = made.json as { readonly SecretID: string; readonly AccessorID: string }
    const line = await stream.line()
    expect(line?.Events?.[0]?.Payload).toMatchObject({ ACLToken: { AccessorID, Name: 'ci' } })
    expect(JSON.stringify(line)).not.toContain(SecretID)
    await stream.cancel()
  })

  it('begins with the oldest kept event where no index is asked for', async () => {
    const { scheduler, send } = await given()
    for (const id of ['a', 'b']) await send('PUT', '/v1/jobs', job(id))
    const stream = await reading(scheduler, '?topic=Job')
    for (const key of ['a', 'b']) expect((await stream.line())?.Events?.[0]?.Key).toBe(key)
    await stream.cancel()
  })

  it('sends the head of its answer before the first event', async () => {
    const { scheduler } = await given()
    const server = createServer(toNodeListener(scheduler.fetch)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const request = get(`http://127.0.0.1:${port}/v1/event/stream`)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/x-ndjson'])
    request.destroy()
    server.close()
    await once(server, 'close')
  })

  it('says every ten seconds that it is still there', async () => {
    const { scheduler, clock, send } = await given()
    const stream = await reading(scheduler)
    for (let beat = 0; beat < 3; beat += 1) {
      const line = stream.line()
      await clock.advance(10_000)
      expect(await line).toEqual({})
    }
    await send('PUT', '/v1/jobs', job('web'))
    expect(await stream.types()).toEqual(['JobRegistered', 'EvaluationUpdated'])
    await stream.cancel()
  })

  it('begins with the index that was asked for, itself included', async () => {
    const { scheduler, send } = await given()
    const [first, second] = [await send('PUT', '/v1/jobs', job('a')), await send('PUT', '/v1/jobs', job('b'))]
    for (const [index, keys] of [
      [1, ['a', 'b']],
      [first.index, ['a', 'b']],
      [first.index + 1, ['b']],
      [second.index, ['b']],
    ] as const) {
      const stream = await reading(scheduler, `?topic=Job&index=${index}`)
      for (const key of keys) expect((await stream.line())?.Events?.[0]?.Key).toBe(key)
      await stream.cancel()
    }
  })

  it('waits for an index that is still to come', async () => {
    const { scheduler, send } = await given()
    await send('PUT', '/v1/jobs', job('a'))
    const stream = await reading(scheduler, '?topic=Job&index=4')
    for (const id of ['b', 'c']) await send('PUT', '/v1/jobs', job(id))
    expect((await stream.line())?.Events?.[0]?.Key).toBe('c')
    await stream.cancel()
  })

  it('continues where another one ended, without a gap', async () => {
    const { scheduler, send } = await given()
    const one = await reading(scheduler, '?topic=Job')
    await send('PUT', '/v1/jobs', job('a'))
    const last = (await one.line())?.Index ?? 0
    await one.cancel()
    for (const id of ['b', 'c', 'd']) await send('PUT', '/v1/jobs', job(id))
    const two = await reading(scheduler, `?topic=Job&index=${last + 1}`)
    const keys = [await two.line(), await two.line(), await two.line()].map((line) => line?.Events?.[0]?.Key)
    expect(keys).toEqual(['b', 'c', 'd'])
    await two.cancel()
  })

  it('reports lost events, and continues after them', async () => {
    const store = memoryStore()
    const before = await given({}, { store })
    for (const id of ['a', 'b']) await before.send('PUT', '/v1/jobs', job(id))
    await before.scheduler.close()
    // Another process: what happened before it was there it has not seen.
    const { scheduler, send } = await given({}, { store })
    await send('PUT', '/v1/jobs', job('c'))
    const stream = await reading(scheduler, '?topic=Job&index=2')
    expect(await stream.line()).toEqual({ Index: 3, Events: [], Lost: { From: 2, To: 3 } })
    expect((await stream.line())?.Events?.[0]?.Key).toBe('c')
    await stream.cancel()
  })

  it('buffers a limited amount for a slow reader, then reports that and disconnects it', async () => {
    const { scheduler, send } = await given()
    const stream = await reading(scheduler, '?topic=Node')
    const first = stream.line()
    await scheduler.registerNode({ ID: 'n-0' })
    expect((await first)?.Events?.[0]?.Key).toBe('n-0')
    for (let at = 0; at < 5000; at += 1) await scheduler.registerNode({ ID: `n-${at}` })
    const rest = []
    for (let line = await stream.line(); line !== undefined; line = await stream.line()) rest.push(line)
    const { Lost } = rest.at(-1) ?? {}
    expect(Lost?.From).toBeGreaterThan(2)
    expect(Lost?.To).toBeGreaterThan(Lost?.From ?? 0)
    // Earlier events were lost and the stream says so; a client that resumes with the next index misses nothing more.
    const again = await reading(scheduler, `?topic=Node&index=${(Lost?.To ?? 0) + 1}`)
    expect((await again.line())?.Lost).toBeUndefined()
    await again.cancel()
    await send('PUT', '/v1/jobs', job('a'))
  })

  it('forgets the oldest events once the records that they replaced are too large', async () => {
    const { scheduler, send } = await given()
    const large = (id: string, n: number) => job(id, { Meta: { note: `${n}`.padEnd(900_000) } })
    // Until it is replaced, a record is kept in any case.
    for (let n = 0; n < 20; n += 1) await send('PUT', '/v1/jobs', large(`job-${n}`, 0))
    const all = await reading(scheduler, '?topic=Job&index=2')
    expect((await all.line())?.Events?.[0]?.Key).toBe('job-0')
    await all.cancel()
    for (let n = 1; n < 20; n += 1) await send('PUT', '/v1/jobs', large('job-0', n))
    const late = await reading(scheduler, '?topic=Job&index=2')
    expect((await late.line())?.Lost?.From).toBe(2)
    await late.cancel()
  })

  it('ends when the service drains', async () => {
    const { scheduler } = await given()
    const stream = await reading(scheduler)
    const end = stream.line()
    scheduler.drain()
    expect(await end).toBeUndefined()
  })

  it('buffers nothing for a disconnected reader', async () => {
    const clock = testClock()
    const pending = new Set<number>()
    const timers: Timers = {
      after: (ms, fn) => {
        const cancel = clock.timers.after(ms, fn)
        pending.add(ms)
        return () => {
          pending.delete(ms)
          cancel()
        }
      },
    }
    const { scheduler } = await given({}, { timers, collect: false })
    const stream = await reading(scheduler)
    void stream.line()
    expect([...pending]).toEqual([10_000])
    await stream.cancel()
    expect([...pending]).toEqual([])
  })
})

describe('topics', () => {
  it.each([
    ['topic=Job', ['Job web', 'Job db']],
    ['topic=Job:web', ['Job web']],
    ['topic=Job:web&topic=Job:db', ['Job web', 'Job db']],
    ['topic=*:web', ['Job web', 'Evaluation web']],
    ['topic=Evaluation:db', ['Evaluation db']],
    ['topic=NodePool&topic=Job:db', ['Job db', 'NodePool gpu']],
    ['topic=Node', []],
  ])('%s', async (query, expected) => {
    const { scheduler, send } = await given()
    const stream = await reading(scheduler, `?${query}&topic=Namespace`)
    for (const id of ['web', 'db']) await send('PUT', '/v1/jobs', job(id))
    await send('PUT', '/v1/node/pool/gpu', { Name: 'gpu' })
    await send('PUT', '/v1/namespaces', { Name: 'end' })
    const reported: string[] = []
    for (;;) {
      const events = (await stream.next()).Events ?? []
      for (const { Topic, Key, Payload } of events)
        reported.push(`${Topic} ${Topic === 'Evaluation' ? Payload['Evaluation']?.['JobID'] : Key}`)
      if (reported.at(-1) === 'Namespace end') break
    }
    expect(reported.slice(0, -1)).toEqual(expected)
    await stream.cancel()
  })

  it.each(['topic=Jobs', 'topic=Job:', 'topic=:web', 'topic=Job::web', 'index=-1', 'index=x'])(
    '%s is refused',
    async (query) => {
      const { get } = await given()
      expect((await get(`/v1/event/stream?${query}`)).status).toBe(400)
    },
  )

  it('are those of the namespace that is asked for', async () => {
    const { scheduler, send } = await given()
    const [here, there, all] = [
      await reading(scheduler, '?topic=Job'),
      await reading(scheduler, '?topic=Job&namespace=ops'),
      await reading(scheduler, '?topic=Job&namespace=*'),
    ]
    await send('PUT', '/v1/jobs', job('a', { Namespace: 'ops' }))
    await send('PUT', '/v1/jobs', job('b'))
    const keyOf = async (stream: typeof here) => (await stream.line())?.Events?.[0]?.Key
    expect([await keyOf(here), await keyOf(there), await keyOf(all), await keyOf(all)]).toEqual([
      'b',
      'a',
      'a',
      'b',
    ])
    for (const stream of [here, there, all]) await stream.cancel()
  })
})

describe('permissions of event streams', () => {
  const acl = {
    policies: [
      { Name: 'jobs', Rules: 'namespace "default" { policy = "read" }' },
      { Name: 'nodes', Rules: 'node { policy = "read" }' },
      { Name: 'pools', Rules: 'node_pool "g*" { policy = "read" }' },
    ],
    tokens: [
      ...['jobs', 'nodes', 'pools'].map((name) => ({ SecretID: name, Type: 'client', Policies: [name] })),
      { SecretID: 'm', Type: 'management' },
    ],
  }
  const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })

  it.each([
    ['jobs', 'topic=Job&topic=Evaluation&topic=Deployment&topic=Allocation', 200],
    ['jobs', 'topic=Job&namespace=*', 200],
    ['jobs', 'topic=Job&namespace=ops', 403],
    ['jobs', 'topic=Node', 403],
    ['jobs', 'topic=Job&topic=Node', 403],
    ['jobs', 'topic=*', 403],
    ['jobs', '', 403],
    ['nodes', 'topic=Node', 200],
    ['pools', 'topic=NodePool', 200],
    ['nodes', 'topic=NodePool', 403],
    ['nodes', 'topic=ACLToken', 403],
    ['none', 'topic=Job', 403],
    ['m', 'topic=*', 200],
  ])('%s: %s is answered with %i', async (token, query, status) => {
    const { scheduler } = await given(acl, { acl: true })
    const stream = await reading(scheduler, `?${query}`, as(token))
    expect(stream.status).toBe(status)
    await stream.cancel()
  })

  it('sees only the namespaces and pools they may read', async () => {
    const { scheduler, send } = await given(acl, { acl: true })
    const jobs = await reading(scheduler, '?topic=Job&namespace=*', as('jobs'))
    const pools = await reading(scheduler, '?topic=NodePool', as('pools'))
    for (const name of ['a', 'gpu']) await send('PUT', `/v1/node/pool/${name}`, { Name: name }, as('m'))
    await send('PUT', '/v1/jobs', job('a', { Namespace: 'ops' }), as('m'))
    await send('PUT', '/v1/jobs', job('b'), as('m'))
    expect((await jobs.line())?.Events?.map(({ Key }) => Key)).toEqual(['b'])
    expect((await pools.line())?.Events?.map(({ Key }) => Key)).toEqual(['gpu'])
    await jobs.cancel()
    await pools.cancel()
  })

  it.each([
    ['their policy loses the right', { Name: 'jobs', Rules: 'node { policy = "read" }' }],
    ['their policy loses everything', { Name: 'jobs', Rules: '' }],
  ])('is told nothing more once %s', async (_, policy) => {
    const { scheduler, send } = await given(acl, { acl: true })
    const stream = await reading(scheduler, '?topic=Job', as('jobs'))
    await send('PUT', '/v1/jobs', job('a'), as('m'))
    expect((await stream.line())?.Events?.[0]?.Key).toBe('a')
    const end = stream.line()
    await send('PUT', '/v1/acl/policy/jobs', policy, as('m'))
    await send('PUT', '/v1/jobs', job('b'), as('m'))
    expect(await end).toBeUndefined()
  })

  it('gets no more events once their token is revoked', async () => {
    const { scheduler, send } = await given(acl, { acl: true })
    const made = await send('PUT', '/v1/acl/token', { Type: 'client', Policies: ['jobs'] }, as('m'))
    const { SecretID, AccessorID } = made.json as { readonly SecretID: string; readonly AccessorID: string }
    const stream = await reading(scheduler, '?topic=Job', as(SecretID))
    const end = stream.line()
    await send('DELETE', `/v1/acl/token/${AccessorID}`, undefined, as('m'))
    await send('PUT', '/v1/jobs', job('b'), as('m'))
    expect(await end).toBeUndefined()
  })
})
