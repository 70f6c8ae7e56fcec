import { describe, expect, it } from 'vitest'
import { given } from './harness.ts'

const job = (ID: string, Namespace: string) => ({
  Job: { ID, Namespace, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] },
})
const ops = { Name: 'ops', Description: 'Operations', Meta: { team: 'a' } }

describe('namespaces', () => {
  it('begin with the default one', async () => {
    const { get } = await given()
    const born = {
      Name: 'default',
      Description: 'Default shared namespace',
      Quota: '',
      Meta: null,
      CreateIndex: 1,
      ModifyIndex: 1,
    }
    expect((await get('/v1/namespaces')).json).toEqual([born])
    const read = await get('/v1/namespace/default')
    expect([read.json, read.index]).toEqual([born, 1])
  })

  it.each([
    ['PUT', '/v1/namespace/ops'],
    ['POST', '/v1/namespace/ops'],
    ['PUT', '/v1/namespaces'],
    ['POST', '/v1/namespaces'],
    ['PUT', '/v1/namespace'],
  ])('are written by %s %s, whole', async (method, path) => {
    const { get, send } = await given()
    const written = await send(method, path, ops)
    expect([written.status, written.text, written.index]).toEqual([200, '', 2])
    expect((await get('/v1/namespace/ops')).json).toEqual({
      ...ops,
      Quota: '',
      CreateIndex: 2,
      ModifyIndex: 2,
    })
    await send(method, path, { Name: 'ops' })
    expect((await get('/v1/namespace/ops')).json).toMatchObject({
      Description: '',
      Meta: null,
      CreateIndex: 2,
      ModifyIndex: 3,
    })
  })

  it('are listed by name, filtered, paged and waited for', async () => {
    const { ids, get, send, scheduler } = await given()
    for (const Name of ['web', 'ops']) await send('PUT', '/v1/namespaces', { Name })
    expect(await ids('/v1/namespaces')).toEqual(['default', 'ops', 'web'])
    expect(await ids('/v1/namespaces?reverse=true')).toEqual(['web', 'ops', 'default'])
    expect(await ids('/v1/namespaces?prefix=o')).toEqual(['ops'])
    expect(await ids('/v1/namespaces?filter=Name%20!=%20%22ops%22')).toEqual(['default', 'web'])
    const page = await get('/v1/namespaces?per_page=1')
    expect(page.nextToken).toBe('ops')
    const waiting = get('/v1/namespaces?index=3')
    await expect.poll(() => scheduler.waiting()).toBe(1)
    await send('DELETE', '/v1/namespace/web')
    expect(((await waiting).json as unknown[]).length).toBe(2)
  })

  it('describe the default one otherwise, which stays', async () => {
    const { get, send } = await given()
    await send('PUT', '/v1/namespace/default', { Name: 'default', Description: 'Ours' })
    expect((await get('/v1/namespace/default')).json).toMatchObject({ Description: 'Ours', ModifyIndex: 2 })
    const refused = await send('DELETE', '/v1/namespace/default')
    expect([refused.status, refused.text]).toEqual([400, 'can not delete default namespace'])
  })

  it.each([
    ['PUT', '/v1/namespaces', { Name: 'a b' }, 'invalid name "a b". Must match regex'],
    ['PUT', '/v1/namespaces', {}, 'invalid name ""'],
    ['PUT', '/v1/namespaces', { Name: 'a'.repeat(129) }, 'Must match regex'],
    ['PUT', '/v1/namespaces', { Name: 'a', Description: 'é'.repeat(129) }, 'description longer than 256'],
    ['PUT', '/v1/namespaces', { Name: 'a', Quota: 'q' }, 'Quota must be empty'],
    ['PUT', '/v1/namespaces', { Name: 'a', Meta: 7 }, 'Meta'],
    ['PUT', '/v1/namespace/ops', { Name: 'web' }, 'Namespace name does not match request path'],
    ['PUT', '/v1/namespaces', undefined, 'Request body is empty'],
  ])('refuse %s %s %j', async (method, path, body, text) => {
    const { get, send } = await given()
    const refused = await send(method, path, body)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
    expect((await get('/v1/namespaces')).json).toHaveLength(1)
  })

  it('are not found unless they were written', async () => {
    const { get, send } = await given()
    for (const answer of [await get('/v1/namespace/none'), await send('DELETE', '/v1/namespace/none')])
      expect([answer.status, answer.text]).toEqual([404, 'Namespace not found'])
  })

  it('stay while a job in them lives', async () => {
    const { get, send } = await given()
    await send('PUT', '/v1/namespaces', ops)
    await send('PUT', '/v1/jobs', job('web', 'ops'))
    const refused = await send('DELETE', '/v1/namespace/ops')
    expect([refused.status, refused.text]).toEqual([
      400,
      'namespace "ops" has non-terminal jobs in regions: [global]',
    ])
    await send('DELETE', '/v1/job/web?namespace=ops')
    expect((await send('DELETE', '/v1/namespace/ops')).status).toBe(200)
    expect((await get('/v1/namespace/ops')).status).toBe(404)
  })
})

