import { describe, expect, it } from 'vitest'
import { given } from './harness.ts'

const Tasks = [{ Name: 't' }]
const job = (ID: string, more: object = {}) => ({
  Job: {
    ID,
    TaskGroups: [
      {
        Name: 'app',
        Count: 3,
        Tasks,
        Scaling: { Min: 1, Max: 5, Policy: { cooldown: '1m' }, Enabled: true },
      },
      { Name: 'plain', Tasks },
    ],
    ...more,
  },
})
interface Stub {
  readonly ID: string
  readonly Target: { readonly Job: string; readonly Group: string; readonly Namespace: string }
}

describe('scaling policies', () => {
  it('are those of the groups that have one, listed short and read whole', async () => {
    const { send, get } = await given()
    const { index } = await send('PUT', '/v1/jobs', job('web'))
    const [stub, ...rest] = (await get('/v1/scaling/policies')).json as readonly Stub[]
    expect(rest).toEqual([])
    const shared = {
      ID: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      Type: 'horizontal',
      Target: { Namespace: 'default', Job: 'web', Group: 'app' },
      Enabled: true,
      CreateIndex: index,
      ModifyIndex: index,
    }
    expect(stub).toEqual(shared)
    const read = await get(`/v1/scaling/policy/${stub?.ID}`)
    expect(read.json).toEqual({
      ...shared,
      Namespace: 'default',
      Min: 1,
      Max: 5,
      Policy: { cooldown: '1m' },
    })
  })

  it('keep their IDs through versions, and go with their job', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', job('web'))
    const listed = async () =>
      ((await get('/v1/scaling/policies')).json as readonly Stub[]).map(({ ID }) => ID)
    const [id] = await listed()
    await send('PUT', '/v1/jobs', job('web', { Priority: 70 }))
    expect(await listed()).toEqual([id])
    await send('DELETE', '/v1/job/web')
    expect(await listed()).toEqual([])
    const gone = await get(`/v1/scaling/policy/${id}`)
    expect([gone.status, gone.text]).toEqual([404, 'policy not found'])
  })

  it('are listed by job, namespace and filter, and waited for', async () => {
    const { send, get, scheduler } = await given()
    for (const [id, Namespace] of [
      ['web', 'default'],
      ['db', 'default'],
      ['ops', 'ops'],
    ] as const)
      await send('PUT', '/v1/jobs', job(id, { Namespace }))
    const jobs = async (query: string) =>
      ((await get(`/v1/scaling/policies?${query}`)).json as readonly Stub[])
        .map(({ Target }) => Target.Job)
        .sort()
    expect(await jobs('')).toEqual(['db', 'web'])
    expect(await jobs('job=web')).toEqual(['web'])
    expect(await jobs('namespace=ops')).toEqual(['ops'])
    expect(await jobs('namespace=*')).toEqual(['db', 'ops', 'web'])
    expect(await jobs(`filter=${encodeURIComponent('Max == 5 and Target.Job == "db"')}`)).toEqual(['db'])
    const { index } = await get('/v1/scaling/policies')
    const waiting = get(`/v1/scaling/policies?index=${index}`)
    await expect.poll(() => scheduler.waiting()).toBe(1)
    await send('DELETE', '/v1/job/web')
    expect((await waiting).json).toHaveLength(1)
  })

  it.each([
    ['namespace "default" { policy = "scale" }', 200, 200],
    ['namespace "default" { policy = "read" }', 200, 200],
    ['namespace "default" { capabilities = ["list-scaling-policies"] }', 200, 403],
    ['namespace "default" { capabilities = ["submit-job"] }', 403, 403],
    ['namespace "ops" { policy = "read" }', 403, 404],
  ])('are shown by %s: list %i, read %i', async (Rules, list, read) => {
    const { send, get } = await given(
      { policies: [{ Name: 'p', Rules }], tokens: [{ SecretID: 'c', Type: 'client', Policies: ['p'] }] },
      { managementToken: 'm' },
    )
    const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })
    await send('PUT', '/v1/jobs', job('web'), as('m'))
    const [stub] = (await get('/v1/scaling/policies', as('m'))).json as readonly Stub[]
    expect((await get('/v1/scaling/policies', as('c'))).status).toBe(list)
    expect((await get(`/v1/scaling/policy/${stub?.ID}`, as('c'))).status).toBe(read)
  })
})
