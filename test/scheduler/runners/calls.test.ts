import { describe, expect, it } from 'vitest'
import { RunnerAnswer, RunnerCall } from '../../../src/scheduler/runners/call-model.ts'
import { runnerCalls } from '../../../src/scheduler/service/runner-calls.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { testClock } from '../../../src/testing/index.ts'
import { given } from '../harness.ts'

const secret = (node: string) => `2b778dd9-f5f1-6f29-b4b4-9a5fa948757a-${node}`
const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })

/** Two nodes with runners, and an allocation on the first, one of each namespace. */
async function withAllocations(store = memoryStore()) {
  const harness = await given(
    {
      allocations: [
        { ID: 'a1', JobID: 'web', NodeID: 'n1' },
        { ID: 'b1', JobID: 'web', NodeID: 'n1', Namespace: 'ops' },
        { ID: 'c1', JobID: 'web', NodeID: 'simulated' },
      ],
      policies: [
        { Name: 'logs', Rules: 'namespace "default" { capabilities = ["read-job", "read-logs"] }' },
        { Name: 'ops', Rules: 'namespace "ops" { policy = "write" }' },
      ],
      tokens: ['logs', 'ops'].map((name) => ({ SecretID: name, Type: 'client', Policies: [name] })),
    },
    { acl: true, managementToken: 'root', store },
  )
  for (const ID of ['n1', 'n2']) {
    const made = await harness.send(
      'PUT',
      '/v1/runner/node',
      { Node: { ID }, SecretID: secret(ID) },
      as('root'),
    )
    expect(made.status).toBe(200)
  }
  const calls = async (node: string) =>
    (await harness.get(`/v1/runner/node/${node}/calls`, as(secret(node)))).json as {
      ID: string
      Do: string
    }[]
  const answer = (node: string, id: string, body: object) =>
    harness.send('PUT', `/v1/runner/node/${node}/call/${id}`, body, as(secret(node)))
  return { ...harness, calls, answer }
}

const logs = (id: string) => `/v1/client/fs/logs/${id}?task=main&type=stdout&plain=true`

describe('a call for the runner of a node', () => {
  it('is fetched by that runner, and only its answer counts', async () => {
    const { get, calls, answer } = await withAllocations()
    const asked = get(logs('a1'), as('logs'))
    const [call] = await calls('n1')
    expect(call).toMatchObject({ Do: 'logs', AllocID: 'a1', Task: 'main' })
    await answer('n2', call?.ID ?? '', { Data: btoa('forged') })
    await answer('n1', call?.ID ?? '', { Data: btoa('true'), IsLast: true })
    expect((await asked).text).toBe('true')
    // Nobody waits for it any more.
    expect((await answer('n1', call?.ID ?? '', { Data: btoa('late') })).status).toBe(200)
  })

  it('needs the secret of the node, for both', async () => {
    const { get, send } = await withAllocations()
    for (const token of ['root', secret('n2'), ''])
      expect([
        (await get('/v1/runner/node/n1/calls', as(token))).status,
        (await send('PUT', '/v1/runner/node/n1/call/x', {}, as(token))).status,
      ]).toEqual([403, 403])
  })

  it('waits for a call, and returns none when the wait is over', async () => {
    const { get, clock } = await withAllocations()
    const waiting = get('/v1/runner/node/n1/calls?wait=5s', as(secret('n1')))
    let isOver = false
    void waiting.then(() => {
      isOver = true
    })
    await expect
      .poll(async () => {
        clock.advance(5000)
        return isOver
      })
      .toBe(true)
    expect((await waiting).json).toEqual([])
    expect((await get('/v1/runner/node/n1/calls?wait=soon', as(secret('n1')))).status).toBe(400)
  })

  it('is refused to those without the right, who do not learn what exists', async () => {
    const { get, send } = await withAllocations()
    expect((await get(logs('a1'), as('ops'))).status).toBe(403)
    expect((await get(logs('b1'), as('logs'))).status).toBe(404)
    expect((await get(logs('none'), as('logs'))).status).toBe(404)
    expect((await get('/v1/client/fs/ls/a1', as('logs'))).status).toBe(403)
    expect((await send('PUT', '/v1/client/allocation/a1/restart', {}, as('logs'))).status).toBe(403)
    expect((await send('PUT', '/v1/client/allocation/a1/signal', { Signal: 'HUP' }, as('logs'))).status).toBe(
      403,
    )
  })

  it('is refused where no runner answers', async () => {
    const { get, clock } = await withAllocations()
    const none = await get(logs('c1'), as('root'))
    expect([none.status, none.text]).toEqual([404, 'No path to node: simulated has no runner'])
    const silent = get(logs('a1'), as('root'))
    let isOver = false
    void silent.then(() => {
      isOver = true
    })
    await expect
      .poll(async () => {
        clock.advance(10_000)
        return isOver
      })
      .toBe(true)
    expect((await silent).text).toContain('the runner of n1 does not answer')
  })

  it('says which server to ask where the runner is connected to another one of the store', async () => {
    const store = memoryStore()
    const { calls, answer, get } = await withAllocations(store)
    const other = await given({}, { acl: true, managementToken: 'root', store })
    const elsewhere = other.get(logs('a1'), as('root'))
    let isOver = false
    void elsewhere.then(() => {
      isOver = true
    })
    await expect
      .poll(async () => {
        other.clock.advance(10_000)
        return isOver
      })
      .toBe(true)
    const { status, text } = await elsewhere
    expect([status, text]).toEqual([404, expect.stringContaining('ask the one in its --address')])
    const here = get(logs('a1'), as('root'))
    const [call] = await calls('n1')
    await answer('n1', call?.ID ?? '', { Data: btoa('out'), IsLast: true })
    expect((await here).text).toBe('out')
  })

  it('is refused in the words of the runner', async () => {
    const { get, calls, answer } = await withAllocations()
    // Reading a missing file is 400 as in the original, looking for it is 404.
    for (const [way, status] of [
      ['ls', 404],
      ['stat', 404],
      ['cat', 400],
      ['readat', 400],
      ['stream', 400],
    ] as const) {
      const asked = get(`/v1/client/fs/${way}/a1?path=x`, as('root'))
      const [call] = await calls('n1')
      await answer('n1', call?.ID ?? '', { Refused: { Code: 'file_not_found', Message: 'no such file: x' } })
      expect([way, (await asked).status, (await asked).text]).toEqual([way, status, 'no such file: x'])
    }
  })
})

