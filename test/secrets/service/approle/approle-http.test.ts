import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../../src/store/index.ts'
import { asking, client } from '../client.ts'
import { secretsFaults } from '../whole.ts'

const approle = '/v1/auth/approle'
const ci = `${approle}/role/ci`
const setup = async (role: object = {}) => {
  const made = await client()
  await made.ask('POST', '/v1/sys/auth/approle', { type: 'approle' })
  await made.ask('POST', ci, { token_policies: 'deploy', ...role })
  const anyone = asking(made.service, undefined)
  const roleId = (await made.ask('GET', `${ci}/role-id`)).body.data.role_id as string
  const draw = async (body: object = {}) => (await made.ask('POST', `${ci}/secret-id`, body)).body.data
  const login = (secret_id?: string, role_id = roleId) =>
    anyone('POST', `${approle}/login`, { role_id, secret_id })
  return { ...made, anyone, roleId, draw, login }
}
const wrong = { status: 400, body: { errors: ['invalid role or secret ID'] } }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('roles over HTTP', () => {
  it('are written, read, listed and deleted', async () => {
    const { ask } = await setup({ secret_id_ttl: '10m', secret_id_num_uses: 40, period: '1h' })
    expect((await ask('GET', `${approle}/role/CI`)).body.data).toEqual({
      bind_secret_id: true,
      local_secret_ids: false,
      period: 3600,
      secret_id_bound_cidrs: null,
      secret_id_num_uses: 40,
      secret_id_ttl: 600,
      token_bound_cidrs: [],
      token_explicit_max_ttl: 0,
      token_max_ttl: 0,
      token_no_default_policy: false,
      token_num_uses: 0,
      token_period: 3600,
      token_policies: ['deploy'],
      token_ttl: 0,
      token_type: 'default',
    })
    expect((await ask('LIST', `${approle}/role`)).body.data.keys).toEqual(['ci'])
    expect((await ask('DELETE', ci)).status).toBe(204)
    expect((await ask('GET', ci)).status).toBe(404)
  })
  it('have role IDs, drawn or chosen, of which none is two roles', async () => {
    const { ask, roleId } = await setup()
    expect(roleId).toMatch(uuid)
    expect((await ask('POST', `${ci}/role-id`, { role_id: 'mine' })).status).toBe(204)
    expect((await ask('GET', `${ci}/role-id`)).body.data).toEqual({ role_id: 'mine' })
    expect((await ask('POST', `${approle}/role/other`, { role_id: 'mine' })).status).toBe(400)
    expect((await ask('POST', `${approle}/role/other`, { role_id: roleId })).status).toBe(204)
  })
  it.each([
    ['bind-secret-id', 'bind_secret_id', false, true],
    ['secret-id-bound-cidrs', 'secret_id_bound_cidrs', ['10.0.0.0/8'], null],
    ['secret-id-num-uses', 'secret_id_num_uses', 3, 0],
    ['secret-id-ttl', 'secret_id_ttl', 60, 0],
    ['token-bound-cidrs', 'token_bound_cidrs', ['10.0.0.0/8'], []],
    ['token-ttl', 'token_ttl', 60, 0],
    ['token-max-ttl', 'token_max_ttl', 60, 0],
    ['period', 'token_period', 60, 0],
    ['policies', 'token_policies', ['web'], []],
  ])('have a path of their own for %s', async (path, field, value, unset) => {
    const { ask } = await setup(path === 'bind-secret-id' ? { token_bound_cidrs: '10.0.0.0/8' } : {})
    expect((await ask('POST', `${ci}/${path}`, { [field]: value })).status).toBe(204)
    expect((await ask('GET', `${ci}/${path}`)).body.data).toEqual({ [field]: value })
    expect((await ask('DELETE', `${ci}/${path}`)).status).toBe(204)
    expect((await ask('GET', `${ci}/${path}`)).body.data).toEqual({ [field]: unset })
    expect((await ask('POST', `${ci}/${path}`, {})).status).toBe(400)
    expect((await ask('POST', `${approle}/role/none/${path}`, { [field]: value })).status).toBe(400)
  })
})

