import { describe, expect, it } from 'vitest'
import { createSecrets } from '../../../../src/secrets/index.ts'
import { memoryStore, type Store } from '../../../../src/store/index.ts'
import { testClock } from '../../../../src/testing/index.ts'
import {
  pemOf,
  privatePemOf,
  providerKey,
  signToken,
  signWithSecret,
  testProvider,
  unsignedToken,
} from '../../../support/identity-provider.ts'
import { asking, client } from '../client.ts'
import { secretsFaults } from '../whole.ts'

const issuer = 'https://id.test'
const jwt = '/v1/auth/jwt'
const errors = (message: string | RegExp) => ({
  status: 400,
  body: { errors: [typeof message === 'string' ? message : expect.stringMatching(message)] },
})
const callbackUri = 'http://localhost:8250/oidc/callback'

/** A service with a provider, and a method that knows it. */
async function setup({
  type = 'jwt',
  config = {},
  role = {},
  store,
}: {
  type?: string
  config?: object
  role?: object
  store?: Store | undefined
} = {}) {
  const clock = testClock()
  const id = { id: 'plinth', secret: 's3cret' }
  const provider = testProvider({ issuer, now: clock.now, client: id, keys: [providerKey('first', 'RS256')] })
  const made = await client({ env: clock.env, timers: clock.timers, fetch: provider.fetch, store })
  const { ask } = made
  await ask('POST', '/v1/sys/auth/jwt', { type })
  const written = await ask('POST', `${jwt}/config`, {
    oidc_discovery_url: issuer,
    bound_issuer: issuer,
    default_role: 'ci',
    ...config,
  })
  await ask('POST', `${jwt}/role/ci`, {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_claims: { repository: 'acme/web' },
    token_policies: 'deploy',
    ...role,
  })
  const anyone = asking(made.service, undefined)
  const login = (token: string, more: object = {}) => anyone('POST', `${jwt}/login`, { jwt: token, ...more })
  const token = (claims: object = {}) => provider.token({ sub: 'ada', repository: 'acme/web', ...claims })
  return { ...made, clock, provider, written, anyone, login, token }
}

describe('the configuration of a jwt method', () => {
  it('is written, and read without the secret of the client', async () => {
    const { ask, written } = await setup({
      config: { oidc_client_id: 'plinth', oidc_client_secret: 's3cret' },
    })
    expect(written).toMatchObject({ status: 204 })
    const { body, text } = await ask('GET', `${jwt}/config`)
    expect(body.data).toMatchObject({
      oidc_discovery_url: issuer,
      oidc_client_id: 'plinth',
      default_role: 'ci',
      bound_issuer: issuer,
      jwt_validation_pubkeys: [],
    })
    expect(text).not.toContain('s3cret')
  })
  it.each([
    [{}, /^exactly one of/],
    [
      { jwt_validation_pubkeys: ['nonsense'] },
      /^error parsing public key: number 1 of 'jwt_validation_pubkeys'/,
    ],
    [
      { jwt_validation_pubkeys: [privatePemOf(providerKey('first'))] },
      /^error parsing public key: number 1 of 'jwt_validation_pubkeys'/,
    ],
    [
      { jwks_url: 'https://id.test/none' },
      /^error checking jwks URL: https:\/\/id\.test answered with status 404/,
    ],
    [{ oidc_discovery_url: 'https://id.test/other' }, /^error checking oidc discovery URL/],
    [
      { jwks_url: 'https://id.test/keys', jwks_ca_pem: 'x' },
      /^'jwks_ca_pem' is not supported: start the server with NODE_EXTRA_CA_CERTS/,
    ],
    [
      { oidc_discovery_url: issuer, oidc_response_mode: 'form_post' },
      /^'oidc_response_mode' is not supported/,
    ],
    [
      { oidc_discovery_url: issuer, oidc_response_types: 'id_token' },
      /^'oidc_response_types' is not supported/,
    ],
    [
      { oidc_discovery_url: issuer, provider_config: { provider: 'azure' } },
      /^'provider_config' is not supported/,
    ],
    [{ jwks_url: 'https://id.test/keys', jwt_supported_algs: 'HS256' }, /"HS256" is not one of/],
  ])('%j is refused, and changes nothing', async (body, message) => {
    const { ask } = await setup()
    const before = (await ask('GET', `${jwt}/config`)).body.data
    expect(await ask('POST', `${jwt}/config`, body)).toMatchObject(errors(message))
    expect((await ask('GET', `${jwt}/config`)).body.data).toEqual(before)
  })
  it('is written with a warning while the provider is down, if asked to', async () => {
    const { ask, provider, login, token, clock } = await setup()
    provider.instead.set('/keys', () => new Response('', { status: 503 }))
    const config = { jwks_url: 'https://id.test/keys', skip_jwks_validation: true }
    expect(await ask('POST', `${jwt}/config`, config)).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringMatching(/^error checking jwks URL/)] },
    })
    expect(await login(token(), { role: 'ci' })).toMatchObject({ status: 502 })
    provider.instead.clear()
    await clock.advance(10_000)
    expect(await login(token(), { role: 'ci' })).toMatchObject({ status: 200 })
  })
  it('needs a token, as the roles do', async () => {
    const { anyone } = await setup()
    for (const [method, path] of [
      ['GET', 'config'],
      ['POST', 'config'],
      ['LIST', 'role'],
      ['GET', 'role/ci'],
      ['POST', 'role/ci'],
      ['DELETE', 'role/ci'],
    ] as const)
      expect((await anyone(method, `${jwt}/${path}`, method === 'POST' ? {} : undefined)).status).toBe(403)
  })
})

