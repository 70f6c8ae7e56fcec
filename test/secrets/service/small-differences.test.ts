import { describe, expect, it } from 'vitest'
import { createSecrets } from '../../../src/secrets/index.ts'
import { client } from './client.ts'

const sink = () => {
  const lines: string[] = []
  return { lines, write: async (line: string) => void lines.push(line) }
}

describe('a path with empty segments', () => {
  it.each([
    ['GET', '/v1//secret/data/app?version=1', '/v1/secret/data/app?version=1'],
    ['POST', '/v1/secret//data///app', '/v1/secret/data/app'],
    ['LIST', '//v1/secret/metadata//', '/v1/secret/metadata/'],
    ['GET', '/v1/%2F/secret/data/app', '/v1/secret/data/app'],
  ])('is redirected: %s %s', async (method, path, location) => {
    const { service } = await client()
    const answer = await service.fetch(new Request(`http://localhost${path}`, { method }))
    expect([answer.status, answer.headers.get('location')]).toEqual([301, location])
  })
})

describe('a token for an entity alias', () => {
  const setup = async (names: readonly string[]) => {
    const made = await client()
    await made.ask('POST', '/v1/auth/token/roles/app', { allowed_entity_aliases: names })
    const create = (entity_alias: string, path = 'create/app') =>
      made.ask('POST', `/v1/auth/token/${path}`, { entity_alias, policies: ['default'] })
    return { ...made, create }
  }
  it('belongs to the entity of that name, which is created once', async () => {
    const { ask, create } = await setup(['web-*', 'Batch'])
    const first = (await create('Web-1')).body.auth
    const again = (await create('web-1')).body.auth
    const other = (await create('batch')).body.auth
    expect(first.entity_id).toMatch(/./)
    expect(again.entity_id).toBe(first.entity_id)
    expect(other.entity_id).not.toBe(first.entity_id)
    const entity = (await ask('GET', `/v1/identity/entity/id/${first.entity_id}`)).body.data
    expect(entity.aliases).toMatchObject([{ name: 'web-1', mount_type: 'token' }])
  })
  it('is refused without a role, and for a name that the role does not allow; no entity is created', async () => {
    const { ask, create } = await setup(['web-*'])
    expect((await create('web-1', 'create')).body.errors[0]).toMatch(
      /only allowed in combination with token role/,
    )
    expect((await create('db-1')).body.errors[0]).toBe("invalid 'entity_alias' value")
    expect((await ask('LIST', '/v1/identity/entity/id')).status).toBe(404)
  })
  it('is refused while the entity is disabled', async () => {
    const { ask, create } = await setup(['web'])
    const { entity_id: id } = (await create('web')).body.auth
    await ask('POST', `/v1/identity/entity/id/${id}`, { disabled: true })
    expect((await create('web')).status).toBe(400)
  })
})

describe('the version that clients see', () => {
  it('is that of the option, wherever a version is told', async () => {
    const { ask } = await client({ version: '1.8.12' })
    expect((await ask('GET', '/v1/sys/health')).body.version).toBe('1.8.12')
    expect((await ask('GET', '/v1/sys/seal-status')).body.version).toBe('1.8.12')
    expect((await ask('GET', '/v1/sys/mounts')).body.data['secret/'].running_plugin_version).toMatch(
      /^v1\.8\.12\+/,
    )
  })
  it('must be one that clients can compare', () => {
    expect(() => createSecrets({ version: 'newest' })).toThrow('version is "newest"')
  })
})

describe('an alias of a group', () => {
  it('gets a new external group if it names none', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
    const { accessor } = (await ask('GET', '/v1/sys/auth')).body.data['userpass/']
    const alias = await ask('POST', '/v1/identity/group-alias', { name: 'admins', mount_accessor: accessor })
    expect(alias.status).toBe(200)
    const group = (await ask('GET', `/v1/identity/group/id/${alias.body.data.canonical_id}`)).body.data
    expect(group).toMatchObject({ type: 'external', alias: { name: 'admins' } })
  })
})

