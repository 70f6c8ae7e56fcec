import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createRegistry, type RegistryOptions } from '../../src/registry/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { ask, read } from '../client.ts'
import { type Person, providerKey, testProvider } from '../support/identity-provider.ts'
import { tarGz } from './archive/archives.ts'

const issuer = 'https://id.test'
const audience = 'https://modules.test'
const redirectUri = 'http://localhost:10000/login'

function setup(options: RegistryOptions = {}) {
  const clock = testClock()
  const client = { id: 'plinth-registry', secret: 's3cret' }
  const provider = testProvider({ issuer, now: clock.now, client, keys: [providerKey('first', 'RS256')] })
  const registry = createRegistry({
    env: clock.env,
    timers: clock.timers,
    fetch: provider.fetch,
    baseUrl: 'https://modules.test',
    oidc: {
      issuer,
      clientId: client.id,
      clientSecret: client.secret,
      groups: { platform: ['acme', 'infra'], everything: ['*'], readers: [] },
    },
    ...options,
  })
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const query = (more: object = {}) =>
    new URLSearchParams({
      response_type: 'code',
      client_id: 'plinth',
      redirect_uri: redirectUri,
      state: 'of-terraform',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...more,
    })
  const authorize = (more: object = {}) => ask(registry, `GET /plinth/v1/login/authorize?${query(more)}`)
  /** Sends the browser to the provider and back to the registry. */
  const browse = async (change: (back: URL) => void = () => {}) => {
    const back = await provider.signIn((await authorize()).headers.get('location') ?? '')
    change(back)
    return ask(registry, `GET ${back.pathname}${back.search}`)
  }
  const exchange = (code: string | null, more: object = {}) =>
    ask(registry, 'POST /plinth/v1/login/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'plinth',
        redirect_uri: redirectUri,
        code: code ?? '',
        code_verifier: verifier,
        ...more,
      }).toString(),
    })
  const codeOf = (answer: Awaited<ReturnType<typeof browse>>) =>
    new URL(answer.headers.get('location') ?? '').searchParams.get('code')
  const logIn = async (person: Person) => {
    provider.person = person
    return exchange(codeOf(await browse()))
  }
  const publish = async (token: string, namespace: string) =>
    read(
      await registry.fetch(
        new Request(`https://modules.test/v1/modules/${namespace}/vpc/aws/1.0.0`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
          body: tarGz({ path: 'main.tf', text: 'variable "a" {}' }),
        }),
      ),
    )
  return { clock, provider, registry, authorize, browse, exchange, codeOf, logIn, publish }
}
const refused = (status: number, message: string | RegExp) => ({
  status,
  body: { errors: [typeof message === 'string' ? message : expect.stringMatching(message)] },
})

