import { describe, expect, it } from 'vitest'
import { type IdpScript, scriptedProvider } from '../../../../src/testing/index.ts'
import { asking, client } from '../client.ts'

const script: IdpScript = { users: { ada: { password: 'pw', groups: ['Dev'] }, bob: { password: 'pw' } } }
const setup = async () => {
  const made = await client({ idpProvider: scriptedProvider(script) })
  const { ask, service } = made
  await ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
  await ask('POST', '/v1/sys/auth/approle', { type: 'approle' })
  await ask('POST', '/v1/auth/idp/config', { org_name: 'acme', api_token: 't' })
  const anyone = asking(service, undefined)
  const accessor = async (path: string): Promise<string> =>
    (await ask('GET', '/v1/sys/auth')).body.data[`${path}/`].accessor
  const login = async (name: string, method = 'userpass') => {
    if (method === 'userpass')
      await ask('POST', `/v1/auth/userpass/users/${name}`, { password: 'pw', token_policies: 'folder' })
    const { body } = await anyone('POST', `/v1/auth/${method}/login/${name}`, { password: 'pw' })
    return { auth: body.auth, ask: asking(service, body.auth?.client_token) }
  }
  const policy = (text: string, name = 'folder') =>
    ask('PUT', `/v1/sys/policies/acl/${name}`, { policy: text })
  return { ...made, login, policy, accessor }
}

describe('a login', () => {
  it('is of the same entity each time, with a name at its method', async () => {
    const { login, ask, accessor } = await setup()
    const [first, again, other] = [await login('ada'), await login('ada'), await login('bob')]
    expect(first.auth.entity_id).not.toBe('')
    expect(again.auth.entity_id).toBe(first.auth.entity_id)
    expect(other.auth.entity_id).not.toBe(first.auth.entity_id)
    const { body } = await ask('GET', `/v1/identity/entity/id/${first.auth.entity_id}`)
    expect(body.data).toMatchObject({
      name: expect.stringMatching(/^entity_/),
      disabled: false,
      aliases: [{ name: 'ada', mount_path: 'auth/userpass/', mount_accessor: await accessor('userpass') }],
    })
    const self = await first.ask('GET', '/v1/auth/token/lookup-self')
    expect(self.body.data.entity_id).toBe(first.auth.entity_id)
  })
  it('of another method is of the same entity where that has a name there', async () => {
    const { login, ask, accessor } = await setup()
    const user = await login('ada')
    const alias = { name: 'ada', mount_accessor: await accessor('idp'), canonical_id: user.auth.entity_id }
    expect((await ask('POST', '/v1/identity/entity-alias', alias)).status).toBe(200)
    expect((await login('ada', 'idp')).auth.entity_id).toBe(user.auth.entity_id)
  })
  it('of a role has its role ID for a name', async () => {
    const { ask, service } = await setup()
    await ask('POST', '/v1/auth/approle/role/ci', { role_id: 'ci-runner' })
    const { secret_id } = (await ask('POST', '/v1/auth/approle/role/ci/secret-id')).body.data
    const login = { role_id: 'ci-runner', secret_id }
    const { body } = await asking(service, undefined)('POST', '/v1/auth/approle/login', login)
    const entity = await ask('GET', `/v1/identity/entity/id/${body.auth.entity_id}`)
    expect(entity.body.data.aliases).toMatchObject([{ name: 'ci-runner', mount_type: 'approle' }])
  })
  it('hands its entity on to the tokens it makes, but for orphans', async () => {
    const { login, policy } = await setup()
    await policy('path "auth/token/create*" { capabilities = ["update", "sudo"] }')
    const { auth, ask } = await login('ada')
    const child = await ask('POST', '/v1/auth/token/create', {})
    expect(child.body.auth.entity_id).toBe(auth.entity_id)
    const orphan = await ask('POST', '/v1/auth/token/create', { no_parent: true })
    expect(orphan.body.auth.entity_id).toBe('')
  })
})

