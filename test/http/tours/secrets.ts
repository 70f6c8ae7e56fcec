import { createSecrets, type DevOptions } from '../../../src/secrets/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { type IdpScript, scriptedProvider, testClock } from '../../../src/testing/index.ts'
import { client } from '../../secrets/service/client.ts'
import { providerKey, testProvider } from '../../support/identity-provider.ts'
import { askingAsDocumented } from '../documented.ts'
import { type Asked, repeatable, tour, writtenReadDeleted } from './tour.ts'

/** A service with a root token, and ways to ask it as root, as another token and as anyone. */
async function opened(options: DevOptions = {}) {
  const made = await client({ crypto: repeatable(), ...options })
  const as = (token: string) => askingAsDocumented(made.service, { 'X-Secrets-Token': token })
  return { ...made, as, asRoot: as(made.rootToken), anyone: askingAsDocumented(made.service) }
}

const patch = { 'content-type': 'application/merge-patch+json' }
const wrap = { 'X-Secrets-Wrap-TTL': '5m' }
const input = 'YQ=='

async function secretsAndTools() {
  const { service, asRoot } = await opened()
  await tour(asRoot, [
    ['POST /v1/secret/data/app/db', 200, { data: { user: 'ada', password: 'x' } }],
    ['PATCH /v1/secret/data/app/db', 200, { data: { user: 'bob' } }, patch],
    ['PATCH /v1/secret/metadata/app/db', 204, { max_versions: 5 }, patch],
    ['GET /v1/secret/detailed-metadata/app?list=true', 200],
    ['GET /v1/secret/detailed-metadata?list=true', 200],
    ['POST /v1/sys/mounts/kv', 204, { type: 'kv' }],
    ['POST /v1/kv/plain', 204, { a: 1 }],
    ['DELETE /v1/kv/plain', 204],
    ['POST /v1/sys/tools/hash/sha2-512', 200, { input }],
    ['POST /v1/sys/tools/random/16', 200, { format: 'hex' }],
    ['POST /v1/sys/tools/random/platform/16', 200, { format: 'hex' }],
    ['GET /v1/sys/internal/ui/mounts/secret', 200],
    ['POST /v1/sys/policy/dev', 204, { policy: 'path "secret/*" { capabilities = ["read"] }' }],
    ['GET /v1/sys/policy/dev', 200],
    ['DELETE /v1/sys/policy/dev', 204],
    ['POST /v1/sys/config/cors', 204, { allowed_origins: ['https://console.example.com'] }],
    ['DELETE /v1/sys/config/cors', 204],
    ['POST /v1/sys/config/ui/headers/X-Team', 204, { values: ['ops'] }],
    ['GET /v1/sys/config/ui/headers?list=true', 200],
    ['GET /v1/sys/config/ui/headers/X-Team', 200],
    ['DELETE /v1/sys/config/ui/headers/X-Team', 204],
    ['POST /v1/sys/namespaces/team', 200, { custom_metadata: { owner: 'ada' } }],
    ['GET /v1/sys/namespaces/team', 200],
    ['PATCH /v1/sys/namespaces/team', 200, { custom_metadata: { owner: 'bob' } }, patch],
    ['DELETE /v1/sys/namespaces/team', 204],
  ])
  const { migration_id: migration } = await tour(asRoot, [
    ['POST /v1/sys/remount', 200, { from: 'kv', to: 'plain' }],
  ])
  await tour(asRoot, [
    [`GET /v1/sys/remount/status/${migration}`, 200],
    ['POST /v1/sys/step-down', 204],
  ])
  await service.close()
}

async function quotas() {
  const { service, asRoot } = await opened()
  await tour(asRoot, [
    ['POST /v1/sys/quotas/rate-limit/kv', 204, { path: 'secret', rate: 100, interval: '1m' }],
    ['GET /v1/sys/quotas/rate-limit/kv', 200],
    ['GET /v1/sys/quotas/rate-limit?list=true', 200],
    ['DELETE /v1/sys/quotas/rate-limit/kv', 204],
    ['POST /v1/sys/quotas/config', 204, { enable_rate_limit_response_headers: true }],
    ['GET /v1/sys/quotas/config', 200],
  ])
  await service.close()
}

