import { describe, expect, it } from 'vitest'
import type { SecretsEvent } from '../../../../src/secrets/index.ts'
import { type IdpScript, scriptedProvider } from '../../../../src/testing/index.ts'
import { asking, client } from '../client.ts'

const script: IdpScript = {
  users: {
    ada: { password: 'hunter2', groups: ['Dev'] },
    tom: { password: 'pw', factors: [{ type: 'totp', provider: 'GOOGLE', passcode: '123456' }] },
    pia: { password: 'pw', factors: [{ type: 'push', number: 42, polls: 2 }] },
    rex: { password: 'pw', factors: [{ type: 'push', polls: 1, result: 'reject' }] },
    off: { password: 'pw', unreachable: true },
    old: { password: 'pw', status: 'PASSWORD_EXPIRED' },
  },
}
const idp = '/v1/auth/idp'
/** Lets time go by until an answer is there. */
const waiting = async <T>(
  clock: { readonly advance: (ms: number) => Promise<void> },
  answer: Promise<T>,
): Promise<T> => {
  let done = false
  const settle = () => {
    done = true
  }
  answer.then(settle, settle)
  while (!done) await clock.advance(500)
  return answer
}
const setup = async (config: object = {}) => {
  const events: SecretsEvent[] = []
  const made = await client({ idpProvider: scriptedProvider(script), onEvent: (event) => events.push(event) })
  await made.ask('POST', `${idp}/config`, {
    org_name: 'acme',
    api_token: 't',
    token_ttl: '1h',
    token_policies: 'base',
    ...config,
  })
  await made.ask('POST', `${idp}/groups/DEV`, { policies: 'web,db' })
  return { ...made, events, anyone: asking(made.service, undefined) }
}

describe('the configuration of the method', () => {
  it('is absent until it is written, then has every field but the API token', async () => {
    const { ask } = await client()
    expect((await ask('GET', `${idp}/config`)).status).toBe(404)
    expect(await ask('POST', `${idp}/config`, { base_url: 'example.com' })).toMatchObject({
      status: 400,
      body: { errors: ['org_name is missing'] },
    })
    const write = {
      org_name: 'acme',
      api_token: 'secret-token',
      token_ttl: '1h',
      token_max_ttl: 7200,
      policies: 'a, b',
    }
    expect((await ask('PUT', `${idp}/config`, write)).status).toBe(204)
    const read = await ask('GET', `${idp}/config`)
    expect(read.body.data).toEqual({
      base_url: '',
      bypass_idp_mfa: false,
      org_name: 'acme',
      policies: ['a', 'b'],
      token_bound_cidrs: [],
      token_explicit_max_ttl: 0,
      token_max_ttl: 7200,
      token_no_default_policy: false,
      token_num_uses: 0,
      token_period: 0,
      token_policies: ['a', 'b'],
      token_ttl: 3600,
      token_type: '',
    })
    expect(read.text).not.toContain('secret-token')
  })
  it.each([
    [{ token_ttl: 'soon' }, /token_ttl/],
    [{ token_bound_cidrs: '10.0.0.0/99' }, /not a network/],
    [{ token_type: 'x' }, /invalid 'token_type' value/],
    [{ bypass_idp_mfa: 'maybe' }, /field "bypass_idp_mfa": expected a boolean/],
    [{ token_num_uses: -1 }, /negative/],
    [{ base_url: 'http://[' }, /base_url/],
    [{ token_ttl: -1 }, /negative/],
  ])('refuses %j', async (fields, message) => {
    const { ask } = await client()
    const answer = await ask('POST', `${idp}/config`, { org_name: 'acme', ...fields })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(message)
    expect((await ask('GET', `${idp}/config`)).status).toBe(404)
  })
  it('warns while the factor is bypassed', async () => {
    const { ask } = await client()
    const written = await ask('POST', `${idp}/config`, { org_name: 'acme', bypass_idp_mfa: true })
    expect([written.status, written.body.warnings.length]).toEqual([200, 1])
  })
  it('tells creating from updating', async () => {
    const { ask, service } = await client()
    await ask('PUT', '/v1/sys/policies/acl/once', {
      policy: `path "auth/idp/config" { capabilities = ["create"] }`,
    })
    const made = await ask('POST', '/v1/auth/token/create', { policies: ['once'] })
    const once = asking(service, made.body.auth.client_token)
    expect((await once('POST', `${idp}/config`, { org_name: 'a' })).status).toBe(204)
    expect((await once('POST', `${idp}/config`, { org_name: 'a' })).status).toBe(403)
  })
})

