import { createHash } from 'node:crypto'
import { unwrap } from '../../../src/kernel/index.ts'
import { createRegistry } from '../../../src/registry/index.ts'
import { testClock } from '../../../src/testing/index.ts'
import { tarGz } from '../../registry/archive/archives.ts'
import { providerKey, testProvider } from '../../support/identity-provider.ts'
import { askingAsDocumented } from '../documented.ts'
import { repeatable, tour } from './tour.ts'

async function archivesAndWebhooks() {
  const clock = testClock()
  const registry = createRegistry({
    env: clock.env,
    timers: clock.timers,
    crypto: repeatable(),
    webhooks: { problem: () => undefined, post: async () => 200 },
  })
  const { token } = unwrap(await registry.createToken({ name: 'boss', administrator: true }))
  const ask = askingAsDocumented(registry, { authorization: `Bearer ${token}` })
  const version = '/v1/modules/acme/vpc/aws/1.0.0'
  const archive = new Uint8Array(tarGz({ path: 'main.tf', text: 'variable "cidr" {}' }))
  const webhook = await tour(ask, [
    [`POST ${version}`, 201, archive],
    [`GET ${version}/archive`, 200],
    [`DELETE ${version}`, 204],
    ['POST /plinth/v1/webhooks', 200, { url: 'https://example.com/hook' }],
  ])
  const made = await tour(ask, [
    ['GET /plinth/v1/webhooks', 200],
    [`DELETE /plinth/v1/webhooks/${webhook.id}`, 204],
    ['POST /plinth/v1/tokens', 201, { name: 'ci', namespaces: ['acme'] }],
  ])
  const published_at = '2019-05-06T07:08:09.123456Z'
  await tour(ask, [
    [`DELETE /plinth/v1/tokens/${made.id}`, 204],
    [
      'PUT /plinth/v1/modules/acme/vpc/aws/history',
      204,
      { downloads: 1234, versions: [{ version: '1.0.0', published_at }] },
    ],
  ])
  await registry.close()
}

async function signIn() {
  const issuer = 'https://id.test'
  const clock = testClock()
  const client = { id: 'plinth-registry', secret: 's3cret' }
  const provider = testProvider({ issuer, now: clock.now, client, keys: [providerKey('first', 'RS256')] })
  provider.person = { sub: 'ada', email: 'ada@example.com', groups: ['platform'] }
  const registry = createRegistry({
    env: clock.env,
    timers: clock.timers,
    crypto: repeatable(),
    fetch: provider.fetch,
    baseUrl: 'https://modules.test',
    oidc: { issuer, clientId: client.id, clientSecret: client.secret, groups: { platform: ['acme'] } },
  })
  const ask = askingAsDocumented(registry)
  const code_verifier = 'v'.repeat(43)
  const redirect_uri = 'http://localhost:10000/login'
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'plinth',
    redirect_uri,
    state: 'of-terraform',
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const started = await ask(`GET /plinth/v1/login/authorize?${query}`)
  const back = await provider.signIn(started.headers.get('location') ?? '')
  const signedIn = await ask(`GET ${back.pathname}${back.search}`)
  const code = new URL(signedIn.headers.get('location') ?? '').searchParams.get('code')
  await tour(ask, [
    [
      'POST /plinth/v1/login/token',
      200,
      { grant_type: 'authorization_code', client_id: 'plinth', code, code_verifier, redirect_uri },
    ],
  ])
  await registry.close()
}

/** The endpoints that need what others have answered, by what they are about. */
export const registryTours: Readonly<Record<string, () => Promise<void>>> = {
  'archives and webhooks': archivesAndWebhooks,
  'the sign-in of the command line': signIn,
}