async function auditDevices() {
  const { service, asRoot } = await opened({
    openAuditSink: async () => ({ write: async () => {}, close: async () => {} }),
  })
  await tour(asRoot, [
    ['POST /v1/sys/audit/main', 204, { type: 'file', options: { file_path: '/var/log/audit' } }],
    ['GET /v1/sys/audit/main', 200],
    ['POST /v1/sys/audit-hash/main', 200, { input: 'x' }],
    ['DELETE /v1/sys/audit/main', 204],
  ])
  await service.close()
}

async function tokensAndLeases() {
  const { service, as, asRoot } = await opened()
  const created = async (path = 'create') =>
    (await tour(asRoot, [[`POST /v1/auth/token/${path}`, 200, { policies: ['default'], ttl: '1h' }]]))
      .auth as {
      readonly client_token: string
      readonly accessor: string
    }
  await tour(asRoot, [['POST /v1/auth/token/roles/ci', 204, { allowed_policies: 'default' }]])
  const [first, second, third] = [await created(), await created('create-orphan'), await created('create/ci')]
  await tour(as(first.client_token), [['POST /v1/auth/token/renew-self', 200, { increment: '2h' }]])
  await tour(asRoot, [
    ['POST /v1/auth/token/lookup-self', 200],
    ['GET /v1/auth/token/roles?list=true', 200],
    ['POST /v1/auth/token/lookup-accessor', 200, { accessor: first.accessor }],
    ['POST /v1/auth/token/renew', 200, { token: first.client_token }],
    ['POST /v1/auth/token/renew-accessor', 200, { accessor: first.accessor }],
    ['POST /v1/sys/capabilities-accessor', 200, { accessor: first.accessor, paths: ['secret/data/x'] }],
    ['POST /v1/auth/token/revoke', 204, { token: first.client_token }],
    ['POST /v1/auth/token/revoke-accessor', 204, { accessor: second.accessor }],
    ['POST /v1/auth/token/revoke-orphan', 204, { token: third.client_token }],
    ['POST /v1/auth/token/tidy', 202],
  ])
  await tour(as((await created()).client_token), [['POST /v1/auth/token/revoke-self', 204]])

  const leased = async () => {
    await created()
    const { data } = await tour(asRoot, [['GET /v1/sys/leases/lookup/auth/token/create?list=true', 200]])
    return `auth/token/create/${data.keys[0]}`
  }
  await tour(asRoot, [
    ['POST /v1/sys/leases/lookup', 200, { lease_id: await leased() }],
    ['GET /v1/sys/leases/lookup?list=true', 200],
    ['POST /v1/sys/leases/revoke', 204, { lease_id: await leased() }],
    [`POST /v1/sys/leases/revoke/${await leased()}`, 204],
    ['POST /v1/sys/revoke', 204, { lease_id: await leased() }],
    [`POST /v1/sys/revoke/${await leased()}`, 204],
    ['POST /v1/sys/leases/revoke-prefix/auth/token/create', 204],
    ['POST /v1/sys/leases/revoke-force/auth/token/create', 204],
    ['POST /v1/sys/revoke-prefix/auth/token/create', 204],
    ['POST /v1/sys/revoke-force/auth/token/create', 204],
  ])
  await service.close()
}

async function wrapping() {
  const { service, asRoot, anyone } = await opened()
  const wrapped = async (): Promise<{ readonly token: string }> => {
    const { wrap_info } = await tour(asRoot, [['POST /v1/sys/wrapping/wrap', 200, { answer: 42 }, wrap]])
    return { token: wrap_info.token }
  }
  const one = await wrapped()
  await tour(anyone, [['POST /v1/sys/wrapping/lookup', 200, one]])
  await tour(askingAsDocumented(service, { 'X-Secrets-Token': one.token }), [
    ['GET /v1/sys/wrapping/lookup', 200],
  ])
  await tour(asRoot, [
    ['POST /v1/sys/wrapping/rewrap', 200, one],
    ['POST /v1/sys/wrapping/unwrap', 200, await wrapped()],
  ])
  await service.close()
}