describe('terraform login', () => {
  it('is in the discovery document', async () => {
    const { registry } = setup()
    const { body } = await ask(registry, 'GET /.well-known/terraform.json')
    expect(body['login.v1']).toEqual({
      client: 'plinth',
      grant_types: ['authz_code'],
      authz: 'https://modules.test/plinth/v1/login/authorize',
      token: 'https://modules.test/plinth/v1/login/token',
      ports: [10_000, 10_010],
    })
  })
  it('gives a token for a day, with the namespaces of the groups', async () => {
    const { clock, logIn, publish, registry } = setup()
    const { status, body, headers } = await logIn({
      sub: 'ada',
      email: 'ada@example.com',
      groups: ['platform', 'x'],
    })
    expect([status, body.token_type, body.expires_in]).toEqual([200, 'bearer', 86_400])
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await publish(body.access_token, 'acme')).status).toBe(201)
    expect((await publish(body.access_token, 'other')).status).toBe(403)
    expect(await registry.listTokens()).toMatchObject([
      { name: 'ada-example.com', namespaces: ['acme', 'infra'] },
    ])
    await clock.advance(86_400_000)
    expect((await publish(body.access_token, 'acme')).status).toBe(401)
  })
  it('ends at the page of its console, and of no other host', async () => {
    const { authorize, registry } = setup({ consoleUrl: () => 'https://console.test/ui/' })
    const at = (redirect_uri: string) => authorize({ redirect_uri })
    expect((await at('https://console.test/ui/sign-in')).status).toBe(302)
    for (const other of [
      'https://console.test/ui/other',
      'https://console.test/ui/sign-in?x=1',
      'https://console.test.evil/ui/sign-in',
      'https://evil.test/sign-in',
      'javascript:alert(1)',
    ])
      expect(await at(other)).toMatchObject(
        refused(400, /^redirect_uri must be .*, or https:\/\/console\.test\/ui\/sign-in$/),
      )
    await registry.close()
    expect((await setup().authorize({ redirect_uri: 'https://console.test/sign-in' })).status).toBe(400)
  })
  it('gives what each group allows', async () => {
    const all = setup()
    const everywhere = (await all.logIn({ sub: 'eve', groups: 'everything' })).body.access_token
    expect((await all.publish(everywhere, 'other')).status).toBe(201)
    const reader = (await all.logIn({ sub: 'bob', groups: ['readers'] })).body.access_token
    expect((await all.publish(reader, 'acme')).status).toBe(403)
  })
  it.each([[['strangers']], [[]], [undefined], [['toString', '__proto__']], [{ platform: true }]])(
    'is not for members of %j',
    async (groups) => {
      const { provider, browse } = setup()
      provider.person = { sub: 'mallory', groups }
      expect(await browse()).toMatchObject(refused(403, /^you are in no group that may use this registry/))
    },
  )
  it('ends at the command line if the person does not agree', async () => {
    const { browse, provider } = setup()
    provider.person = undefined
    const { status, headers } = await browse()
    expect([status, headers.get('location')]).toEqual([
      302,
      `${redirectUri}?error=access_denied&state=of-terraform`,
    ])
  })
  it.each([
    [{ response_type: 'token' }, /response_type must be code/],
    [{ client_id: 'other' }, /client_id must be plinth/],
    [{ redirect_uri: 'https://evil.test/login' }, /redirect_uri must be an http address of this host/],
    [{ redirect_uri: 'http://localhost.evil.test:10000/' }, /redirect_uri must be/],
    [{ redirect_uri: 'javascript:alert(1)' }, /redirect_uri must be/],
    [{ code_challenge_method: 'plain' }, /PKCE/],
    [{ code_challenge: 'short' }, /PKCE/],
    [{ state: 'x'.repeat(2000) }, /too long/],
  ])('does not start with %j', async (more, message) => {
    expect(await setup().authorize(more)).toMatchObject(refused(400, message))
  })
  it.each<[string, (back: URL) => void]>([
    ['a forged state', (back) => back.searchParams.set('state', 'forged')],
    ['the state of the command line', (back) => back.searchParams.set('state', 'of-terraform')],
    ['no state', (back) => back.searchParams.delete('state')],
    ['a forged code', (back) => back.searchParams.set('code', 'forged')],
  ])('is not answered with %s', async (_title, change) => {
    const { provider, browse } = setup()
    provider.person = { sub: 'ada', groups: ['platform'] }
    expect((await browse(change)).status).toBe(400)
  })
  it('is not answered with the code of another login, which goes on', async () => {
    const { provider, registry, authorize } = setup()
    provider.person = { sub: 'ada', groups: ['platform'] }
    const back = async () => provider.signIn((await authorize()).headers.get('location') ?? '')
    const [one, other] = [await back(), await back()]
    one.searchParams.set('state', other.searchParams.get('state') ?? '')
    expect(await ask(registry, `GET ${one.pathname}${one.search}`)).toMatchObject(
      refused(400, /refused the code/),
    )
    expect((await ask(registry, `GET ${other.pathname}${other.search}`)).status).toBe(302)
  })
  it.each([
    [{ nonce: 'of another login' }, /invalid nonce/],
    [{ aud: 'another-client' }, /invalid audience/],
    [{ iss: 'https://evil.test' }, /invalid issuer/],
  ])('is refused if the provider answers with an ID token of %j', async (wrong, message) => {
    const { provider, browse, registry } = setup()
    provider.person = { sub: 'ada', groups: ['platform'], ...wrong }
    expect(await browse()).toMatchObject(refused(400, message))
    expect(await registry.listTokens()).toEqual([])
  })
  it('is answered once, by the browser and by the command line', async () => {
    const { provider, registry, authorize, exchange, codeOf } = setup()
    provider.person = { sub: 'ada', groups: ['platform'] }
    const address = (await authorize()).headers.get('location') ?? ''
    const [first, second] = [await provider.signIn(address), await provider.signIn(address)]
    const answer = await ask(registry, `GET ${first.pathname}${first.search}`)
    expect(await ask(registry, `GET ${second.pathname}${second.search}`)).toMatchObject(
      refused(400, /answered before/),
    )
    const code = codeOf(answer)
    const [one, two] = await Promise.all([exchange(code), exchange(code)])
    expect([one.status, two.status].sort()).toEqual([200, 400])
    expect(await exchange(code)).toMatchObject(refused(400, /answered before/))
    expect(await registry.listTokens()).toHaveLength(1)
  })
  it.each([
    [{ code_verifier: 'x'.repeat(43) }, /code_verifier does not match/],
    [{ redirect_uri: 'http://localhost:10001/login' }, /redirect_uri is not the one of the login/],
    [{ code: 'forged' }, /has ended/],
    [{ client_id: 'other' }, /client_id/],
    [{ grant_type: 'password' }, /grant_type/],
  ])('gives no token for %j', async (more, message) => {
    const { provider, browse, exchange, codeOf, registry } = setup()
    provider.person = { sub: 'ada', groups: ['platform'] }
    const code = codeOf(await browse())
    const answer = await exchange(code, more)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).toMatch(message)
    expect(await registry.listTokens()).toEqual([])
    expect((await exchange(code)).status).toBe(200)
  })
  it('has a code for a minute', async () => {
    const { clock, provider, browse, exchange, codeOf } = setup()
    provider.person = { sub: 'ada', groups: ['platform'] }
    const code = codeOf(await browse())
    await clock.advance(60_000)
    expect(await exchange(code)).toMatchObject(refused(400, /has ended/))
  })
  it('says so while the provider is down, and nothing else waits', async () => {
    const { provider, authorize, registry } = setup()
    provider.instead.set('/.well-known/openid-configuration', () => new Response('', { status: 500 }))
    expect(await authorize()).toMatchObject(refused(502, /answered with status 500/))
    expect((await ask(registry, 'GET /v1/modules')).status).toBe(200)
  })
  it('is unknown to a registry without a provider', async () => {
    const registry = createRegistry()
    expect((await ask(registry, 'GET /.well-known/terraform.json')).body).not.toHaveProperty('login.v1')
    expect((await ask(registry, 'GET /plinth/v1/login/authorize')).status).toBe(404)
  })
  it('forgets what was answered', async () => {
    const { clock, logIn, registry } = setup()
    await logIn({ sub: 'ada', groups: ['platform'] })
    await clock.advance(660_000)
    expect(await registry.sweep()).toBeGreaterThanOrEqual(2)
    expect(await registry.sweep()).toBe(0)
  })
})

