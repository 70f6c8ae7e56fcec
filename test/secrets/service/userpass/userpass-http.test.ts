import { describe, expect, it } from 'vitest'
import type { SecretsEvent } from '../../../../src/secrets/index.ts'
import { asking, client } from '../client.ts'

const userpass = '/v1/auth/userpass'
const setup = async () => {
  const events: SecretsEvent[] = []
  const made = await client({ onEvent: (event) => events.push(event) })
  await made.ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
  await made.ask('POST', `${userpass}/users/ada`, { password: 'correct horse', token_policies: 'dev, ops' })
  return { ...made, events, anyone: asking(made.service, undefined) }
}
const wrong = { status: 400, body: { errors: ['invalid username or password'] } }

describe('users over HTTP', () => {
  it('are written, read without their password, listed and deleted', async () => {
    const { ask } = await setup()
    const read = await ask('GET', `${userpass}/users/Ada`)
    expect(read.body.data).toEqual({
      token_bound_cidrs: [],
      token_explicit_max_ttl: 0,
      token_max_ttl: 0,
      token_no_default_policy: false,
      token_num_uses: 0,
      token_period: 0,
      token_policies: ['dev', 'ops'],
      token_ttl: 0,
      token_type: 'default',
    })
    expect((await ask('LIST', `${userpass}/users`)).body.data.keys).toEqual(['ada'])
    expect((await ask('DELETE', `${userpass}/users/ada`)).status).toBe(204)
    expect((await ask('GET', `${userpass}/users/ada`)).status).toBe(404)
    expect((await ask('LIST', `${userpass}/users`)).status).toBe(404)
  })
  it('take the names that fields had once', async () => {
    const { ask } = await setup()
    await ask('POST', `${userpass}/users/ada`, { policies: 'web', ttl: '1h', max_ttl: 7200 })
    expect((await ask('GET', `${userpass}/users/ada`)).body.data).toMatchObject({
      token_policies: ['web'],
      token_ttl: 3600,
      token_max_ttl: 7200,
    })
  })
  it.each([
    ['users/bob', {}, 'missing password'],
    ['users/bob', { password: 'x'.repeat(1025) }, 'a password has at most 1024 characters'],
    ['users/ada', { token_type: 'x' }, /invalid 'token_type' value/],
    ['users/ada', { token_bound_cidrs: '10.0.0.0/99' }, /not a network/],
    ['users/bob/password', { password: 'x' }, 'username does not exist'],
    ['users/ada/password', {}, 'missing password'],
    ['users/bob/policies', { policies: 'x' }, 'username does not exist'],
  ])('are not written as %s %j', async (path, body, message) => {
    const { ask } = await setup()
    const answer = await ask('POST', `${userpass}/${path}`, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(message)
  })
  it('need `create` for a new user and `update` for an existing one, with the name in any case', async () => {
    const { service, ask } = await setup()
    const policy = `path "auth/userpass/users/*" { capabilities = ["create"] }
      path "auth/userpass/users/root" { capabilities = ["deny"] }`
    await ask('PUT', '/v1/sys/policies/acl/maker', { policy })
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['maker'] })
    const maker = asking(service, body.auth.client_token)
    expect((await maker('POST', `${userpass}/users/new`, { password: 'x' })).status).toBe(204)
    expect((await maker('POST', `${userpass}/users/ada`, { password: 'x' })).status).toBe(403)
    expect((await maker('POST', `${userpass}/users/ROOT`, { password: 'x' })).status).toBe(403)
  })
})