describe('users and groups', () => {
  it('are written, read, listed and deleted', async () => {
    const { ask } = await setup()
    expect((await ask('POST', `${idp}/users/Ada`, { groups: 'x, y', policies: ['p'] })).status).toBe(204)
    await ask('PUT', `${idp}/users/team/bob`, {})
    expect((await ask('GET', `${idp}/users/Ada`)).body.data).toEqual({ groups: ['x', 'y'], policies: ['p'] })
    expect((await ask('GET', `${idp}/users/ada`)).status).toBe(404)
    expect((await ask('LIST', `${idp}/users`)).body.data.keys).toEqual(['Ada', 'team/'])
    expect((await ask('GET', `${idp}/users/team?list=true`)).body.data.keys).toEqual(['bob'])
    expect((await ask('LIST', `${idp}/groups/`)).body.data.keys).toEqual(['dev'])
    expect((await ask('GET', `${idp}/groups/Dev`)).body.data).toEqual({ policies: ['db', 'web'] })
    expect((await ask('DELETE', `${idp}/groups/DEV`)).status).toBe(204)
    expect((await ask('DELETE', `${idp}/users/unknown`)).status).toBe(204)
    expect((await ask('LIST', `${idp}/groups`)).status).toBe(404)
  })
  it('have names that can be kept', async () => {
    const { ask, errors } = await setup()
    const long = 'é'.repeat(257)
    for (const path of [`${idp}/users/${long}`, `${idp}/groups/${long}`, `/v1/auth/token/roles/${long}`])
      expect((await ask('POST', path, {})).status).toBe(400)
    expect((await ask('PUT', `/v1/sys/policies/acl/${long}`, { policy: 'path "a" {}' })).status).toBe(400)
    expect((await ask('POST', `${idp}/users/${long.slice(1)}`, {})).status).toBe(204)
    expect(errors).toEqual([])
  })
  it('may be named like prototypes', async () => {
    const { ask } = await setup()
    expect((await ask('GET', `${idp}/users/__proto__`)).status).toBe(404)
    await ask('POST', `${idp}/users/__proto__`, { policies: 'p' })
    expect((await ask('GET', `${idp}/users/__proto__`)).body.data.policies).toEqual(['p'])
  })
})