const idpScript: IdpScript = {
  users: {
    ada: { password: 'hunter2', groups: ['Dev'] },
    pia: { password: 'pw', factors: [{ type: 'push', number: 42, polls: 2 }] },
  },
}

async function identityProvider() {
  const { service, asRoot, anyone } = await opened({ idpProvider: scriptedProvider(idpScript) })
  await tour(asRoot, [
    ['POST /v1/auth/idp/config', 204, { org_name: 'acme', token_policies: ['base'] }],
    ['POST /v1/auth/idp/groups/dev', 204, { policies: 'web,db' }],
    ['GET /v1/auth/idp/groups/dev', 200],
    ['GET /v1/auth/idp/groups?list=true', 200],
    ['POST /v1/auth/idp/users/ada', 204, { policies: 'dev' }],
    ['DELETE /v1/auth/idp/users/ada', 204],
  ])
  await tour(anyone, [['POST /v1/auth/idp/login/ada', 200, { password: 'hunter2' }]])
  await tour(asRoot, [['DELETE /v1/auth/idp/groups/dev', 204]])
  await service.close()
}

async function usersAndRoles() {
  const { service, asRoot, anyone } = await opened()
  const ci = '/v1/auth/approle/role/ci'
  await tour(asRoot, [
    ['POST /v1/sys/auth/userpass', 204, { type: 'userpass' }],
    ['POST /v1/auth/userpass/users/ada', 204, { password: 'hunter2' }],
    ['POST /v1/auth/userpass/users/ada/policies', 204, { policies: 'dev' }],
    ['POST /v1/sys/auth/approle', 204, { type: 'approle' }],
    [`POST ${ci}`, 204, { token_policies: 'deploy' }],
    [`POST ${ci}/role-id`, 204, { role_id: 'ci-runner' }],
    ...(
      [
        ['bind-secret-id', { bind_secret_id: true }],
        ['secret-id-bound-cidrs', { secret_id_bound_cidrs: ['10.0.0.0/8'] }],
        ['secret-id-num-uses', { secret_id_num_uses: 40 }],
        ['secret-id-ttl', { secret_id_ttl: '10m' }],
        ['token-bound-cidrs', { token_bound_cidrs: ['10.0.0.0/8'] }],
        ['token-ttl', { token_ttl: '20m' }],
        ['token-max-ttl', { token_max_ttl: '1h' }],
        ['period', { token_period: '1h' }],
        ['policies', { token_policies: ['deploy'] }],
      ] as const
    ).flatMap(([field, body]) => writtenReadDeleted(`${ci}/${field}`, body)),
  ])
  const drawn = async () => (await tour(asRoot, [[`POST ${ci}/secret-id`, 200, {}]])).data
  const [one, two, three, four] = [await drawn(), await drawn(), await drawn(), await drawn()]
  const secret = ({ secret_id }: { readonly secret_id: string }) => ({ secret_id })
  const accessor = ({ secret_id_accessor }: { readonly secret_id_accessor: string }) => ({
    secret_id_accessor,
  })
  await tour(asRoot, [
    [`GET ${ci}/secret-id?list=true`, 200],
    [`POST ${ci}/custom-secret-id`, 200, { secret_id: 'chosen-by-the-caller' }],
    [`POST ${ci}/secret-id/lookup`, 200, secret(one)],
    [`POST ${ci}/secret-id-accessor/lookup`, 200, accessor(one)],
    [`POST ${ci}/secret-id/destroy`, 204, secret(one)],
    [`DELETE ${ci}/secret-id/destroy`, 204, secret(two)],
    [`POST ${ci}/secret-id-accessor/destroy`, 204, accessor(three)],
    [`DELETE ${ci}/secret-id-accessor/destroy`, 204, accessor(four)],
    ['POST /v1/auth/approle/tidy/secret-id', 202],
  ])
  const last = await drawn()
  await tour(anyone, [
    ['POST /v1/auth/approle/login', 200, { role_id: 'ci-runner', secret_id: last.secret_id }],
    ...Array.from(
      { length: 5 },
      (): Asked => ['POST /v1/auth/userpass/login/ada', 400, { password: 'wrong' }],
    ),
  ])
  const { data } = await tour(asRoot, [['GET /v1/sys/auth', 200]])
  await tour(asRoot, [[`POST /v1/sys/locked-users/${data['userpass/'].accessor}/unlock/ada`, 204]])
  await service.close()
}

