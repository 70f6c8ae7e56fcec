import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { authorizationAddress, exchangeCode, identityProvider, signIns } from '../../src/oidc/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { providerKey, signToken, testProvider } from '../support/identity-provider.ts'

const issuer = 'https://id.test'
const client = { clientId: 'plinth', clientSecret: 's:e c+r%et' }
const redirectUri = 'http://localhost:8250/oidc/callback'
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

function setup() {
  const clock = testClock()
  const remote = testProvider({
    issuer,
    now: clock.now,
    client: { id: 'plinth', secret: new URLSearchParams([['', client.clientSecret]]).toString().slice(1) },
  })
  remote.person = { sub: 'ada', groups: ['dev'] }
  const host = { fetch: remote.fetch, timers: clock.timers, crypto: nodeCrypto(), env: clock.env }
  const key = new Uint8Array(32).fill(7)
  const provider = identityProvider({ issuer }, host)
  const flows = signIns(host.crypto, clock.env, () => key, textOf)
  const start = (about = 'role') => {
    const { state, nonce, challenge } = flows.start(about)
    const address = authorizationAddress(`${issuer}/authorize`, {
      clientId: client.clientId,
      redirectUri,
      scopes: ['groups'],
      state,
      nonce,
      challenge,
    })
    return { state, address }
  }
  /** What a service does with the answer that a browser brought back. */
  const finish = async (back: URL, more: object = {}) => {
    const signIn = flows.read(back.searchParams.get('state') ?? '')
    if (signIn === undefined) return 'unknown state'
    const { id } = signIn
    const code = back.searchParams.get('code') ?? ''
    const given = { ...client, code, redirectUri, verifier: flows.verifierOf(id), nonce: flows.nonceOf(id) }
    const exchanged = await exchangeCode(provider, { ...given, algorithms: ['ES256'], ...more }, host)
    return exchanged.ok ? exchanged.value : exchanged.refusal.message
  }
  return { clock, remote, flows, start, finish }
}

