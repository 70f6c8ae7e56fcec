import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { asking, type Client, client } from '../client.ts'

const oidc = '/v1/identity/oidc'
const wellKnown = `${oidc}/.well-known`

/** A service with a user, a key and a role, and the user's client. */
async function setup(key: object = { algorithm: 'ES256' }, role: object = {}) {
  const made = await client()
  const { ask, service } = made
  await ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
  await ask('PUT', '/v1/sys/policies/acl/ids', {
    policy: `path "identity/oidc/token/*" { capabilities = ["read"] }`,
  })
  await ask('POST', '/v1/auth/userpass/users/ada', { password: 'pw', token_policies: 'ids' })
  const { body } = await asking(service, undefined)('POST', '/v1/auth/userpass/login/ada', { password: 'pw' })
  const keyed = await ask('POST', `${oidc}/key/web`, { allowed_client_ids: '*', ...key })
  const given = await ask('POST', `${oidc}/role/web`, { key: 'web', client_id: 'shop', ttl: '1h', ...role })
  const entity: string = body.auth.entity_id
  return { ...made, keyed, given, entity, ada: asking(service, body.auth.client_token) }
}

const json = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
const read = (token: string) => {
  const [head, claims, signature] = token.split('.')
  return { head: json(head), claims: json(claims), signed: `${head}.${claims}`, signature: signature ?? '' }
}
const published = async (ask: Client['ask']) => (await ask('GET', `${wellKnown}/keys`)).body.keys
const tokenOf = async (ask: Client['ask']): Promise<string> =>
  (await ask('GET', `${oidc}/token/web`)).body.data.token
const introspect = async (ask: Client['ask'], token: string, more: object = {}) =>
  (await ask('POST', `${oidc}/introspect`, { token, ...more })).body
const refusal = (message: RegExp) => ({ status: 400, body: { errors: [expect.stringMatching(message)] } })

describe('an ID token', () => {
  it.each([
    ['RS256', 'sha256'],
    ['RS512', 'sha512'],
    ['ES256', 'sha256'],
    ['ES384', 'sha384'],
    ['ES512', 'sha512'],
    ['EdDSA', undefined],
  ])('is signed with %s, as the published key of its name verifies', async (algorithm, digest) => {
    const { ada, service } = await setup({ algorithm })
    const { head, signed, signature } = read(await tokenOf(ada))
    expect(head).toEqual({ alg: algorithm, kid: expect.any(String) })
    const keys: { kid: string }[] = await published(asking(service, undefined))
    const jwk = keys.find(({ kid }) => kid === head.kid)
    expect(jwk).toMatchObject({ use: 'sig', alg: algorithm })
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
    const bytes = Buffer.from(signature, 'base64url')
    expect(verify(digest, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, bytes)).toBe(true)
  })
  it('is about the entity of its caller, for the client of its role', async () => {
    const { ask, ada, entity, clock } = await setup()
    await ask('POST', `${oidc}/config`, { issuer: 'https://secrets.test:8200' })
    const { body } = await ada('GET', `${oidc}/token/web`)
    expect(body.data).toMatchObject({ client_id: 'shop', ttl: 3600 })
    const seconds = Math.floor(clock.now() / 1000)
    expect(read(body.data.token).claims).toEqual({
      iss: 'https://secrets.test:8200/v1/identity/oidc',
      sub: entity,
      aud: 'shop',
      iat: seconds,
      exp: seconds + 3600,
      namespace: 'root',
    })
  })
  it('has the claims of a template, but none that the protocol reserves', async () => {
    const template = `{ "who": {{identity.entity.name}}, "teams": {{identity.entity.groups.names}},
      "notes": {{ identity.entity.metadata }}, "nbf": {{time.now}}, "floor": {{identity.entity.metadata.floor}},
      {{identity.entity.metadata.claim}}: "taken" }`
    const { ask, ada, entity, given } = await setup(undefined, { template: btoa(template) })
    expect(given.status).toBe(204)
    const metadata = { floor: '"2', claim: 'sub' }
    await ask('POST', `/v1/identity/entity/id/${entity}`, { name: 'ada', metadata })
    await ask('POST', '/v1/identity/group', { name: 'ops', member_entity_ids: [entity] })
    const { claims } = read(await tokenOf(ada))
    expect(claims).toMatchObject({ who: 'ada', teams: ['ops'], notes: metadata, floor: '"2', sub: entity })
    expect((await ask('GET', `${oidc}/role/web`)).body.data.template).toBe(template)
  })
  it('is refused without an entity, without a role, and to roles that the key does not allow', async () => {
    const { ask, ada } = await setup()
    expect(await ask('GET', `${oidc}/token/web`)).toMatchObject(refusal(/no entity/))
    expect(await ada('GET', `${oidc}/token/none`)).toMatchObject(refusal(/role "none" not found/))
    await ask('POST', `${oidc}/key/web`, { allowed_client_ids: 'other' })
    expect(await ada('GET', `${oidc}/token/web`)).toMatchObject(refusal(/allowed client ID/))
  })
})

