import { describe, expect, it } from 'vitest'
import { given } from './harness.ts'

const as = (token: string): RequestInit => ({ headers: { 'X-Scheduler-Token': token } })
const by = as('m')
interface Role {
  readonly ID: string
  readonly Name: string
}
interface Token {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Roles: readonly Role[]
}

/** A cluster with a policy, a role of it, and a token with the role. */
async function withRole() {
  const harness = await given({ jobs: [{ ID: 'web' }] }, { managementToken: 'm' })
  const { send } = harness
  for (const [Name, policy] of [
    ['readers', 'read'],
    ['writers', 'write'],
  ])
    await send(
      'PUT',
      `/v1/acl/policy/${Name}`,
      { Name, Rules: `namespace "default" { policy = "${policy}" }` },
      by,
    )
  const write = (Role: object, path = '/v1/acl/role') => send('PUT', path, Role, by)
  const role = (await write({ Name: 'team', Policies: [{ Name: 'readers' }] })).json as Role
  const made = await send('PUT', '/v1/acl/token', { Type: 'client', Roles: [{ Name: 'team' }] }, by)
  return { ...harness, write, role, token: made.json as Token }
}

describe('a role', () => {
  it('gives its policies to the tokens that have it, as long as it has them', async () => {
    const { get, send, write, role, token } = await withRole()
    expect(token.Roles).toEqual([{ ID: role.ID, Name: 'team' }])
    const reads = async () => (await get('/v1/job/web', as(token.SecretID))).status
    const stops = async () => (await send('DELETE', '/v1/job/web', undefined, as(token.SecretID))).status
    expect([await reads(), await stops()]).toEqual([200, 403])
    await write({ ID: role.ID, Name: 'crew', Policies: [{ Name: 'writers' }] })
    expect(await stops()).toBe(200)
    expect((await get(`/v1/acl/token/${token.AccessorID}`, by)).json).toMatchObject({
      Roles: [{ ID: role.ID, Name: 'crew' }],
    })
    expect((await send('DELETE', `/v1/acl/role/${role.ID}`, undefined, by)).status).toBe(200)
    expect(await reads()).toBe(403)
    expect((await get(`/v1/acl/token/${token.AccessorID}`, by)).json).toMatchObject({ Roles: [] })
  })

  it('is read by its ID and by its name, and listed', async () => {
    const { get, role } = await withRole()
    const whole = { ID: role.ID, Name: 'team', Description: '', Policies: [{ Name: 'readers' }] }
    expect((await get(`/v1/acl/role/${role.ID}`, by)).json).toMatchObject(whole)
    expect((await get('/v1/acl/role/name/team', by)).json).toMatchObject(whole)
    expect((await get('/v1/acl/roles', by)).json).toMatchObject([whole])
    for (const path of ['/v1/acl/role/none', '/v1/acl/role/name/none']) {
      const missing = await get(path, by)
      expect([missing.status, missing.text]).toEqual([404, 'ACL role not found'])
    }
  })

  it('is shown to the tokens that have it, and to no other', async () => {
    const { get, send, write, role, token } = await withRole()
    await write({ Name: 'others', Policies: [{ Name: 'readers' }] })
    const own = as(token.SecretID)
    expect((await get('/v1/acl/roles', own)).json).toMatchObject([{ Name: 'team' }])
    expect((await get(`/v1/acl/role/${role.ID}`, own)).status).toBe(200)
    expect((await get('/v1/acl/role/name/others', own)).status).toBe(403)
    expect((await get('/v1/acl/policy/readers', own)).status).toBe(200)
    const stranger = await send('PUT', '/v1/acl/token', { Type: 'client', Policies: ['readers'] }, by)
    const other = as((stranger.json as Token).SecretID)
    expect((await get('/v1/acl/roles', other)).json).toEqual([])
    expect((await get(`/v1/acl/role/${role.ID}`, other)).status).toBe(403)
    expect(
      (await send('PUT', '/v1/acl/role', { Name: 'x', Policies: [{ Name: 'readers' }] }, own)).status,
    ).toBe(403)
  })

  it.each([
    [{ Name: 'a b', Policies: [{ Name: 'readers' }] }, 'invalid name "a b"'],
    [{ Name: 'x', Policies: [] }, 'at least one policy should be specified'],
    [{ Name: 'x', Policies: [{ Name: 'none' }] }, 'cannot find policy none'],
    [{ Name: 'team', Policies: [{ Name: 'readers' }] }, 'role with name team already exists'],
    [
      { Name: 'x', Policies: [{ Name: 'readers' }], Description: 'd'.repeat(257) },
      'description longer than 256',
    ],
    [{ Name: 'x', Policies: 'readers' }, 'Policies'],
  ])('is refused as %j: %s', async (Role, text) => {
    const { write, get } = await withRole()
    const refused = await write(Role)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
    expect((await get('/v1/acl/roles', by)).json).toHaveLength(1)
  })

  it('is not changed under another ID, nor created under one', async () => {
    const { write, role } = await withRole()
    const Policies = [{ Name: 'readers' }]
    const mismatch = await write({ ID: 'other', Name: 'x', Policies }, `/v1/acl/role/${role.ID}`)
    expect([mismatch.status, mismatch.text]).toEqual([400, 'ACL role ID does not match request path'])
    expect((await write({ ID: 'other', Name: 'x', Policies })).status).toBe(404)
  })

  it('is named by tokens only if it exists, and never by management tokens', async () => {
    const { send } = await withRole()
    for (const [token, text] of [
      [{ Type: 'client', Roles: [{ Name: 'none' }] }, 'cannot find role none'],
      [{ Type: 'client' }, 'client token missing policies or roles'],
      [
        { Type: 'management', Roles: [{ Name: 'team' }] },
        'management token cannot be associated with policies or roles',
      ],
    ] as const) {
      const refused = await send('PUT', '/v1/acl/token', token, by)
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
    }
  })
})