describe('a job in an unknown namespace', () => {
  const text = 'job "web" is in nonexistent namespace "web"'

  it('is refused once there are namespaces, and taken again when there are none', async () => {
    const { send } = await given()
    expect((await send('PUT', '/v1/jobs', job('early', 'web'))).status).toBe(200)
    await send('PUT', '/v1/namespaces', ops)
    for (const path of ['/v1/jobs', '/v1/job/web/plan'] as const) {
      const refused = await send('PUT', path, job('web', 'web'))
      expect([refused.status, refused.text]).toEqual([400, text])
    }
    expect((await send('PUT', '/v1/jobs', job('web', 'ops'))).status).toBe(200)
    expect((await send('PUT', '/v1/jobs', job('web', 'default'))).status).toBe(200)
    await send('DELETE', '/v1/job/web?namespace=ops')
    await send('DELETE', '/v1/namespace/ops')
    expect((await send('PUT', '/v1/jobs', job('web', 'web'))).status).toBe(200)
  })

  it.each([
    ['managed', 400],
    ['open', 200],
  ] as const)('is answered where namespaces are %s with %i', async (namespaces, status) => {
    const { send } = await given({}, { namespaces })
    if (namespaces === 'open') await send('PUT', '/v1/namespaces', ops)
    expect((await send('PUT', '/v1/jobs', job('web', 'web'))).status).toBe(status)
    expect((await send('PUT', '/v1/jobs', job('web', 'default'))).status).toBe(200)
  })

  it('does not slip in while its namespace goes', async () => {
    const { send, get } = await given()
    for (const Name of ['ops', 'other']) await send('PUT', '/v1/namespaces', { Name })
    const [gone, registered] = await Promise.all([
      send('DELETE', '/v1/namespace/ops'),
      send('PUT', '/v1/jobs', job('web', 'ops')),
    ])
    expect([gone.status, registered.status].sort()).toEqual([200, 400])
    expect((await get('/v1/namespace/ops')).status).toBe(gone.status === 200 ? 404 : 200)
  })
})

describe('permissions on namespaces', () => {
  it('sees those in which they may do something, and writes as management only', async () => {
    const { ids, get, send } = await given(
      {
        policies: [{ Name: 'p', Rules: 'namespace "ops" { policy = "read" }' }],
        tokens: [
          { SecretID: 'c', Type: 'client', Policies: ['p'] },
          { SecretID: 'm', Type: 'management' },
        ],
      },
      { acl: true },
    )
    const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })
    for (const Name of ['ops', 'web']) await send('PUT', '/v1/namespaces', { Name }, as('m'))
    expect(await ids('/v1/namespaces', as('m'))).toEqual(['default', 'ops', 'web'])
    expect(await ids('/v1/namespaces', as('c'))).toEqual(['ops'])
    expect(await ids('/v1/namespaces')).toEqual([])
    expect((await get('/v1/namespace/ops', as('c'))).status).toBe(200)
    for (const name of ['web', 'none']) expect((await get(`/v1/namespace/${name}`, as('c'))).status).toBe(403)
    expect((await send('PUT', '/v1/namespaces', { Name: 'x' }, as('c'))).status).toBe(403)
    expect((await send('DELETE', '/v1/namespace/ops', undefined, as('c'))).status).toBe(403)
  })
})