describe('the roles of a jwt method', () => {
  it('are written, read, listed and deleted', async () => {
    const { ask } = await setup()
    expect((await ask('GET', `${jwt}/role/CI`)).body.data).toEqual({
      role_type: 'jwt',
      bound_audiences: null,
      bound_subject: '',
      bound_claims_type: 'string',
      bound_claims: { repository: 'acme/web' },
      claim_mappings: null,
      user_claim: 'sub',
      user_claim_json_pointer: false,
      groups_claim: '',
      oidc_scopes: null,
      allowed_redirect_uris: null,
      callback_mode: 'client',
      verbose_oidc_logging: false,
      expiration_leeway: 0,
      not_before_leeway: 0,
      clock_skew_leeway: 0,
      max_age: 0,
      token_bound_cidrs: [],
      token_explicit_max_ttl: 0,
      token_max_ttl: 0,
      token_no_default_policy: false,
      token_num_uses: 0,
      token_period: 0,
      token_policies: ['deploy'],
      token_ttl: 0,
      token_type: 'default',
    })
    expect((await ask('LIST', `${jwt}/role`)).body.data.keys).toEqual(['ci'])
    expect((await ask('DELETE', `${jwt}/role/ci`)).status).toBe(204)
    expect((await ask('GET', `${jwt}/role/ci`)).status).toBe(404)
  })
  it.each([
    [
      { role_type: 'jwt', user_claim: 'sub' },
      'must have at least one bound constraint when creating/updating a role',
    ],
    [{ user_claim: 'sub' }, "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified."],
    [{ role_type: 'jwt', bound_subject: 'x' }, 'a user claim must be defined on the role'],
    [
      { role_type: 'jwt', user_claim: 'sub', bound_subject: 'x', callback_mode: 'device' },
      "invalid 'callback_mode': device",
    ],
    [{ role_type: 'jwt', user_claim: 'sub', bound_claims: 'x' }, /bound_claims/],
    [{ role_type: 'jwt', user_claim: 'sub', bound_claims: { a: { b: 1 } } }, /bound_claims/],
  ])('%j is refused', async (body, message) => {
    const { ask } = await setup()
    expect(await ask('POST', `${jwt}/role/new`, body)).toMatchObject(errors(message))
    expect((await ask('GET', `${jwt}/role/new`)).status).toBe(404)
  })
})