async function signedTokens() {
  const issuer = 'https://id.test'
  const redirect = 'http://localhost:8250/oidc/callback'
  const clock = testClock()
  const provider = testProvider({
    issuer,
    now: clock.now,
    client: { id: 'plinth', secret: 's3cret' },
    keys: [providerKey('first', 'RS256')],
  })
  provider.person = { sub: 'ada' }
  const { service, asRoot, anyone } = await opened({
    env: clock.env,
    timers: clock.timers,
    fetch: provider.fetch,
  })
  await tour(asRoot, [
    ['POST /v1/sys/auth/jwt', 204, { type: 'oidc' }],
    [
      'POST /v1/auth/jwt/config',
      204,
      {
        oidc_discovery_url: issuer,
        oidc_client_id: 'plinth',
        oidc_client_secret: 's3cret',
        bound_issuer: issuer,
        default_role: 'people',
      },
    ],
    ['GET /v1/auth/jwt/config', 200],
    [
      'POST /v1/auth/jwt/role/people',
      204,
      { role_type: 'oidc', user_claim: 'sub', allowed_redirect_uris: [redirect] },
    ],
    [
      'POST /v1/auth/jwt/role/ci',
      204,
      { role_type: 'jwt', user_claim: 'sub', bound_claims: { repository: 'acme/web' } },
    ],
  ])
  const jwt = provider.token({ sub: 'ada', repository: 'acme/web' })
  const started = await tour(anyone, [
    ['POST /v1/auth/jwt/login', 200, { role: 'ci', jwt }],
    ['POST /v1/auth/jwt/oidc/auth_url', 200, { role: 'people', redirect_uri: redirect }],
  ])
  const back = await provider.signIn(started.data.auth_url)
  await tour(anyone, [[`GET /v1/auth/jwt/oidc/callback${back.search}`, 200]])
  await service.close()
}

async function transit() {
  const { service, asRoot } = await opened()
  const transit = '/v1/transit'
  const encrypted = await tour(asRoot, [
    ['POST /v1/sys/mounts/transit', 204, { type: 'transit' }],
    [`POST ${transit}/keys/app`, 200, {}],
    [`POST ${transit}/keys/signer`, 200, { type: 'ed25519' }],
    [
      `POST ${transit}/keys/app/config`,
      200,
      { deletion_allowed: true, exportable: true, allow_plaintext_backup: true },
    ],
    [`GET ${transit}/export/encryption-key/app`, 200],
    [`GET ${transit}/export/encryption-key/app/1`, 200],
    [`POST ${transit}/datakey/plaintext/app`, 200, { bits: 256 }],
    [`POST ${transit}/hash`, 200, { input }],
    [`POST ${transit}/hash/sha2-512`, 200, { input }],
    [`POST ${transit}/random`, 200, { bytes: 16 }],
    [`POST ${transit}/random/16`, 200, { format: 'hex' }],
    [`POST ${transit}/random/platform/16`, 200, { format: 'hex' }],
    [`POST ${transit}/hmac/app/sha2-512`, 200, { input }],
    [`POST ${transit}/encrypt/app`, 200, { plaintext: input }],
  ])
  const { ciphertext } = encrypted.data
  const signed = await tour(asRoot, [
    [`POST ${transit}/decrypt/app`, 200, { ciphertext }],
    [`POST ${transit}/keys/app/rotate`, 200],
    [`POST ${transit}/rewrap/app`, 200, { ciphertext }],
    [`POST ${transit}/keys/app/config`, 200, { min_decryption_version: 2, min_encryption_version: 2 }],
    [`POST ${transit}/keys/app/trim`, 200, { min_available_version: 2 }],
    [`POST ${transit}/sign/signer/sha2-256`, 200, { input }],
    [`POST ${transit}/sign/signer`, 200, { input }],
  ])
  const { signature } = signed.data
  const kept = await tour(asRoot, [
    [`POST ${transit}/verify/signer`, 200, { input, signature }],
    [`POST ${transit}/verify/signer/sha2-256`, 200, { input, signature }],
    [`GET ${transit}/backup/app`, 200],
  ])
  const { backup } = kept.data
  await tour(asRoot, [
    [`DELETE ${transit}/keys/app`, 204],
    [`POST ${transit}/restore`, 204, { backup }],
    [`POST ${transit}/restore/copy`, 204, { backup }],
  ])
  await service.close()
}