describe('a CI job', () => {
  const rule = {
    name: 'github',
    issuer,
    claims: { aud: audience, repository: 'acme/*', ref: 'refs/heads/main' },
    namespaces: ['acme'],
  }
  const job = {
    sub: 'repo:acme/vpc:ref:refs/heads/main',
    aud: audience,
    repository: 'acme/vpc',
    ref: 'refs/heads/main',
  }
  it('publishes with its own token into the namespaces of a trust rule', async () => {
    const { provider, publish, registry } = setup({ trust: [rule] })
    const token = provider.token(job)
    expect((await publish(token, 'acme')).status).toBe(201)
    expect((await publish(token, 'infra')).status).toBe(403)
    const { rows } = await registry.list()
    expect(rows).toMatchObject([{ namespace: 'acme', owner: job.sub }])
    const trail = await registry.readAudit()
    expect(trail.ok && trail.value.changes[0]?.by).toBe(job.sub)
  })
  it.each([
    [{ repository: 'eve/vpc' }, /claim "repository" does not match/],
    [{ ref: 'refs/pull/7/merge' }, /claim "ref" does not match/],
    [{ aud: 'https://other.test' }, /claim "aud" does not match/],
    [{ iss: 'https://evil.test' }, /no trust rule is for the issuer/],
    [{ exp: 1 }, /token is expired/],
  ])('with %j is refused, and is told why', async (more, message) => {
    const { provider, publish, registry } = setup({ trust: [rule] })
    expect(await publish(provider.token({ ...job, ...more }), 'acme')).toMatchObject(refused(401, message))
    expect((await registry.list()).total).toBe(0)
  })
  it('reads those namespaces of a private registry', async () => {
    const { provider, publish, registry } = setup({ trust: [rule], authenticate: 'tokens' })
    const token = provider.token(job)
    await publish(token, 'acme')
    const headers = { authorization: `Bearer ${token}` }
    expect((await ask(registry, 'GET /v1/modules/acme/vpc/aws/versions', { headers })).status).toBe(200)
    expect((await ask(registry, 'GET /v1/modules/acme/vpc/aws/versions')).status).toBe(401)
    const foreign = { authorization: `Bearer ${provider.token({ ...job, repository: 'eve/vpc' })}` }
    expect((await ask(registry, 'GET /v1/modules/acme/vpc/aws/versions', { headers: foreign })).status).toBe(
      401,
    )
  })
  it('does not disturb other tokens', async () => {
    const { publish, registry } = setup({ trust: [rule] })
    const made = await registry.createToken({ name: 'ci' })
    expect((await publish(made.ok ? made.value.token : '', 'infra')).status).toBe(201)
    expect((await publish('unknown', 'infra')).status).toBe(401)
  })
  it('waits for nothing but its own provider', async () => {
    const { clock, provider, publish, registry } = setup({ trust: [rule] })
    provider.instead.set('/keys', () => new Promise<Response>(() => {}))
    const slow = publish(provider.token(job), 'acme')
    expect((await ask(registry, 'GET /v1/modules')).status).toBe(200)
    await clock.advance(10_000)
    expect(await slow).toMatchObject(refused(502, /did not answer within 10 s/))
  })
})