describe('a login with a token', () => {
  it('gives a token with the policies of the role, the entity of the user, and mapped claims', async () => {
    const { ask, login, token } = await setup({ role: { claim_mappings: { ref: 'branch' } } })
    const { body } = await login(token({ ref: 'main' }), { role: 'ci' })
    expect(body.auth).toMatchObject({
      policies: ['default', 'deploy'],
      metadata: { role: 'ci', branch: 'main' },
      renewable: true,
    })
    const found = await ask('POST', '/v1/auth/token/lookup', { token: body.auth.client_token })
    expect(found.body.data).toMatchObject({ display_name: 'jwt-ada', path: 'auth/jwt/login' })
    const again = await login(token({ ref: 'other' }))
    expect(again.body.auth.entity_id).toBe(body.auth.entity_id)
  })
  it('joins the groups of the provider', async () => {
    const { ask, login, token, service } = await setup({ role: { groups_claim: 'groups' } })
    await ask('POST', '/v1/sys/policies/acl/operate', {
      policy: 'path "secret/data/plan" { capabilities = ["read"] }',
    })
    const group = { name: 'ops', type: 'external', policies: ['operate'] }
    const made = await ask('POST', '/v1/identity/group', group)
    const mounts = (await ask('GET', '/v1/sys/auth')).body.data
    const alias = { name: 'ops', mount_accessor: mounts['jwt/'].accessor, canonical_id: made.body.data.id }
    await ask('POST', '/v1/identity/group-alias', alias)
    const { client_token } = (await login(token({ groups: ['ops'] }))).body.auth
    const operate = () => asking(service, client_token)('GET', '/v1/secret/data/plan')
    expect((await operate()).status).toBe(404)
    await login(token({ groups: ['dev'] }))
    expect((await operate()).status).toBe(403)
  })
  it('joins and leaves 70 groups at once, more than one commit writes', async () => {
    const { ask, login, token } = await setup({ role: { groups_claim: 'groups' } })
    const { accessor } = (await ask('GET', '/v1/sys/auth')).body.data['jwt/']
    const names = Array.from({ length: 70 }, (_, at) => `team-${at}`)
    for (const name of names)
      await ask('POST', '/v1/identity/group-alias', { name, mount_accessor: accessor })
    const joined = async (groups: readonly string[]) => {
      const { entity_id } = (await login(token({ groups }))).body.auth
      return (await ask('GET', `/v1/identity/entity/id/${entity_id}`)).body.data.direct_group_ids.length
    }
    expect(await joined(names)).toBe(70)
    expect(await joined(['TEAM-3'])).toBe(1)
  })
  it.each<[string, (it: Awaited<ReturnType<typeof setup>>) => string, RegExp]>([
    ['that is missing', () => '', /^missing token$/],
    [
      'of another repository',
      ({ token }) => token({ repository: 'eve/web' }),
      /^error validating claims: claim "repository" does not match/,
    ],
    ['of another issuer', ({ token }) => token({ iss: 'https://evil.test' }), /invalid issuer \(iss\) claim/],
    [
      'that has expired',
      ({ token, clock }) => token({ exp: clock.now() / 1000 - 61, iat: 1 }),
      /token is expired/,
    ],
    [
      'that is not valid yet',
      ({ token, clock }) => token({ nbf: clock.now() / 1000 + 61 }),
      /token not yet valid/,
    ],
    [
      'for somebody else',
      ({ token }) => token({ aud: 'other' }),
      /^audience claim found in JWT but no audiences bound/,
    ],
    ['signed by another', () => signToken(providerKey('evil', 'RS256'), { sub: 'ada' }), /no known key/],
    [
      'with the name of a known key',
      () => signToken(providerKey('evil', 'RS256'), { sub: 'ada' }, { kid: 'first' }),
      /no known key/,
    ],
    ['without a signature', () => unsignedToken({ sub: 'ada' }), /signed with "none"/],
    [
      'signed with the public key as secret',
      ({ provider }) => signWithSecret(pemOf(provider.keys[0] ?? providerKey('first')), { sub: 'ada' }),
      /signed with "HS256"/,
    ],
    [
      'that nests deeply',
      ({ token }) => token({ a: JSON.parse('['.repeat(500) + ']'.repeat(500)) }),
      /malformed/,
    ],
    ['that is no token', () => 'hunter2', /three parts/],
  ])('%s is refused', async (_title, tokenOf, message) => {
    const it = await setup()
    const refused = await it.login(tokenOf(it))
    expect(refused).toMatchObject(errors(message))
    expect(it.errors).toEqual([])
  })
  it('of a megabyte is not read', async () => {
    const { login, token } = await setup()
    const refused = await login(token({ filler: 'x'.repeat(1_000_000) }))
    expect(refused).toMatchObject({ status: 413 })
  })
  it('names its role, or takes the default one', async () => {
    const { ask, login, token } = await setup({ config: { default_role: '' } })
    expect(await login(token())).toMatchObject(errors('missing role'))
    expect(await login(token(), { role: 'none' })).toMatchObject(errors('role "none" could not be found'))
    expect((await login(token(), { role: 'CI' })).status).toBe(200)
    await ask('POST', `${jwt}/role/people`, { user_claim: 'sub', allowed_redirect_uris: callbackUri })
    expect(await login(token(), { role: 'people' })).toMatchObject(
      errors('role with oidc role_type is not allowed'),
    )
    await ask('POST', '/v1/sys/auth/empty', { type: 'jwt' })
    const empty = await ask('POST', '/v1/auth/empty/login', { jwt: token(), role: 'ci' })
    expect(empty).toMatchObject(errors('could not load configuration'))
  })
  it('works with keys in PEM, and with a key set', async () => {
    const { ask, login, token } = await setup()
    const pem = pemOf(providerKey('first', 'RS256'))
    for (const config of [
      { jwt_validation_pubkeys: [pem] },
      { jwt_validation_pubkeys: pem },
      { jwks_url: `${issuer}/keys` },
    ]) {
      await ask('POST', `${jwt}/config`, config)
      expect((await login(token(), { role: 'ci' })).status).toBe(200)
    }
    await ask('POST', `${jwt}/config`, { jwks_url: `${issuer}/keys`, jwt_supported_algs: 'ES256' })
    expect(await login(token(), { role: 'ci' })).toMatchObject(
      errors(/signed with "RS256": accepted are ES256/),
    )
  })
  it('works for a day while the provider is down, and its keys can be replaced', async () => {
    const { clock, provider, login, token } = await setup()
    await login(token())
    for (const path of ['/keys', '/.well-known/openid-configuration'])
      provider.instead.set(path, () => Promise.reject(new Error('down')))
    await clock.advance(3_600_000)
    expect((await login(token())).status).toBe(200)
    provider.instead.clear()
    await clock.advance(10_000)
    provider.keys = [providerKey('second', 'RS256')]
    expect((await login(token())).status).toBe(200)
  })
  it('does not hold other requests while the keys are slow', async () => {
    const { clock, ask, provider, login, token } = await setup()
    provider.instead.set('/keys', () => new Promise<Response>(() => {}))
    const slow = login(token())
    expect((await ask('GET', '/v1/sys/health')).status).toBe(200)
    await clock.advance(10_000)
    expect(await slow).toMatchObject({
      status: 502,
      body: { errors: ['the identity provider cannot be asked: https://id.test did not answer within 10 s'] },
    })
  })
  it('is bound to networks, before the provider is asked', async () => {
    const { login, token, provider } = await setup({ role: { token_bound_cidrs: '10.0.0.0/8' } })
    expect((await login(token())).status).toBe(403)
    expect(provider.asked).not.toContain('/keys')
  })
  it('is renewed while its role exists', async () => {
    const { ask, login, token, service } = await setup({ role: { token_ttl: '1h' } })
    const { client_token } = (await login(token())).body.auth
    const renew = () => asking(service, client_token)('POST', '/v1/auth/token/renew-self', {})
    expect((await renew()).body.auth.lease_duration).toBe(3600)
    await ask('DELETE', `${jwt}/role/ci`)
    expect(await renew()).toMatchObject(errors('role ci does not exist during renewal'))
  })
})