describe('a login with user name and password', () => {
  it('gives a token with the policies of the user', async () => {
    const { anyone, service, events } = await setup()
    const login = await anyone('POST', `${userpass}/login/Ada`, { password: 'correct horse' })
    expect(login.body.auth).toMatchObject({
      policies: ['default', 'dev', 'ops'],
      metadata: { username: 'ada' },
      renewable: true,
      token_type: 'service',
      orphan: true,
      lease_duration: 2764800,
    })
    const self = await asking(service, login.body.auth.client_token)('GET', '/v1/auth/token/lookup-self')
    expect(self.body.data).toMatchObject({ display_name: 'userpass-ada', path: 'auth/userpass/login/Ada' })
    expect(events.map(({ type }) => type)).toContain('userpass.logged_in')
  })
  it('is refused with one text for every reason', async () => {
    const { anyone } = await setup()
    expect(await anyone('POST', `${userpass}/login/ada`, { password: 'x' })).toMatchObject(wrong)
    expect(await anyone('POST', `${userpass}/login/bob`, { password: 'x' })).toMatchObject(wrong)
    expect(await anyone('POST', `${userpass}/login/ada`, {})).toMatchObject({
      status: 400,
      body: { errors: ['missing password'] },
    })
  })
  it('hashes for an unknown name as for a known one', async () => {
    const { nodeCrypto } = await import('../../../../src/crypto/index.ts')
    const crypto = nodeCrypto({ scryptLogN: 4 })
    let hashed = 0
    const counting: typeof crypto = {
      ...crypto,
      verifyPassword: (...given) => {
        hashed += 1
        return crypto.verifyPassword(...given)
      },
    }
    const { service, ask } = await client({ crypto: counting })
    await ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
    await ask('POST', `${userpass}/users/ada`, { password: 'right' })
    const anyone = asking(service, undefined)
    await anyone('POST', `${userpass}/login/ada`, { password: 'x' })
    await anyone('POST', `${userpass}/login/unknown`, { password: 'x' })
    expect(hashed).toBe(2)
  })
  it('ends with the mount: its tokens are dead', async () => {
    const { anyone, service, ask } = await setup()
    const { body } = await anyone('POST', `${userpass}/login/ada`, { password: 'correct horse' })
    await ask('DELETE', '/v1/sys/auth/userpass')
    const self = asking(service, body.auth.client_token)
    expect((await self('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
  })
  it('is renewed while the user has the same policies', async () => {
    const { anyone, service, ask } = await setup()
    const { body } = await anyone('POST', `${userpass}/login/ada`, { password: 'correct horse' })
    const self = asking(service, body.auth.client_token)
    const renew = () => self('POST', '/v1/auth/token/renew-self', {})
    expect((await renew()).status).toBe(200)
    await ask('POST', `${userpass}/users/ada/policies`, { policies: 'dev' })
    expect((await renew()).body.errors[0]).toMatch('policies have changed, not renewing')
    await ask('DELETE', `${userpass}/users/ada`)
    expect((await renew()).status).toBe(400)
  })
})

describe('failed logins', () => {
  const fail = async (anyone: (...given: [string, string, unknown]) => Promise<unknown>, times: number) => {
    for (let count = 0; count < times; count += 1)
      await anyone('POST', `${userpass}/login/ada`, { password: 'wrong' })
  }
  const login = { password: 'correct horse' }

  it('lock a name after five, for 15 minutes', async () => {
    const { anyone, clock, events, ask } = await setup()
    await fail(anyone, 4)
    expect((await anyone('POST', `${userpass}/login/ada`, login)).status).toBe(200)
    await fail(anyone, 5)
    expect(await anyone('POST', `${userpass}/login/ADA`, login)).toMatchObject(wrong)
    expect(events.filter(({ type }) => type === 'lockout.locked')).toHaveLength(1)
    const locked = await ask('GET', '/v1/sys/locked-users')
    expect(locked.body.data).toMatchObject({
      total: 1,
      by_namespace: [{ counts: 1, mount_accessors: [{ counts: 1, alias_identifiers: ['ada'] }] }],
    })
    await clock.advance(15 * 60_000)
    expect((await anyone('POST', `${userpass}/login/ada`, login)).status).toBe(200)
  })
  it('lock as the mount is tuned, and are unlocked manually', async () => {
    const { anyone, ask } = await setup()
    const config = { lockout_threshold: '2', lockout_duration: '1m', lockout_counter_reset_duration: '10s' }
    await ask('POST', '/v1/sys/auth/userpass/tune', { user_lockout_config: config })
    const tuned = await ask('GET', '/v1/sys/auth/userpass/tune')
    expect(tuned.body.data.user_lockout_config).toEqual({
      lockout_threshold: 2,
      lockout_duration: 60,
      lockout_counter_reset_duration: 10,
      lockout_disable: false,
    })
    await fail(anyone, 2)
    expect(await anyone('POST', `${userpass}/login/ada`, login)).toMatchObject(wrong)
    const { body } = await ask('GET', '/v1/sys/auth')
    const { accessor } = body.data['userpass/']
    expect((await ask('POST', `/v1/sys/locked-users/${accessor}/unlock/ada`)).status).toBe(204)
    expect((await anyone('POST', `${userpass}/login/ada`, login)).status).toBe(200)
    await ask('POST', '/v1/sys/auth/userpass/tune', { user_lockout_config: { lockout_disable: true } })
    await fail(anyone, 3)
    expect((await anyone('POST', `${userpass}/login/ada`, login)).status).toBe(200)
  })
  it('of many concurrent callers try no more passwords than the threshold and those in progress', async () => {
    const { anyone, events } = await setup()
    const guesses = Array.from({ length: 300 }, (_, at) => ({
      password: at === 299 ? 'correct horse' : `${at}`,
    }))
    const answers = await Promise.all(guesses.map((body) => anyone('POST', `${userpass}/login/ada`, body)))
    for (const answer of answers) expect(answer).toMatchObject(wrong)
    expect(events.filter(({ type }) => type === 'userpass.login_refused')).toHaveLength(300)
  })
})