async function identity() {
  const { service, asRoot } = await opened()
  const made = async (line: string, body: object) =>
    (await tour(asRoot, [[line, 200, body]])).data.id as string
  const mounts = await tour(asRoot, [
    ['POST /v1/sys/auth/userpass', 204, { type: 'userpass' }],
    ['GET /v1/sys/auth', 200],
  ])
  const mount_accessor = mounts.data['userpass/'].accessor as string
  const ada = await made('POST /v1/identity/entity', { name: 'ada' })
  const bob = await made('POST /v1/identity/entity', { name: 'bob' })
  const eve = await made('POST /v1/identity/entity', { name: 'eve' })
  const ops = await made('POST /v1/identity/group', { name: 'ops', member_entity_ids: [ada] })
  const outside = await made('POST /v1/identity/group', { name: 'outside', type: 'external' })
  const alias = await made('POST /v1/identity/entity-alias', {
    name: 'ada',
    canonical_id: ada,
    mount_accessor,
  })
  const groupAlias = await made('POST /v1/identity/group-alias', {
    name: 'staff',
    canonical_id: outside,
    mount_accessor,
  })
  await tour(asRoot, [
    [`POST /v1/identity/entity/id/${ada}`, 204, { metadata: { team: 'ops' } }],
    [`GET /v1/identity/entity/id/${ada}`, 200],
    ['POST /v1/identity/entity/name/ada', 204, { policies: ['dev'] }],
    ['POST /v1/identity/lookup/entity', 200, { name: 'ada' }],
    [`POST /v1/identity/entity-alias/id/${alias}`, 200, { name: 'ada', canonical_id: ada, mount_accessor }],
    [`GET /v1/identity/entity-alias/id/${alias}`, 200],
    ['GET /v1/identity/entity-alias/id?list=true', 200],
    [`DELETE /v1/identity/entity-alias/id/${alias}`, 204],
    [`POST /v1/identity/group/id/${ops}`, 204, { metadata: { floor: '2' } }],
    [`GET /v1/identity/group/id/${ops}`, 200],
    ['POST /v1/identity/group/name/ops', 204, { policies: ['dev'] }],
    ['POST /v1/identity/lookup/group', 200, { name: 'ops' }],
    [
      `POST /v1/identity/group-alias/id/${groupAlias}`,
      200,
      { name: 'staff', canonical_id: outside, mount_accessor },
    ],
    [`GET /v1/identity/group-alias/id/${groupAlias}`, 200],
    ['GET /v1/identity/group-alias/id?list=true', 200],
    [`DELETE /v1/identity/group-alias/id/${groupAlias}`, 204],
    ['POST /v1/identity/oidc/config', 200, { issuer: 'https://secrets.test' }],
    ['GET /v1/identity/oidc/config', 200],
    ['POST /v1/identity/oidc/key/web', 204, { algorithm: 'ES256', allowed_client_ids: '*' }],
    ['GET /v1/identity/oidc/key/web', 200],
    ['GET /v1/identity/oidc/key?list=true', 200],
    ['POST /v1/identity/oidc/role/web', 204, { key: 'web', client_id: 'web', ttl: '1h' }],
    ['GET /v1/identity/oidc/role/web', 200],
    ['GET /v1/identity/oidc/role?list=true', 200],
    ['POST /v1/identity/oidc/key/web/rotate', 204, { verification_ttl: '1h' }],
    ['GET /v1/identity/oidc/token/web', 400],
    ['POST /v1/identity/oidc/introspect', 200, { token: 'none' }],
    ['GET /v1/identity/oidc/.well-known/openid-configuration', 200],
    ['GET /v1/identity/oidc/.well-known/keys', 200],
    ['DELETE /v1/identity/oidc/role/web', 204],
    ['DELETE /v1/identity/oidc/key/web', 204],
    ['POST /v1/identity/entity/merge', 204, { from_entity_ids: [bob], to_entity_id: ada }],
    ['POST /v1/identity/entity/batch-delete', 204, { entity_ids: [eve] }],
    [`DELETE /v1/identity/entity/id/${ada}`, 204],
    [`DELETE /v1/identity/group/id/${ops}`, 204],
  ])
  await service.close()
}