describe('an entity', () => {
  it('grants policies to its tokens, from the moment they are written', async () => {
    const { login, policy, ask } = await setup()
    await policy('path "secret/data/team" { capabilities = ["read", "create"] }', 'team')
    const user = await login('ada')
    const read = async () => (await user.ask('GET', '/v1/secret/data/team')).status
    expect(await read()).toBe(403)
    const { entity_id: id } = user.auth
    expect((await ask('POST', `/v1/identity/entity/id/${id}`, { policies: 'team' })).status).toBe(204)
    expect(await read()).toBe(404)
    await ask('POST', `/v1/identity/entity/id/${id}`, { policies: [] })
    expect(await read()).toBe(403)
  })
  it('that is disabled or deleted has tokens that are refused, and logins too', async () => {
    const { login, ask } = await setup()
    const user = await login('ada')
    const self = async () => (await user.ask('GET', '/v1/auth/token/lookup-self')).status
    const path = `/v1/identity/entity/id/${user.auth.entity_id}`
    await ask('POST', path, { disabled: true })
    expect(await self()).toBe(403)
    expect((await login('ada')).auth).toBe(undefined)
    await ask('POST', path, { disabled: false })
    expect(await self()).toBe(200)
    expect((await ask('DELETE', path)).status).toBe(204)
    expect(await self()).toBe(403)
    expect((await login('ada')).auth.entity_id).not.toBe(user.auth.entity_id)
  })
  it('is written, found, listed and merged by its names', async () => {
    const { ask, login, accessor } = await setup()
    const made = await ask('POST', '/v1/identity/entity', {
      name: 'ada',
      metadata: { team: 'x' },
      policies: 'P',
    })
    expect(made.body.data).toMatchObject({ name: 'ada', aliases: null })
    const { id } = made.body.data
    expect((await ask('POST', '/v1/identity/entity/name/ada', { metadata: { team: 'y' } })).status).toBe(204)
    expect((await ask('GET', '/v1/identity/entity/name/ada')).body.data).toMatchObject({
      id,
      policies: ['p'],
      metadata: { team: 'y' },
    })
    const user = await login('ada')
    const merge = { from_entity_ids: [user.auth.entity_id], to_entity_id: id }
    expect((await ask('POST', '/v1/identity/entity/merge', merge)).status).toBe(204)
    expect((await login('ada')).auth.entity_id).toBe(id)
    expect((await ask('LIST', '/v1/identity/entity/name')).body.data.keys).toEqual(['ada'])
    expect((await ask('LIST', '/v1/identity/entity/id')).body.data.key_info[id]).toMatchObject({
      name: 'ada',
      aliases: [{ name: 'ada' }],
    })
    const alias = { alias_name: 'ada', alias_mount_accessor: await accessor('userpass') }
    expect((await ask('POST', '/v1/identity/lookup/entity', alias)).body.data.id).toBe(id)
    expect((await ask('POST', '/v1/identity/lookup/entity', { name: 'eve' })).status).toBe(204)
  })
  it.each([
    ['entity', { policies: ['root'] }],
    ['entity', { id: 'unknown' }],
    ['entity/id/unknown', { name: 'x' }],
    ['entity-alias', { name: 'x' }],
    ['entity-alias', { name: 'x', mount_accessor: 'none' }],
    ['entity/merge', { to_entity_id: 'x' }],
    ['group', { type: 'other' }],
    ['group', { member_entity_ids: ['unknown'] }],
    ['group-alias', { name: 'x', canonical_id: 'none' }],
    ['lookup/entity', {}],
  ])('%s is refused as %j', async (path, body) => {
    const { ask } = await setup()
    expect((await ask('POST', `/v1/identity/${path}`, body)).status).toBe(400)
  })
})

describe('a template in a policy', () => {
  const folder = (template: string) =>
    `path "secret/data/users/{{${template}}}/*" { capabilities = ["create", "read"] }`

  it('gives each user a folder, and none that of another', async () => {
    const { login, policy, accessor } = await setup()
    await policy(folder(`identity.entity.aliases.${await accessor('userpass')}.name`))
    const [ada, bob] = [await login('ada'), await login('bob')]
    const write = async (who: typeof ada, path: string) =>
      (await who.ask('POST', `/v1/secret/data/users/${path}`, { data: {} })).status
    expect(await write(ada, 'ada/x')).toBe(200)
    expect(await write(bob, 'bob/x')).toBe(200)
    expect(await write(ada, 'bob/x')).toBe(403)
    expect(await write(bob, 'ada/x')).toBe(403)
  })
  it.each([
    ['identity.entity.name', 'ada-l'],
    ['identity.entity.metadata.team', 'red'],
    ['identity.groups.names.crew.metadata.room', 'r1'],
  ])('%s is %s', async (template, value) => {
    const { login, policy, ask } = await setup()
    await policy(folder(template))
    const ada = await login('ada')
    const { entity_id: id } = ada.auth
    await ask('POST', `/v1/identity/entity/id/${id}`, { name: 'ada-l', metadata: { team: 'red' } })
    await ask('POST', '/v1/identity/group', {
      name: 'crew',
      member_entity_ids: [id],
      metadata: { room: 'r1' },
    })
    const write = async (path: string) =>
      (await ada.ask('POST', `/v1/secret/data/users/${path}/x`, { data: {} })).status
    expect(await write(value)).toBe(200)
    expect(await write('other')).toBe(403)
  })
  it.each(['*', '+', 'a/b', '../x', ''])('leads nowhere where its value is %j', async (value) => {
    const { login, policy, ask } = await setup()
    await policy(folder('identity.entity.metadata.team'))
    const ada = await login('ada')
    const path = `/v1/identity/entity/id/${ada.auth.entity_id}`
    await ask('POST', path, { metadata: { team: value } })
    for (const place of ['x', 'a/b', 'ada', '*', '+'])
      expect((await ada.ask('GET', `/v1/secret/data/users/${encodeURIComponent(place)}/x`)).status).toBe(403)
  })
  it('grants nothing to tokens of no entity', async () => {
    const { ask, policy, service } = await setup()
    await policy(folder('identity.entity.id'))
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['folder'] })
    const token = asking(service, body.auth.client_token)
    expect((await token('GET', '/v1/secret/data/users/x/y')).status).toBe(403)
  })
})

