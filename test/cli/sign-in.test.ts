import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listeningProvider, providerKey } from '../support/identity-provider.ts'
import { folder, killAll, removeFolders, run, type Server, start } from './server.ts'

const audience = 'https://modules.example.com'
let provider: Awaited<ReturnType<typeof listeningProvider>>
let server: Server
let home: string
const moduleFolder = () => join(home, 'module')

/** A configuration file with trust rules, as the guide shows them. */
const rules = (issuer: string) => `
trust "github" {
  issuer     = "${issuer}"
  claims     = { aud = "${audience}", repository = "acme/*", ref = ["refs/heads/main", "refs/tags/v*"] }
  namespaces = ["acme"]
}
trust "gitlab" {
  issuer     = "${issuer}"
  claims     = { aud = "${audience}", project_path = "infra/modules" }
  namespaces = ["infra"]
}
`

beforeAll(async () => {
  home = folder()
  provider = await listeningProvider({
    now: Date.now,
    client: { id: 'modules', secret: 's3cret' },
    keys: [providerKey('first', 'RS256')],
  })
  writeFileSync(join(home, 'secret'), 's3cret\n')
  writeFileSync(join(home, 'plinth.hcl'), rules(provider.issuer))
  mkdirSync(moduleFolder())
  writeFileSync(join(moduleFolder(), 'main.tf'), 'variable "name" {}\n')
  server = await start(
    ...['--only', 'catalog,registry', '--config', join(home, 'plinth.hcl'), '--oidc-issuer', provider.issuer],
    ...['--oidc-client-id', 'modules', '--oidc-client-secret-file', join(home, 'secret')],
    ...[
      '--oidc-groups',
      'platform=acme,infra',
      '--oidc-groups',
      'cn=admins,ou=x=*',
      '--oidc-groups',
      'readers=',
    ],
  )
})

afterAll(async () => {
  killAll()
  removeFolders()
  await provider.close()
})

const publish = (token: string, namespace: string, version: string) =>
  run(['module', 'publish', moduleFolder(), `${namespace}/net/aws`, version], {
    REGISTRY_ADDR: server.ready.registry?.url ?? '',
    REGISTRY_TOKEN: token,
  })

describe('terraform login at plinth serve', () => {
  /** Does what the client does: discovery, a browser, a callback on this host, and a code for a token. */
  const logIn = async () => {
    const base = server.ready.registry?.url ?? ''
    const at = `${base}/.well-known/terraform.json`
    const discovery = (await (await fetch(at)).json()) as {
      'login.v1': Record<'client' | 'authz' | 'token', string> & { ports: number[] }
    }
    const login = discovery['login.v1']
    const verifier = randomBytes(32).toString('base64url')
    const redirect_uri = `http://localhost:${login.ports[0]}/login`
    const authorize = new URL(login.authz, at)
    authorize.search = new URLSearchParams({
      response_type: 'code',
      client_id: login.client,
      redirect_uri,
      state: 'mine',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    const toProvider = await fetch(authorize, { redirect: 'manual' })
    const back = await provider.signIn(toProvider.headers.get('location') ?? '')
    const toClient = await fetch(back, { redirect: 'manual' })
    const callback = new URL(toClient.headers.get('location') ?? '')
    expect(callback.searchParams.get('state')).toBe('mine')
    const answer = await fetch(new URL(login.token, at), {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: login.client,
        code: callback.searchParams.get('code') ?? '',
        code_verifier: verifier,
        redirect_uri,
      }),
    })
    return ((await answer.json()) as { access_token: string }).access_token
  }
  it('gives a token that publishes into the namespaces of the groups', async () => {
    provider.person = { sub: 'ada', email: 'ada@example.com', groups: ['platform'] }
    const token = await logIn()
    expect(await publish(token, 'acme', '1.0.0')).toMatchObject({ code: 0 })
    const other = await publish(token, 'elsewhere', '1.0.0')
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('elsewhere')])
  })
  it('takes groups whose names have signs of their own', async () => {
    provider.person = { sub: 'eve', groups: ['cn=admins,ou=x'] }
    expect(await publish(await logIn(), 'elsewhere', '1.0.0')).toMatchObject({ code: 0 })
  })
})