describe('introspection', () => {
  it('tells a valid token from a changed, expired or foreign one', async () => {
    const { ask, ada, clock } = await setup()
    const token = await tokenOf(ada)
    expect(await introspect(ask, token)).toEqual({ active: true })
    expect(await introspect(ask, token, { client_id: 'shop' })).toEqual({ active: true })
    expect(await introspect(ask, token, { client_id: 'other' })).toMatchObject({ active: false })
    const [head, claims, signature] = token.split('.')
    const admin = btoa(JSON.stringify({ ...json(claims), sub: 'root' })).replace(/=+$/, '')
    const none = btoa('{"alg":"none"}').replace(/=+$/, '')
    for (const forged of [`${head}.${admin}.${signature}`, `${none}.${claims}.`, 'x', `${head}.${claims}.`])
      expect(await introspect(ask, forged)).toMatchObject({ active: false, error: expect.any(String) })
    await ask('POST', `${oidc}/config`, { issuer: 'https://other.test' })
    expect(await introspect(ask, token)).toMatchObject({ active: false })
    await ask('POST', `${oidc}/config`, { issuer: '' })
    await clock.advance(3600_000 + 61_000)
    expect(await introspect(ask, token)).toMatchObject({ active: false })
  })
  it('knows a disabled and a deleted entity', async () => {
    const { ask, ada, entity } = await setup()
    const token = await tokenOf(ada)
    await ask('POST', `/v1/identity/entity/id/${entity}`, { disabled: true })
    expect(await introspect(ask, token)).toEqual({ active: false, error: 'entity is disabled' })
    await ask('DELETE', `/v1/identity/entity/id/${entity}`)
    expect(await introspect(ask, token)).toEqual({ active: false, error: 'entity was not found' })
  })
})

describe('a key', () => {
  it('is rotated when its time comes, to the pair that verifiers know already', async () => {
    const { ask, ada, clock } = await setup({ rotation_period: '1h', verification_ttl: '2h' })
    const [first, second] = await published(ask)
    const old = await tokenOf(ada)
    expect(read(old).head.kid).toBe(first.kid)
    await clock.advance(3600_000 + 2000)
    // Waits for the sweep that has begun.
    await ask('POST', '/v1/auth/token/tidy')
    expect(read(await tokenOf(ada)).head.kid).toBe(second.kid)
    const kids = (await published(ask)).map(({ kid }: { kid: string }) => kid)
    expect(kids).toContain(first.kid)
    expect(kids).toHaveLength(3)
    expect(await introspect(ask, old)).toEqual({ active: true })
    await clock.advance(2 * 3600_000)
    const later = (await published(ask)).map(({ kid }: { kid: string }) => kid)
    expect(later).not.toContain(first.kid)
  })
  it('that is rotated with a TTL of 0 revokes its tokens', async () => {
    const { ask, ada } = await setup()
    const token = await tokenOf(ada)
    expect((await ask('POST', `${oidc}/key/web/rotate`, { verification_ttl: 0 })).status).toBe(204)
    expect(await introspect(ask, token)).toMatchObject({ active: false })
    expect(await introspect(ask, await tokenOf(ada))).toEqual({ active: true })
  })
  it('keeps omitted settings, and its old public key when its algorithm changes', async () => {
    const { ask, ada } = await setup()
    const token = await tokenOf(ada)
    await ask('POST', `${oidc}/key/web`, { algorithm: 'EdDSA' })
    expect((await ask('GET', `${oidc}/key/web`)).body.data).toEqual({
      algorithm: 'EdDSA',
      allowed_client_ids: ['*'],
      rotation_period: 86_400,
      verification_ttl: 86_400,
    })
    expect(await introspect(ask, token)).toEqual({ active: true })
    expect(read(await tokenOf(ada)).head.alg).toBe('EdDSA')
  })
  it('shows no private part to anyone', async () => {
    const { ask, ada } = await setup({ algorithm: 'RS256' })
    await tokenOf(ada)
    const shown = JSON.stringify([await ask('GET', `${oidc}/key/web`), await published(ask)])
    expect(shown).not.toMatch(/private|"(?:d|p|q|dp|dq|qi)"/)
  })
  it('is refused with wrong settings, and not deleted while a role uses it', async () => {
    const { ask } = await setup()
    const write = (body: object) => ask('POST', `${oidc}/key/web`, body)
    expect(await write({ algorithm: 'HS256' })).toMatchObject(refusal(/unknown signing algorithm/))
    expect(await write({ rotation_period: 59 })).toMatchObject(refusal(/at least one minute/))
    expect(await write({ rotation_period: 60, verification_ttl: 601 })).toMatchObject(refusal(/10x/))
    expect(await write({ verification_ttl: '30m' })).toMatchObject(refusal(/referenced by one or more roles/))
    expect(await ask('DELETE', `${oidc}/key/web`)).toMatchObject(refusal(/referenced by these roles: web/))
    expect(await ask('POST', `${oidc}/key/none/rotate`)).toMatchObject(refusal(/no named key/))
    expect((await ask('DELETE', `${oidc}/role/web`)).status).toBe(204)
    expect((await ask('DELETE', `${oidc}/key/web`)).status).toBe(204)
    expect((await ask('GET', `${oidc}/key/web`)).status).toBe(404)
    expect(await published(ask)).toEqual([])
  })
})

