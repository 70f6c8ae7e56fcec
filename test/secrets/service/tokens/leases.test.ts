import { describe, expect, it } from 'vitest'
import { asking, client } from '../client.ts'

async function withTokens() {
  const made = await client()
  const { ask } = made
  const text = async (path: string, body: object) =>
    (await ask('POST', path, body)).body.auth.client_token as string
  await ask('POST', '/v1/auth/token/roles/app', { allowed_policies: 'default' })
  const plain = await text('/v1/auth/token/create', { ttl: '1h' })
  const roled = await text('/v1/auth/token/create/app', { ttl: '2h' })
  const lists = async (path: string) => (await ask('LIST', path)).body.data.keys as string[]
  return { ...made, plain, roled, lists }
}

describe('the leases of tokens', () => {
  it('are listed below the path that made the token', async () => {
    const { ask, lists } = await withTokens()
    expect(await lists('/v1/sys/leases/lookup')).toEqual(['auth/'])
    expect(await lists('/v1/sys/leases/lookup/auth/token')).toEqual(['create/'])
    const [role, name] = await lists('/v1/sys/leases/lookup/auth/token/create/')
    expect([role, name]).toEqual(['app/', expect.stringMatching(/^h[0-9a-f]{64}$/)])
    expect((await ask('LIST', '/v1/sys/leases/lookup/secret/')).status).toBe(404)
  })

  it('are looked up by name, and a name does not act as the token', async () => {
    const { ask, clock, lists, service } = await withTokens()
    const [, name] = await lists('/v1/sys/leases/lookup/auth/token/create')
    await clock.advance(60_000)
    const { body } = await ask('PUT', '/v1/sys/leases/lookup', { lease_id: `auth/token/create/${name}` })
    expect(body.data).toEqual({
      id: `auth/token/create/${name}`,
      issue_time: '2026-01-01T00:00:00Z',
      expire_time: '2026-01-01T01:00:00Z',
      last_renewal: null,
      renewable: true,
      ttl: 3540,
    })
    expect((await asking(service, name)('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
  })

  it('are renewed at the token store, and not here', async () => {
    const { ask, lists } = await withTokens()
    const [, name] = await lists('/v1/sys/leases/lookup/auth/token/create')
    for (const path of ['/v1/sys/leases/renew', '/v1/sys/renew'])
      expect((await ask('PUT', path, { lease_id: `auth/token/create/${name}` })).body.errors).toEqual([
        'tokens cannot be renewed through this endpoint',
      ])
    expect((await ask('PUT', '/v1/sys/renew/secret/x/abc')).body.errors).toEqual(['lease not found'])
  })

  it('end with their token', async () => {
    const { ask, lists, plain, service } = await withTokens()
    const [, name] = await lists('/v1/sys/leases/lookup/auth/token/create')
    expect((await ask('PUT', `/v1/sys/leases/revoke/auth/token/create/${name}`)).status).toBe(204)
    expect((await asking(service, plain)('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
    expect((await ask('PUT', '/v1/sys/revoke', { lease_id: `auth/token/create/${name}` })).status).toBe(204)
  })

  it('are those of the path, not of the body: a right to revoke some leases revokes no others', async () => {
    const { ask, service, plain } = await withTokens()
    const policy = 'path "sys/leases/revoke/auth/idp/*" { capabilities = ["update"] }'
    await ask('PUT', '/v1/sys/policies/acl/helpdesk', { policy })
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['helpdesk'] })
    const { keys } = (await ask('LIST', '/v1/sys/leases/lookup/auth/token/create')).body.data
    for (const name of keys)
      await asking(service, body.auth.client_token)('PUT', '/v1/sys/leases/revoke/auth/idp/login/ada', {
        lease_id: `auth/token/create/${name}`,
      })
    expect((await asking(service, plain)('GET', '/v1/auth/token/lookup-self')).status).toBe(200)
  })

  it('end together below a path, whole segments only', async () => {
    const { ask, plain, roled, service } = await withTokens()
    const alive = async (text: string) =>
      (await asking(service, text)('GET', '/v1/auth/token/lookup-self')).status === 200
    await ask('PUT', '/v1/sys/leases/revoke-prefix/auth/token/cre')
    expect([await alive(plain), await alive(roled)]).toEqual([true, true])
    expect((await ask('PUT', '/v1/sys/revoke-prefix/auth/token/create/app')).status).toBe(204)
    expect([await alive(plain), await alive(roled)]).toEqual([true, false])
    expect((await ask('PUT', '/v1/sys/leases/revoke-force/auth/token')).status).toBe(204)
    expect(await alive(plain)).toBe(false)
    expect((await ask('GET', '/v1/auth/token/lookup-self')).status).toBe(200)
  })

  it.each([
    ['/v1/sys/leases/lookup', {}, 'lease_id must be specified'],
    ['/v1/sys/leases/lookup', { lease_id: 'secret/x/habc' }, 'invalid lease'],
    ['/v1/sys/leases/renew', {}, 'lease_id must be specified'],
    ['/v1/sys/leases/revoke', {}, 'lease_id must be specified'],
  ])('%s refuses %j', async (path, body, error) => {
    const { ask } = await client()
    expect(await ask('PUT', path, body)).toMatchObject({ status: 400, body: { errors: [error] } })
  })

  it('are those of the namespace asked only', async () => {
    const { ask, lists } = await withTokens()
    await ask('POST', '/v1/sys/namespaces/team')
    const [, name] = await lists('/v1/sys/leases/lookup/auth/token/create')
    const id = { lease_id: `auth/token/create/${name}` }
    expect((await ask('PUT', '/v1/team/sys/leases/lookup', id)).status).toBe(400)
    expect((await ask('PUT', '/v1/team/sys/leases/revoke-prefix/auth')).status).toBe(204)
    expect((await ask('PUT', '/v1/sys/leases/lookup', id)).status).toBe(200)
  })
})