describe('a sign-in with a browser', () => {
  const browser = async (store?: Store) => {
    const all = await setup({
      store,
      type: 'oidc',
      config: { oidc_client_id: 'plinth', oidc_client_secret: 's3cret' },
      role: {
        role_type: 'oidc',
        bound_claims: {},
        allowed_redirect_uris: callbackUri,
        groups_claim: 'groups',
      },
    })
    all.provider.person = { sub: 'ada', groups: ['dev'] }
    const start = async (more: object = {}) =>
      (await all.anyone('POST', `${jwt}/oidc/auth_url`, { redirect_uri: callbackUri, ...more })).body
    const callback = (back: URL, more: Record<string, string> = {}) =>
      all.anyone(
        'GET',
        `${jwt}/oidc/callback?${new URLSearchParams({ ...Object.fromEntries(back.searchParams), ...more })}`,
      )
    return { ...all, start, callback }
  }
  it('starts at the provider with PKCE, state and nonce, and ends with a token', async () => {
    const { start, callback, provider } = await browser()
    const address = (await start()).data.auth_url
    expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256')
    const { status, body } = await callback(await provider.signIn(address))
    expect([status, body.auth.policies, body.auth.metadata]).toEqual([
      200,
      ['default', 'deploy'],
      { role: 'ci' },
    ])
  })
  it('is started by any caller, without anything that the service has to keep', async () => {
    const store = memoryStore()
    const { ask } = await client({ store, fetch: () => Promise.reject(new Error('down')) })
    await ask('POST', '/v1/sys/auth/jwt', { type: 'oidc' })
    const head = await store.head()
    const refused = await ask('POST', `${jwt}/oidc/auth_url`, { redirect_uri: callbackUri, role: 'x' })
    expect(refused).toMatchObject(errors('could not load configuration'))
    expect(await store.head()).toBe(head)
  })
  it('is answered once', async () => {
    const { start, callback, provider, clock } = await browser()
    const back = await provider.signIn((await start()).data.auth_url)
    expect((await callback(back)).status).toBe(200)
    expect(await callback(back)).toMatchObject(errors(/refused the code: invalid_grant/))
    // Even by a provider that gives another code for the same sign-in.
    const again = await provider.signIn((await start()).data.auth_url)
    const { address } = { address: (await start()).data.auth_url }
    const [first, second] = [await provider.signIn(address), await provider.signIn(address)]
    expect((await callback(first)).status).toBe(200)
    expect(await callback(second)).toMatchObject(errors('login failed: expired or missing OAuth state'))
    await clock.advance(600_000)
    expect(await callback(again)).toMatchObject(errors('login failed: expired or missing OAuth state'))
  })
  it('is answered once, also by a server whose clock is behind', async () => {
    const store = memoryStore()
    const { start, callback, provider, clock, unsealKeys } = await browser(store)
    const behind = createSecrets({
      store,
      env: () => ({ ...clock.env(), now: clock.now() - 5000 }),
      timers: clock.timers,
      fetch: provider.fetch,
    })
    for (const key of unsealKeys) await behind.seal.unseal(key)
    const address = (await start()).data.auth_url
    const [first, second] = [await provider.signIn(address), await provider.signIn(address)]
    expect((await callback(first)).status).toBe(200)
    await clock.advance(602_000)
    const again = await asking(behind, undefined)('GET', `${jwt}/oidc/callback${second.search}`)
    expect(again).toMatchObject(errors('login failed: expired or missing OAuth state'))
    await behind.close()
  })
  it.each([
    ['a forged state', { state: 'forged' }, 'login failed: expired or missing OAuth state'],
    ['no state', { state: '' }, 'login failed: expired or missing OAuth state'],
    ['no code', { code: '' }, 'login failed: no code received from the identity provider'],
    [
      'a forged code',
      { code: 'forged' },
      'error validating token: the provider refused the code: invalid_grant',
    ],
    [
      'an error of the provider',
      { error: 'access_denied' },
      'login failed: the identity provider answered access_denied',
    ],
    ['a forged error', { error: '<script>' }, 'login failed: the identity provider answered with an error'],
  ])('with %s is refused', async (_title, more, message) => {
    const { start, callback, provider } = await browser()
    const back = await provider.signIn((await start()).data.auth_url)
    expect(await callback(back, more)).toMatchObject(errors(message))
  })
  it('belongs to its mount, and to the caller that knows its nonce', async () => {
    const { ask, start, callback, provider, anyone } = await browser()
    const back = await provider.signIn((await start({ client_nonce: 'n0nce' })).data.auth_url)
    expect(await callback(back)).toMatchObject(errors('invalid client_nonce'))
    expect(await callback(back, { client_nonce: 'other' })).toMatchObject(errors('invalid client_nonce'))
    await ask('POST', '/v1/sys/auth/twin', { type: 'oidc' })
    await ask('POST', '/v1/auth/twin/config', {
      oidc_discovery_url: issuer,
      oidc_client_id: 'plinth',
      oidc_client_secret: 's3cret',
    })
    const elsewhere = await anyone('GET', `/v1/auth/twin/oidc/callback${back.search}&client_nonce=n0nce`)
    expect(elsewhere).toMatchObject(errors('login failed: expired or missing OAuth state'))
    expect((await callback(back, { client_nonce: 'n0nce' })).status).toBe(200)
  })
  it('has no address for a redirect that the role does not allow', async () => {
    const { start } = await browser()
    const refused = await start({ redirect_uri: 'https://evil.test/' })
    expect(refused).toMatchObject({
      data: { auth_url: '' },
      warnings: [expect.stringContaining('redirect_uri')],
    })
    expect((await start({ redirect_uri: 'http://localhost:1/oidc/callback' })).data.auth_url).toMatch(
      /^https:\/\/id/,
    )
    expect(await start({ redirect_uri: '' })).toEqual({ errors: ['missing redirect_uri'] })
  })
  it('is not for methods without a client', async () => {
    const { anyone } = await setup()
    const refused = await anyone('POST', `${jwt}/oidc/auth_url`, { redirect_uri: callbackUri })
    expect(refused).toMatchObject(errors('OIDC login is not configured for this mount'))
  })
  it('checks the claims of the person', async () => {
    const { start, callback, provider, ask } = await browser()
    await ask('POST', `${jwt}/role/ci`, { bound_claims: { groups: ['ops'] } })
    const back = await provider.signIn((await start()).data.auth_url)
    expect(await callback(back)).toMatchObject(errors(/claim "groups" does not match/))
  })
  it('says so if the provider does not answer', async () => {
    const { start, provider, clock } = await browser()
    provider.instead.set('/.well-known/openid-configuration', () => new Response('', { status: 500 }))
    await clock.advance(86_400_000)
    expect(await start()).toEqual({
      errors: [expect.stringContaining('the identity provider cannot be asked')],
    })
  })
})

it('a removed mount leaves nothing of the method', async () => {
  const store = memoryStore()
  const clock = testClock()
  const provider = testProvider({ issuer, now: clock.now })
  const { ask, service, unsealKeys } = await client({
    store,
    fetch: provider.fetch,
    env: clock.env,
    timers: clock.timers,
  })
  await ask('POST', '/v1/sys/auth/jwt', { type: 'jwt' })
  await ask('POST', `${jwt}/config`, { oidc_discovery_url: issuer })
  await ask('POST', `${jwt}/role/ci`, { role_type: 'jwt', user_claim: 'sub', bound_subject: 'ada' })
  await ask('DELETE', '/v1/sys/auth/jwt')
  await clock.advance(60_000)
  await service.close()
  expect(await secretsFaults(store, unsealKeys)).toEqual([])
})