describe('a role', () => {
  it('has a random client ID unless it is given one, and keeps it', async () => {
    const { ask } = await setup()
    await ask('POST', `${oidc}/role/app`, { key: 'web' })
    const first = (await ask('GET', `${oidc}/role/app`)).body.data
    expect(first).toEqual({
      client_id: expect.stringMatching(/^\w{26}$/),
      key: 'web',
      template: '',
      ttl: 86_400,
    })
    await ask('POST', `${oidc}/role/app`, { ttl: 60 })
    expect((await ask('GET', `${oidc}/role/app`)).body.data).toEqual({ ...first, ttl: 60 })
  })
  it.each([
    [{ key: '' }, /key parameter is required/],
    [{ key: 'none' }, /cannot find key "none"/],
    [{ ttl: '25h' }, /cannot be longer than the verification_ttl/],
    [{ template: '{"aud": "x"}' }, /"aud" not allowed/],
    [{ template: '{"a": "{{identity.entity.name}}"}' }, /template JSON/],
    [{ template: '{"a": {{identity.entity.policies}}}' }, /no parameter/],
    [{ template: '[1]' }, /template JSON/],
    [{ template: `{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}` }, /in each other/],
  ])('is refused with %j', async (body, message) => {
    expect((await setup(undefined, body)).given).toMatchObject(refusal(message))
  })
})

describe('a namespace', () => {
  it('has keys, roles and an issuer of its own, which end with it', async () => {
    const { ask, service } = await setup()
    await ask('POST', '/v1/sys/namespaces/team')
    const team = { 'X-Secrets-Namespace': 'team' }
    await ask('POST', `${oidc}/config`, { issuer: 'https://team.test' }, team)
    await ask('POST', `${oidc}/key/web`, { algorithm: 'EdDSA' }, team)
    await ask('POST', `${oidc}/role/web`, { key: 'web' }, team)
    const anyone = asking(service, undefined)
    const { body } = await anyone('GET', `${wellKnown}/openid-configuration`, undefined, team)
    expect(body).toMatchObject({
      issuer: 'https://team.test/v1/team/identity/oidc',
      jwks_uri: 'https://team.test/v1/team/identity/oidc/.well-known/keys',
    })
    const keys = (await anyone('GET', '/v1/team/identity/oidc/.well-known/keys')).body.keys
    expect(keys).toMatchObject([{ alg: 'EdDSA' }, { alg: 'EdDSA' }])
    await ask('DELETE', '/v1/sys/namespaces/team')
    await ask('POST', '/v1/sys/namespaces/team')
    expect((await ask('GET', `${oidc}/key/web`, undefined, team)).status).toBe(404)
    expect((await ask('GET', `${oidc}/config`, undefined, team)).body.data).toEqual({ issuer: '' })
  })
  it('refuses an issuer with a path', async () => {
    const { ask } = await setup()
    for (const issuer of [
      'https://a.test/x',
      'ftp://a.test',
      'a.test',
      'https://u@a.test',
      'https://a.test?x',
    ])
      expect(await ask('POST', `${oidc}/config`, { issuer })).toMatchObject(refusal(/invalid issuer/))
  })
})