describe('a login', () => {
  it('gives a token with the policies of method, groups and user', async () => {
    const { ask, anyone, service, events } = await setup()
    await ask('POST', `${idp}/users/ada`, { groups: 'ops', policies: 'own' })
    const { status, body, text } = await anyone('POST', `${idp}/login/ada`, { password: 'hunter2' })
    expect(status).toBe(200)
    expect(body.auth).toMatchObject({
      policies: ['base', 'db', 'default', 'own', 'web'],
      metadata: { username: 'ada', policies: 'db,own,web' },
      lease_duration: 3600,
      renewable: true,
      orphan: true,
    })
    expect(body.auth.client_token).toMatch(/^s\.[0-9A-Za-z]{24,}$/)
    const self = await asking(service, body.auth.client_token)('GET', '/v1/auth/token/lookup-self')
    expect(self.body.data).toMatchObject({ display_name: 'idp-ada', path: 'auth/idp/login/ada', ttl: 3600 })
    expect(text).not.toContain('hunter2')
    expect(events).toContainEqual(expect.objectContaining({ type: 'idp.logged_in', username: 'ada' }))
    expect(JSON.stringify(events)).not.toContain(body.auth.client_token)
  })
  it.each([
    ['a wrong password', 'ada', { password: 'x' }, 400, /Authentication failed \(code=E0000004\)/],
    ['no password', 'ada', {}, 400, /password cannot be empty/],
    ['an unknown user', '__proto__', { password: 'x' }, 400, /Authentication failed/],
    ['an expired password', 'old', { password: 'pw' }, 400, /^idp authentication failed$/],
    ['a missing passcode', 'tom', { password: 'pw' }, 400, /'totp' passcode parameter is required/],
    ['a wrong passcode', 'tom', { password: 'pw', totp: '000000' }, 400, /Invalid Passcode/],
    [
      'an unknown factor provider',
      'tom',
      { password: 'pw', totp: '123456', provider: 'duo' },
      400,
      /among the supported ones \[GOOGLE IDP\]/,
    ],
    [
      'a factor of another provider',
      'tom',
      { password: 'pw', totp: '123456', provider: 'idp' },
      400,
      /second factor/,
    ],
    ['a provider that is away', 'off', { password: 'pw' }, 502, /cannot be reached/],
  ])('is refused for %s', async (_, user, body, status, message) => {
    const { anyone, errors } = await setup()
    const answer = await anyone('POST', `${idp}/login/${user}`, body)
    expect(answer.status).toBe(status)
    expect(answer.body.errors[0]).toMatch(message)
    expect(errors).toEqual([])
  })
  it('takes a passcode', async () => {
    const { anyone } = await setup()
    expect(
      (await anyone('POST', `${idp}/login/tom`, { password: 'pw', totp: '123456', provider: 'google' }))
        .status,
    ).toBe(200)
  })
  it('bypasses the factor and an expired password where that is configured', async () => {
    const { anyone } = await setup({ bypass_idp_mfa: true })
    expect((await anyone('POST', `${idp}/login/tom`, { password: 'pw' })).status).toBe(200)
    expect((await anyone('POST', `${idp}/login/old`, { password: 'pw' })).status).toBe(200)
  })
  it('shows the number to choose while it waits, and forgets it afterwards', async () => {
    const { anyone, clock } = await setup()
    const answers = () =>
      Promise.all(
        ['n1', 'nonce/n1', 'n2'].map(async (nonce) => (await anyone('GET', `${idp}/verify/${nonce}`)).body),
      )
    const login = anyone('POST', `${idp}/login/pia`, { password: 'pw', nonce: 'n1' })
    await clock.advance(500)
    expect(await answers()).toMatchObject([
      { data: { correct_answer: 42 } },
      { data: { correct_answer: 42 } },
      { errors: [] },
    ])
    expect((await waiting(clock, login)).status).toBe(200)
    expect(await answers()).toMatchObject([{ errors: [] }, { errors: [] }, { errors: [] }])
  })
  it('needs a nonce for a number', async () => {
    const { anyone } = await setup()
    expect((await anyone('POST', `${idp}/login/pia`, { password: 'pw' })).body.errors[0]).toMatch(
      /nonce must be provided/,
    )
  })
  it('is denied when the push is rejected', async () => {
    const { anyone, clock } = await setup()
    const login = anyone('POST', `${idp}/login/rex`, { password: 'pw' })
    expect((await waiting(clock, login)).body.errors[0]).toMatch(/denied/)
  })
  it('is refused outside the bound networks before the provider is asked', async () => {
    const { anyone } = await setup({ token_bound_cidrs: '10.0.0.0/8' })
    expect((await anyone('POST', `${idp}/login/off`, { password: 'pw' })).status).toBe(403)
  })
  it('survives a provider that throws', async () => {
    const throwing = () => Promise.reject(new Error('broken'))
    const { ask, service, errors } = await client({
      idpProvider: { authenticate: throwing, verifyFactor: throwing, listGroups: throwing },
    })
    await ask('POST', `${idp}/config`, { org_name: 'acme' })
    expect((await asking(service, undefined)('POST', `${idp}/login/ada`, { password: 'pw' })).status).toBe(
      502,
    )
    expect(errors).toHaveLength(1)
  })
  it('is refused before there is a configuration', async () => {
    const { service } = await client()
    const answer = await asking(service, undefined)('POST', `${idp}/login/ada`, { password: 'pw' })
    expect(answer.body.errors).toEqual(['idp auth method not configured'])
  })
})

describe('renewal of a login', () => {
  const loggedIn = async () => {
    const made = await setup()
    const { body } = await made.anyone('POST', `${idp}/login/ada`, { password: 'hunter2' })
    return { ...made, self: asking(made.service, body.auth.client_token) }
  }
  it('goes by the present settings', async () => {
    const { ask, self } = await loggedIn()
    await ask('POST', `${idp}/config`, { org_name: 'acme', token_ttl: 60 })
    expect((await self('POST', '/v1/auth/token/renew-self', {})).body.auth.lease_duration).toBe(60)
  })
  it('is refused when the policies have changed', async () => {
    const { ask, self } = await loggedIn()
    await ask('POST', `${idp}/groups/dev`, { policies: 'web' })
    const answer = await self('POST', '/v1/auth/token/renew-self', {})
    expect([answer.status, answer.body.errors[0]]).toEqual([
      400,
      'failed to renew entry: policies have changed, not renewing',
    ])
  })
})

describe('other words for the method', () => {
  it('name its type, mount and fields', async () => {
    const { ask, service } = await client({
      idpWords: ['idp', 'okta'],
      idpProvider: scriptedProvider(script),
    })
    expect((await ask('POST', '/v1/sys/auth/okta', { type: 'okta' })).status).toBe(204)
    expect((await ask('POST', '/v1/auth/okta/config', { org_name: 'a', bypass_okta_mfa: true })).status).toBe(
      200,
    )
    expect((await ask('GET', '/v1/auth/okta/config')).body.data).toMatchObject({
      bypass_okta_mfa: true,
      bypass_idp_mfa: true,
    })
    const answer = await asking(service, undefined)('POST', '/v1/auth/okta/login/tom', {
      password: 'pw',
      provider: 'okta',
    })
    expect(answer.status).toBe(200)
  })
})