describe('secret IDs over HTTP', () => {
  it('are made, looked up, listed and destroyed, by themselves and by their accessors', async () => {
    const { ask, draw } = await setup({ secret_id_ttl: 600, secret_id_num_uses: 3 })
    const made = await draw({ metadata: '{"job":"7"}', cidr_list: ['127.0.0.1/32'] })
    expect(made).toMatchObject({ secret_id_ttl: 600, secret_id_num_uses: 3 })
    expect([made.secret_id, made.secret_id_accessor].every((text) => uuid.test(text))).toBe(true)
    const { secret_id, secret_id_accessor } = made
    const found = await ask('POST', `${ci}/secret-id/lookup`, { secret_id })
    expect(found.body.data).toEqual({
      cidr_list: ['127.0.0.1/32'],
      creation_time: '2026-01-01T00:00:00Z',
      expiration_time: '2026-01-01T00:10:00Z',
      last_updated_time: '2026-01-01T00:00:00Z',
      metadata: { job: '7' },
      secret_id_accessor,
      secret_id_num_uses: 3,
      secret_id_ttl: 600,
      token_bound_cidrs: [],
    })
    const byAccessor = await ask('POST', `${ci}/secret-id-accessor/lookup`, { secret_id_accessor })
    expect(byAccessor.body.data).toEqual(found.body.data)
    const other = await draw()
    const listed = await ask('LIST', `${ci}/secret-id`)
    expect(listed.body.data.keys).toEqual([secret_id_accessor, other.secret_id_accessor].sort())
    expect((await ask('POST', `${ci}/secret-id/destroy`, { secret_id })).status).toBe(204)
    const accessor = { secret_id_accessor: other.secret_id_accessor }
    expect((await ask('DELETE', `${ci}/secret-id-accessor/destroy`, accessor)).status).toBe(204)
    expect((await ask('LIST', `${ci}/secret-id`)).status).toBe(404)
    expect((await ask('POST', `${ci}/secret-id/lookup`, { secret_id })).status).toBe(204)
    expect((await ask('POST', `${ci}/secret-id/destroy`, { secret_id })).status).toBe(204)
    expect((await ask('POST', `${ci}/secret-id-accessor/lookup`, accessor)).status).toBe(404)
    expect((await ask('POST', `${ci}/secret-id-accessor/destroy`, accessor)).status).toBe(404)
  })
  it('can be chosen, once while they live', async () => {
    const { ask, login } = await setup()
    const custom = { secret_id: 'my-own' }
    expect((await ask('POST', `${ci}/custom-secret-id`, custom)).body.data.secret_id).toBe('my-own')
    expect((await ask('POST', `${ci}/custom-secret-id`, custom)).status).toBe(400)
    expect((await login('my-own')).status).toBe(200)
    expect((await ask('POST', `${ci}/custom-secret-id`, {})).status).toBe(400)
  })
  it('can be wrapped', async () => {
    const { ask, login, anyone } = await setup()
    const wrapped = await ask('POST', `${ci}/secret-id`, {}, { 'X-Secrets-Wrap-TTL': '60s' })
    expect(wrapped.text).not.toMatch('secret_id_accessor')
    const { token } = wrapped.body.wrap_info
    const { body } = await anyone('POST', '/v1/sys/wrapping/unwrap', { token })
    expect((await login(body.data.secret_id)).status).toBe(200)
  })
  it.each([
    ['secret-id', { metadata: 'no JSON' }],
    ['secret-id', { metadata: '{"a":{}}' }],
    ['secret-id', { cidr_list: ['x'] }],
    ['secret-id', { num_uses: -1 }],
    ['secret-id', { ttl: 'soon' }],
    ['secret-id/lookup', {}],
    ['secret-id-accessor/destroy', {}],
  ])('are refused as %s %j', async (path, body) => {
    const { ask } = await setup()
    expect((await ask('POST', `${ci}/${path}`, body)).status).toBe(400)
    expect((await ask('POST', `${approle}/role/none/${path}`, body)).status).toBe(400)
  })
})