describe('a registry is not created', () => {
  const rule = { name: 'ci', issuer, claims: { aud: audience, sub: 'x' }, namespaces: ['acme'] }
  it.each<[RegistryOptions, string]>([
    [
      { trust: [{ ...rule, issuer: 'ftp://x' }] },
      'trust[0].issuer: expected an https URL, such as https://gitlab.com',
    ],
    [{ trust: [{ ...rule, claims: {} }] }, 'trust[0].claims.aud: name the audience'],
    [{ trust: [{ ...rule, namespaces: ['a b'] }] }, 'trust[0].namespaces: "a b" is not a valid namespace'],
    [
      { oidc: { issuer: 'x', clientId: 'a', clientSecret: 'b', groups: { a: [] } } },
      'oidc.issuer: expected an https URL',
    ],
    [{ oidc: { issuer, clientId: '', clientSecret: 'b', groups: { a: [] } } }, 'oidc.clientId'],
    [
      { oidc: { issuer, clientId: 'a', clientSecret: 'b', groups: {} } },
      'oidc.groups: name at least one group',
    ],
    [
      { oidc: { issuer, clientId: 'a', clientSecret: 'b', groups: { a: ['x y'] } } },
      'oidc.groups.a: "x y" is not a valid namespace',
    ],
    [
      {
        oidc: { issuer, clientId: 'a', clientSecret: 'b', groups: { a: [] } },
        login: { client: 'x', token: '/t' },
      },
      'login: leave it out',
    ],
  ])('with %j: %s', (options, message) => {
    expect(() => createRegistry(options)).toThrow(message)
  })
})