describe('tuning a mount', () => {
  it('keeps lists of names, and audit devices write the named fields in clear', async () => {
    const { lines, write } = sink()
    const { ask } = await client({ audit: [{ path: 'file', sink: { write } }] })
    const names = {
      audit_non_hmac_request_keys: ['owner'],
      audit_non_hmac_response_keys: ['owner', 'keys'],
      passthrough_request_headers: ['X-Trace'],
      allowed_response_headers: 'X-Warned,X-Cost',
    }
    expect((await ask('POST', '/v1/sys/mounts/secret/tune', names)).status).toBe(204)
    const kept = { ...names, allowed_response_headers: ['X-Warned', 'X-Cost'] }
    expect((await ask('GET', '/v1/sys/mounts/secret/tune')).body.data).toMatchObject(kept)
    expect((await ask('GET', '/v1/sys/mounts')).body.data['secret/'].config).toMatchObject(kept)
    lines.length = 0
    await ask('POST', '/v1/secret/data/app', {
      data: { owner: ['ada'], password: 'hunter2', of: { owner: 'bob' } },
    })
    await ask('GET', '/v1/secret/data/app')
    const [request, , , response] = lines.map((line) => JSON.parse(line))
    const seen = { owner: ['ada'], password: expect.stringMatching(/^hmac/), of: { owner: 'bob' } }
    expect(request.request.data.data).toEqual(seen)
    expect(response.response.data.data).toEqual(seen)
    await ask('POST', '/v1/sys/mounts/secret/tune', { audit_non_hmac_request_keys: [] })
    expect((await ask('GET', '/v1/sys/mounts/secret/tune')).body.data).not.toHaveProperty(
      'audit_non_hmac_request_keys',
    )
  })
  it('is possible when enabling, too', async () => {
    const { ask } = await client()
    const config = { audit_non_hmac_request_keys: ['owner'] }
    await ask('POST', '/v1/sys/mounts/team', { type: 'kv', config })
    expect((await ask('GET', '/v1/sys/mounts/team/tune')).body.data).toMatchObject(config)
  })
})

describe('former names of token settings', () => {
  it('are shown by users and roles that were written with them, until the name of today is used', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
    await ask('POST', '/v1/sys/auth/approle', { type: 'approle' })
    const user = '/v1/auth/userpass/users/ada'
    await ask('POST', user, { password: 'x', policies: 'dev', ttl: '1h', bound_cidrs: '10.0.0.0/8' })
    expect((await ask('GET', user)).body.data).toMatchObject({
      policies: ['dev'],
      token_policies: ['dev'],
      ttl: 3600,
      bound_cidrs: ['10.0.0.0/8'],
    })
    await ask('POST', user, { token_policies: 'ops' })
    const { data } = (await ask('GET', user)).body
    expect([data.policies, data.token_policies, data.ttl]).toEqual([undefined, ['ops'], 3600])
    await ask('POST', '/v1/auth/approle/role/ci', { policies: 'dev', period: '10m' })
    expect((await ask('GET', '/v1/auth/approle/role/ci')).body.data).toMatchObject({
      policies: ['dev'],
      period: 600,
    })
  })
})

describe('the status of the leader', () => {
  it('is that of a server without high availability', async () => {
    const { ask } = await client()
    expect((await ask('GET', '/v1/sys/leader')).body).toMatchObject({
      ha_enabled: false,
      is_self: false,
      leader_address: '',
      active_time: '0001-01-01T00:00:00Z',
    })
  })
})

describe('the OpenAPI document over HTTP', () => {
  it('has its paths below /v1, as a server', async () => {
    const { ask } = await client()
    const { paths, servers } = (await ask('GET', '/v1/sys/internal/specs/openapi')).body
    expect(servers).toEqual([{ url: '/v1' }])
    expect(Object.keys(paths)).toContain('/sys/mounts')
    expect(Object.keys(paths).filter((path) => path.startsWith('/v1'))).toEqual([])
  })
})

describe('entities with many names', () => {
  it('are merged: 120 of them, one with 30 aliases and 50 groups', async () => {
    const { ask } = await client()
    const accessors: string[] = []
    for (let at = 0; at < 30; at += 1) {
      await ask('POST', `/v1/sys/auth/users${at}`, { type: 'userpass' })
      accessors.push((await ask('GET', `/v1/sys/auth/users${at}`)).body.data.accessor)
    }
    const ids: string[] = []
    for (let at = 0; at < 121; at += 1)
      ids.push((await ask('POST', '/v1/identity/entity', { name: `e${at}` })).body.data.id)
    const [to, first, ...others] = ids
    for (const mount_accessor of accessors)
      await ask('POST', '/v1/identity/entity-alias', { name: 'ada', mount_accessor, canonical_id: first })
    for (let at = 0; at < 50; at += 1)
      await ask('POST', '/v1/identity/group', { name: `g${at}`, member_entity_ids: [first] })
    const merge = (from: readonly unknown[]) =>
      ask('POST', '/v1/identity/entity/merge', { from_entity_ids: from, to_entity_id: to })
    // Nothing happens if one is wrong.
    expect((await merge([first, 'nobody'])).status).toBe(400)
    expect((await ask('GET', `/v1/identity/entity/id/${first}`)).status).toBe(200)
    expect((await merge([first, ...others, first])).status).toBe(204)
    const entity = (await ask('GET', `/v1/identity/entity/id/${to}`)).body.data
    expect([entity.aliases.length, entity.group_ids.length]).toEqual([30, 50])
    expect((await ask('LIST', '/v1/identity/entity/id')).body.data.keys).toEqual([to])
    expect((await ask('DELETE', `/v1/identity/entity/id/${to}`)).status).toBe(204)
    expect((await ask('GET', '/v1/identity/group/name/g49')).body.data.member_entity_ids).toBeNull()
  })
})