describe('a sign-in', () => {
  it('asks for a code with state, nonce and a challenge of its own', () => {
    const { start } = setup()
    const [one, two] = [start(), start()].map(({ address }) => new URL(address).searchParams)
    expect(Object.fromEntries(one ?? [])).toMatchObject({
      response_type: 'code',
      client_id: 'plinth',
      redirect_uri: redirectUri,
      scope: 'openid groups',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect([one?.get(name), two?.get(name)].every((text) => (text?.length ?? 0) >= 43)).toBe(true)
    expect(one?.get('nonce')).not.toBe(two?.get('nonce'))
    expect(one?.get('code_challenge')).not.toBe(two?.get('code_challenge'))
  })
  it('gives the claims of the person', async () => {
    const { remote, start, finish } = setup()
    expect(await finish(await remote.signIn(start().address))).toMatchObject({ sub: 'ada', groups: ['dev'] })
  })
  it('is answered once: the provider takes back its code', async () => {
    const { remote, start, finish } = setup()
    const back = await remote.signIn(start().address)
    await finish(back)
    expect(await finish(back)).toBe('the provider refused the code: invalid_grant')
  })
  it('cannot be answered with the code of another sign-in', async () => {
    const { remote, start, finish } = setup()
    const [mine, other] = [await remote.signIn(start().address), await remote.signIn(start().address)]
    mine.searchParams.set('code', other.searchParams.get('code') ?? '')
    expect(await finish(mine)).toBe('the provider refused the code: invalid_grant')
  })
  it('has a state that is not forged, and not older than ten minutes', async () => {
    const { clock, flows, start } = setup()
    const { state } = start()
    expect(flows.read(state)?.about).toBe('role')
    for (const forged of ['', 'x', `${state}A`, state.slice(1), state.toUpperCase(), 'A'.repeat(100_000)])
      expect(flows.read(forged)).toBeUndefined()
    await clock.advance(599_999)
    expect(flows.read(state)).toBeDefined()
    await clock.advance(1)
    expect(flows.read(state)).toBeUndefined()
  })
  it('tells nothing of what it stores, and ends elsewhere as nothing', () => {
    const { start } = setup()
    const { state } = start('secret-role')
    expect(Buffer.from(state, 'base64url').toString('latin1')).not.toContain('secret-role')
    expect(setup().flows.read(state)?.about).toBe('secret-role')
    const other = signIns(nodeCrypto(), testClock().env, () => new Uint8Array(32), textOf)
    expect(other.read(state)).toBeUndefined()
  })
})

describe('the ID token of a sign-in is refused', () => {
  const at = (claims: object) => ({ iss: issuer, aud: 'plinth', sub: 'ada', ...claims })
  it.each<[string, object, RegExp]>([
    ['of another nonce', { nonce: 'other' }, /invalid nonce/],
    ['without a nonce', { nonce: undefined }, /invalid nonce/],
    ['of another client', { aud: 'other' }, /invalid audience/],
    ['of another client among several', { aud: ['plinth', 'other'], azp: 'other' }, /authorized party/],
    ['of another issuer', { iss: 'https://evil.test' }, /invalid issuer/],
    ['that has expired', { exp: 1 }, /token is expired/],
    ['without an end', { exp: undefined }, /no expiration time/],
  ])('%s', async (_title, claims, message) => {
    const { clock, remote, start, finish } = setup()
    const { address } = start()
    const seconds = clock.now() / 1000
    const nonce = new URL(address).searchParams.get('nonce')
    const back = await remote.signIn(address)
    const token = { ...at({ nonce, iat: seconds, exp: seconds + 60 }), ...claims }
    remote.instead.set('/token', () => Response.json({ id_token: signToken(providerKey('first'), token) }))
    expect(await finish(back)).toEqual(expect.stringMatching(message))
  })
  it('if the person signed in too long ago', async () => {
    const { clock, remote, start, finish } = setup()
    remote.person = { sub: 'ada', auth_time: clock.now() / 1000 - 3600 }
    const signedIn = () => remote.signIn(start().address)
    expect(await finish(await signedIn(), { maxAgeSeconds: 600 })).toMatch(/too long ago/)
    expect(await finish(await signedIn(), { maxAgeSeconds: 3600 })).toMatchObject({ sub: 'ada' })
  })
  it.each<[object, number, RegExp]>([
    [{ error: 'access_denied <script>' }, 400, /refused the code: no reason given$/],
    [{}, 200, /sent no ID token/],
    [{ id_token: 'a.b.c' }, 200, /malformed/],
  ])('for the answer %j', async (body, status, message) => {
    const { remote, start, finish } = setup()
    const back = await remote.signIn(start().address)
    remote.instead.set('/token', () => Response.json(body, { status }))
    expect(await finish(back)).toEqual(expect.stringMatching(message))
  })
  it('and the secret of the client is not sent after a redirect', async () => {
    const { remote, start, finish } = setup()
    const back = await remote.signIn(start().address)
    remote.instead.set('/token', () => Response.redirect(`${issuer}/elsewhere`, 307))
    expect(await finish(back)).toMatch(/redirects a POST/)
    expect(remote.asked).not.toContain('/elsewhere')
  })
})

describe('what the provider says about a person', () => {
  const withInfo = async (info: object) => {
    const { remote, start, finish } = setup()
    remote.instead.set('/.well-known/openid-configuration', () =>
      Response.json({
        issuer,
        jwks_uri: `${issuer}/keys`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/me`,
      }),
    )
    remote.instead.set('/me', (request) =>
      request.headers.get('authorization') === 'Bearer access'
        ? Response.json(info)
        : Response.json({}, { status: 401 }),
    )
    return finish(await remote.signIn(start().address))
  }
  it('is added to the claims, which have precedence', async () => {
    const claims = await withInfo({ sub: 'ada', email: 'ada@id.test', groups: ['admins'] })
    expect(claims).toMatchObject({ email: 'ada@id.test', groups: ['dev'] })
  })
  it('does not count for another person', async () => {
    expect(await withInfo({ sub: 'eve', email: 'eve@id.test' })).not.toHaveProperty('email')
  })
})

it('the challenge is the SHA-256 of the verifier', () => {
  const { flows } = setup()
  const { state, challenge } = flows.start('role')
  const verifier = flows.verifierOf(flows.read(state)?.id ?? '')
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge)
})