describe('CI jobs at plinth serve --config', () => {
  const job = {
    sub: 'repo:acme/net:ref:refs/tags/v2.0.0',
    aud: audience,
    repository: 'acme/net',
    ref: 'refs/tags/v2.0.0',
  }
  it('publish modules with their own tokens', async () => {
    expect(await publish(provider.token(job), 'acme', '2.0.0')).toMatchObject({ code: 0 })
    const gitlab = { sub: 'project_path:infra/modules', aud: audience, project_path: 'infra/modules' }
    expect(await publish(provider.token(gitlab), 'infra', '1.0.0')).toMatchObject({ code: 0 })
  })
  it('are told which claim is wrong', async () => {
    const done = await publish(provider.token({ ...job, repository: 'eve/net' }), 'acme', '3.0.0')
    expect([done.code, done.stderr]).toEqual([
      1,
      expect.stringContaining('github: claim "repository" does not match any associated bound claim values'),
    ])
  })
  it('publish boxes of the accounts of the rule', async () => {
    const url = server.ready.catalog?.url ?? ''
    const ask = (token: string, path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const admin = server.ready.catalog?.tokens['admin'] ?? ''
    const made = await ask(admin, '/plinth/v1/organizations', { username: 'acme', members: ['admin'] })
    expect(made.status).toBe(200)
    const box = { box: { username: 'acme', name: 'base' } }
    expect((await ask(provider.token(job), '/api/v2/boxes', box)).status).toBe(200)
    expect((await ask(provider.token({ ...job, aud: 'other' }), '/api/v2/boxes', box)).status).toBe(401)
  })
})

describe('plinth serve does not start', () => {
  const refuses = async (args: readonly string[], message: string) => {
    const done = await run(['serve', '--only', 'registry', ...args])
    expect([done.code === 0, done.stderr]).toEqual([false, expect.stringContaining(message)])
  }
  const oidc = ['--oidc-issuer', 'https://id.test', '--oidc-client-id', 'x', '--oidc-client-secret-file']
  it.each([
    [['--oidc-issuer', 'https://id.test'], '--oidc-issuer needs --oidc-client-id, too'],
    [['--oidc-groups', 'a=b'], '--oidc-groups needs --oidc-issuer, too'],
    [[...oidc, '/none'], '--oidc-groups: name at least one group'],
    [
      [...oidc, '/none', '--oidc-groups', 'a'],
      '--oidc-groups takes GROUP=NAMESPACE,…, GROUP=* or GROUP=, not "a"',
    ],
    [[...oidc, '/none', '--oidc-groups', 'a=x y'], '--oidc-groups a: "x y" is not a valid namespace'],
    [
      [...oidc, '/none', '--oidc-groups', 'a=b'],
      '--oidc-client-secret-file: cannot read the secret of the client /none',
    ],
    [
      ['--oidc-issuer', 'http://id.test', ...oidc.slice(2), '/none', '--oidc-groups', 'a=b'],
      '--oidc-issuer: expected an https URL',
    ],
  ])('with %j: %s', refuses)
  it.each([
    ['trust "a" {\n  issuer = "https://id.test"\n}', 'line 1: trust.a.claims: '],
    [
      'trust "a" {\n  issuer = "https://id.test"\n  claims = { repository = "x" }\n  namespaces = ["a"]\n}',
      'trust.a.claims.aud: name the audience',
    ],
    [
      'trust "a" {\n  issuer = "id.test"\n  claims = { aud = "x", sub = "y" }\n  namespaces = ["a"]\n}',
      'trust.a.issuer: expected an https URL',
    ],
    [
      'trust "a" {\n  issuer = "https://id.test"\n  claims = { aud = "x", sub = "y" }\n  namespaces = ["a b"]\n}',
      'trust.a.namespaces: "a b" is not a valid namespace',
    ],
    [
      'trust "a" {\n  isuer = "https://id.test"\n}',
      'trust.a.isuer: there is no such setting; did you mean issuer?',
    ],
  ])('with the configuration %j', async (text, message) => {
    const file = join(folder(), 'wrong.hcl')
    writeFileSync(file, text)
    await refuses(['--config', file], message)
  })
})