describe('those who follow an output from the same place', () => {
  const { ID: _, ...part } = RunnerCall.parse({
    ID: '',
    AllocID: 'a1',
    Do: 'logs',
    Task: 'main',
    WaitMs: 10_000,
  })
  const further = { ...part, File: 0, Offset: 4 }
  const answer = RunnerAnswer.parse({ Data: btoa('two'), Offset: 4, IsLast: false })
  const made = () => {
    let count = 0
    return runnerCalls(testClock().timers, () => `call-${++count}`)
  }

  it('share one call of the runner, which goes on for those who stay', async () => {
    const calls = made()
    const leaving = Array.from({ length: 100 }, () => new AbortController())
    // Every second one leaves.
    const followers = leaving.flatMap(({ signal }) => [
      calls.ask('n1', further, signal),
      calls.ask('n1', further),
    ])
    const [only, ...others] = await calls.next('n1', 1000)
    expect(others).toEqual([])
    for (const one of leaving) one.abort()
    calls.answer('n1', only?.ID ?? '', answer)
    expect(await Promise.all(followers)).toEqual(
      Array.from({ length: 200 }, (_each, at) => (at % 2 === 0 ? undefined : answer)),
    )
    // What follows is another question.
    void calls.ask('n1', further)
    expect(await calls.next('n1', 1000)).toHaveLength(1)
    calls.close()
  })

  it('leave no call behind when all go away', async () => {
    const calls = made()
    const gone = new AbortController()
    const followers = Array.from({ length: 3 }, () => calls.ask('n1', further, gone.signal))
    gone.abort()
    expect(await Promise.all(followers)).toEqual([undefined, undefined, undefined])
    const later = calls.ask('n1', { ...part, WaitMs: 0 })
    const due = await calls.next('n1', 1000)
    expect(due).toMatchObject([{ WaitMs: 0 }])
    calls.answer('n1', due[0]?.ID ?? '', answer)
    expect(await later).toEqual(answer)
  })

  it('do not share what acts, what does not wait, or the calls of another node', async () => {
    const calls = made()
    const asked = [
      { ...part, Do: 'restart' as const, WaitMs: 0 },
      { ...part, Do: 'read' as const, WaitMs: 0 },
      { ...further, Offset: 8 },
      further,
    ]
    for (const call of asked.slice(0, 2)) void calls.ask('n1', call)
    for (const call of asked) void calls.ask('n1', call)
    void calls.ask('n2', further)
    expect(await calls.next('n1', 1000)).toHaveLength(6)
    expect(await calls.next('n2', 1000)).toHaveLength(1)
    calls.close()
  })
})