describe('a group', () => {
  it('grants its policies to its members, and to those of groups within it', async () => {
    const { login, policy, ask } = await setup()
    await policy('path "secret/data/team" { capabilities = ["read"] }', 'team')
    const ada = await login('ada')
    const inner = await ask('POST', '/v1/identity/group', {
      name: 'in',
      member_entity_ids: [ada.auth.entity_id],
    })
    const outer = { name: 'out', policies: 'team', member_group_ids: [inner.body.data.id] }
    const { id } = (await ask('POST', '/v1/identity/group', outer)).body.data
    expect((await ada.ask('GET', '/v1/secret/data/team')).status).toBe(404)
    const cycle = { member_group_ids: [id] }
    expect((await ask('POST', '/v1/identity/group/name/in', cycle)).body.errors).toEqual([
      'a group cannot contain itself',
    ])
    await ask('DELETE', '/v1/identity/group/name/in')
    expect((await ada.ask('GET', '/v1/secret/data/team')).status).toBe(403)
  })
  it('that is external has the members that logins say', async () => {
    const { login, policy, ask, accessor } = await setup()
    await policy('path "secret/data/team" { capabilities = ["read"] }', 'team')
    const group = { name: 'devs', type: 'external', policies: 'team' }
    const { id } = (await ask('POST', '/v1/identity/group', group)).body.data
    const alias = { name: 'dev', mount_accessor: await accessor('idp'), canonical_id: id }
    expect((await ask('POST', '/v1/identity/group-alias', alias)).status).toBe(200)
    const [ada, bob] = [await login('ada', 'idp'), await login('bob', 'idp')]
    expect((await ada.ask('GET', '/v1/secret/data/team')).status).toBe(404)
    expect((await bob.ask('GET', '/v1/secret/data/team')).status).toBe(403)
    expect((await ask('GET', `/v1/identity/group/id/${id}`)).body.data).toMatchObject({
      type: 'external',
      member_entity_ids: [ada.auth.entity_id],
      alias: { name: 'dev' },
    })
  })
  it.each([
    ['member_entity_ids', "member entities can't be set manually for external groups: logins set them"],
    ['member_group_ids', "member groups can't be set for external groups"],
  ])(
    'that is external takes no %s by hand, not even none, and keeps those of logins',
    async (field, problem) => {
      const { login, ask, accessor } = await setup()
      await ask('POST', '/v1/identity/group', { name: 'devs', type: 'external' })
      const { id } = (await ask('GET', '/v1/identity/group/name/devs')).body.data
      await ask('POST', '/v1/identity/group-alias', {
        name: 'dev',
        mount_accessor: await accessor('idp'),
        canonical_id: id,
      })
      const ada = await login('ada', 'idp')
      const refused = await ask('POST', '/v1/identity/group/name/devs', { [field]: [] })
      expect([refused.status, refused.body.errors]).toEqual([400, [problem]])
      const read = await ask('GET', '/v1/identity/group/name/devs')
      expect(read.body.data.member_entity_ids).toEqual([ada.auth.entity_id])
    },
  )
  it('that is external has one alias: a second one replaces it', async () => {
    const { ask, accessor } = await setup()
    const { id } = (await ask('POST', '/v1/identity/group', { name: 'devs', type: 'external' })).body.data
    const alias = (name: string) => ({ name, mount_accessor: mount, canonical_id: id })
    const mount = await accessor('idp')
    const first = (await ask('POST', '/v1/identity/group-alias', alias('dev'))).body.data
    await ask('POST', '/v1/identity/group-alias', alias('developers'))
    expect((await ask('GET', `/v1/identity/group/id/${id}`)).body.data.alias.name).toBe('developers')
    expect((await ask('GET', `/v1/identity/group-alias/id/${first.id}`)).status).toBe(404)
    expect((await ask('POST', '/v1/identity/group-alias', alias('dev'))).status).toBe(200)
  })
  it('does not take over the alias of another one', async () => {
    const { ask, accessor } = await setup()
    const alias = { name: 'dev', mount_accessor: await accessor('idp') }
    expect((await ask('POST', '/v1/identity/group-alias', alias)).status).toBe(200)
    const again = await ask('POST', '/v1/identity/group-alias', alias)
    expect(again.status).toBe(400)
    expect(again.body.errors).toEqual(['combination of mount and group alias name is already in use'])
  })
  it('has null for members, parents, policies and metadata that it lacks, as clients of the original expect', async () => {
    const { ask } = await setup()
    await ask('POST', '/v1/identity/group', { name: 'alone' })
    expect((await ask('GET', '/v1/identity/group/name/alone')).body.data).toMatchObject({
      type: 'internal',
      member_entity_ids: null,
      member_group_ids: null,
      parent_group_ids: null,
      policies: null,
      metadata: null,
      alias: {},
    })
  })
})