async function keysOfTheSeal() {
  const clock = testClock()
  const service = createSecrets({
    store: memoryStore(),
    env: clock.env,
    timers: clock.timers,
    crypto: repeatable(),
  })
  const anyone = askingAsDocumented(service)
  const made = await tour(anyone, [['POST /v1/sys/init', 200, { secret_shares: 1, secret_threshold: 1 }]])
  const [key] = made.keys as string[]
  await tour(anyone, [['POST /v1/sys/unseal', 200, { key }]])
  const rekey = { secret_shares: 1, secret_threshold: 1 }
  const rekeying = await tour(anyone, [
    ['POST /v1/sys/rekey/init', 200, rekey],
    ['DELETE /v1/sys/rekey/init', 204],
    ['POST /v1/sys/rekey/init', 200, { ...rekey, require_verification: true }],
  ])
  const rekeyed = await tour(anyone, [['POST /v1/sys/rekey/update', 200, { key, nonce: rekeying.nonce }]])
  const restarted = await tour(anyone, [
    ['GET /v1/sys/rekey/verify', 200],
    ['DELETE /v1/sys/rekey/verify', 200],
  ])
  await tour(anyone, [['POST /v1/sys/rekey/verify', 200, { key: rekeyed.keys[0], nonce: restarted.nonce }]])
  const generating = await tour(anyone, [
    ['POST /v1/sys/generate-root/attempt', 200, {}],
    ['DELETE /v1/sys/generate-root/attempt', 204],
    ['POST /v1/sys/generate-root/attempt', 200, {}],
  ])
  await tour(anyone, [
    ['POST /v1/sys/generate-root/update', 200, { key: rekeyed.keys[0], nonce: generating.nonce }],
  ])
  await tour(askingAsDocumented(service, { 'X-Secrets-Token': made.root_token }), [
    ['DELETE /v1/sys/rekey/backup', 204],
  ])
  await service.close()
}

/** The endpoints that need what others have answered, by what they are about. */
export const secretsTours: Readonly<Record<string, () => Promise<void>>> = {
  'secrets, settings and tools': secretsAndTools,
  'audit devices': auditDevices,
  'rate limits': quotas,
  'tokens and their leases': tokensAndLeases,
  'wrapped answers': wrapping,
  'logins through an identity provider': identityProvider,
  'users, roles and locked names': usersAndRoles,
  'signed tokens': signedTokens,
  'encryption keys': transit,
  'entities, groups and aliases': identity,
  'the keys of the seal': keysOfTheSeal,
}