describe('a login with a role ID and a secret ID', () => {
  it('gives a token with the policies of the role and the notes of the secret ID', async () => {
    const { draw, login } = await setup({ token_ttl: '20m', token_num_uses: 10 })
    const { secret_id } = await draw({ metadata: { job: '7' } })
    expect((await login(secret_id)).body.auth).toMatchObject({
      policies: ['default', 'deploy'],
      metadata: { role_name: 'ci', job: '7' },
      lease_duration: 1200,
      num_uses: 10,
      orphan: true,
    })
  })
  it('is refused with one text for every reason', async () => {
    const { ask, draw, login, clock } = await setup({ secret_id_ttl: 60 })
    const { secret_id } = await draw()
    await ask('POST', `${approle}/role/other`, {})
    const other = (await ask('GET', `${approle}/role/other/role-id`)).body.data.role_id
    expect(await login('wrong')).toMatchObject(wrong)
    expect(await login(undefined)).toMatchObject(wrong)
    expect(await login(secret_id, 'wrong')).toMatchObject(wrong)
    expect(await login(secret_id, other)).toMatchObject(wrong)
    expect((await login(secret_id)).status).toBe(200)
    await clock.advance(60_000)
    expect(await login(secret_id)).toMatchObject(wrong)
    expect(await login('x', '')).toMatchObject({ status: 400, body: { errors: ['missing role_id'] } })
  })
  it('uses up a secret ID, also with concurrent logins', async () => {
    const { draw, login, ask } = await setup({ secret_id_num_uses: 2 })
    const { secret_id, secret_id_accessor } = await draw()
    const answers = await Promise.all(Array.from({ length: 10 }, () => login(secret_id)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect((await ask('POST', `${ci}/secret-id-accessor/lookup`, { secret_id_accessor })).status).toBe(404)
  })
  it('takes no secret ID that was destroyed, is an accessor, or was made at another mount', async () => {
    const { ask, anyone, draw, login } = await setup({ role_id: 'ci' })
    const { secret_id, secret_id_accessor } = await draw()
    expect(await login(secret_id_accessor)).toMatchObject(wrong)
    await ask('POST', '/v1/sys/auth/machines', { type: 'approle' })
    await ask('POST', '/v1/auth/machines/role/ci', { role_id: 'ci' })
    expect(await anyone('POST', '/v1/auth/machines/login', { role_id: 'ci', secret_id })).toMatchObject(wrong)
    expect((await login(secret_id)).status).toBe(200)
    await ask('POST', `${ci}/secret-id/destroy`, { secret_id })
    expect(await login(secret_id)).toMatchObject(wrong)
  })
  it('does not accept the secret IDs of a role that was deleted and created again', async () => {
    const { ask, draw, anyone, service } = await setup({ role_id: 'ci' })
    const { secret_id } = await draw()
    await ask('DELETE', ci)
    await ask('POST', ci, { role_id: 'ci' })
    expect(await anyone('POST', `${approle}/login`, { role_id: 'ci', secret_id })).toMatchObject(wrong)
    expect(await service.sweep()).toBeGreaterThan(0)
  })
  it('takes no secret ID where the role takes none, and comes from its networks then', async () => {
    const { login } = await setup({ bind_secret_id: false, secret_id_bound_cidrs: '10.0.0.0/8' })
    // This client has no address.
    expect((await login()).status).toBe(403)
  })
  it('is renewed by what the role says now', async () => {
    const { ask, draw, login, service } = await setup({ token_ttl: 60 })
    const { body } = await login((await draw()).secret_id)
    const self = asking(service, body.auth.client_token)
    await ask('POST', ci, { token_ttl: 120 })
    const renewed = await self('POST', '/v1/auth/token/renew-self', {})
    expect(renewed.body.auth).toMatchObject({ lease_duration: 120, metadata: { role_name: 'ci' } })
    await ask('DELETE', ci)
    expect((await self('POST', '/v1/auth/token/renew-self', {})).status).toBe(400)
  })
  it('locks a role ID only where the mount is tuned to', async () => {
    const { ask, draw, login } = await setup()
    const { secret_id } = await draw()
    for (let count = 0; count < 6; count += 1) await login('wrong')
    expect((await login(secret_id)).status).toBe(200)
    await ask('POST', '/v1/sys/auth/approle/tune', { user_lockout_config: { lockout_threshold: 3 } })
    for (let count = 0; count < 3; count += 1) await login('wrong')
    expect(await login(secret_id)).toMatchObject(wrong)
  })
})

describe('what the method keeps', () => {
  it('goes with its mount, and expired secret IDs by themselves', async () => {
    const store = memoryStore()
    const { ask, service, clock, unsealKeys } = await client({ store })
    await ask('POST', '/v1/sys/auth/approle', { type: 'approle' })
    await ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
    await ask('POST', '/v1/auth/userpass/users/ada', { password: 'x' })
    await ask('POST', ci, { secret_id_ttl: 60 })
    const { body } = await ask('POST', `${ci}/secret-id`)
    await clock.advance(120_000)
    await service.sweep()
    const accessor = { secret_id_accessor: body.data.secret_id_accessor }
    expect((await ask('POST', `${ci}/secret-id-accessor/lookup`, accessor)).status).toBe(404)
    await ask('POST', `${ci}/secret-id`)
    expect(await secretsFaults(store, unsealKeys)).toEqual([])
    await ask('DELETE', '/v1/sys/auth/approle')
    await ask('DELETE', '/v1/sys/auth/userpass')
    await clock.advance(120_000)
    await service.sweep()
    expect(await secretsFaults(store, unsealKeys)).toEqual([])
    await service.close()
  })
})
