import { type CatalogOptions, createCatalog } from '../../src/catalog/index.ts'
import { fromBase32, nodeCrypto, totp } from '../../src/crypto/index.ts'
import { webhookSender } from '../../src/http/node/index.ts'
import { DomainError, unwrap } from '../../src/kernel/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets, devSecrets, type SecretsOptions } from '../../src/secrets/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { tarGz } from '../registry/archive/archives.ts'
import { pemOf, providerKey, testProvider } from '../support/identity-provider.ts'

/**
 * The services that the examples of one line name, each filled with what the examples read and change. A method that refuses throws here.
 */

const crypto = nodeCrypto({ scryptLogN: 4 })

const isHandle = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.values(value).some((each) => typeof each === 'function')

const thrown = <Value>(answer: Value): Value => {
  if (typeof answer === 'object' && answer !== null && 'refusal' in answer)
    throw new DomainError(answer.refusal as DomainError['refusal'])
  return answer
}

/** A service whose methods, and those of its handles, throw what they refuse. */
function strict<Service extends object>(service: Service): Service {
  const called = (answer: unknown): unknown => {
    if (answer instanceof Promise) return answer.then(thrown)
    return isHandle(answer) ? strict(answer) : answer
  }
  const own = (value: unknown): unknown => {
    if (typeof value === 'function')
      return (...given: unknown[]) => called(Reflect.apply(value, service, given))
    return isHandle(value) ? strict(value) : value
  }
  return Object.fromEntries(
    Reflect.ownKeys(service).map((key) => [key, own(Reflect.get(service, key))]),
  ) as Service
}

export async function filledSecrets() {
  const store = memoryStore()
  const staticSeal = { currentKeyId: '2026', currentKey: new Uint8Array(32).fill(1) }
  const provider = testProvider({
    issuer: 'https://id.test',
    keys: [providerKey('first', 'RS256')],
    now: Date.now,
    client: { id: 'plinth', secret: 'hunter2' },
  })
  provider.person = { sub: 'ada', aud: 'plinth' }
  const idpProvider = scriptedProvider({ users: { ada: { password: 'hunter2', groups: ['dev'] } } })
  const { service, unsealKeys } = await devSecrets({
    store,
    staticSeal,
    crypto,
    idpProvider,
    fetch: provider.fetch,
  })
  const secrets = strict(service)
  await secrets.kv().write('app', { password: 'hunter2' })
  await secrets.kv().write('team/db', { password: 'hunter2' })
  await secrets.mounts.enable({ path: 'team/', type: 'kv-v2' })
  await secrets.kv('team').write('app', { password: 'hunter2' })
  await secrets.mounts.enable({ path: 'plain/', type: 'kv' })
  await secrets.kv1('plain').write('app', { password: 'hunter2' })
  for (const type of ['userpass', 'approle', 'jwt'])
    await secrets.mounts.enable({ path: `auth/${type}/`, type })
  await secrets.mounts.enable({ path: 'transit/', type: 'transit' })
  await secrets.policies.write('reader', 'path "secret/data/*" { capabilities = ["read"] }')
  const made = unwrap(await secrets.tokens.create({ policies: ['reader'], ttlSeconds: 3600 }))
  await secrets.idp().configure({ orgName: 'acme', apiToken: 'of the provider' })
  await secrets.userpass().writeUser('ada', { password: 'correct horse' })
  await secrets.approle().writeRole('ci', {})
  const secretId = unwrap(await secrets.approle().makeSecretId('ci'))
  await secrets.jwt().configure({
    oidcDiscoveryUrl: provider.issuer,
    oidcClientId: 'plinth',
    oidcClientSecret: 'hunter2',
  })
  const redirectUri = 'https://app.example.com/callback'
  await secrets.jwt().writeRole('dev', { roleType: 'jwt', userClaim: 'sub', boundAudiences: ['plinth'] })
  await secrets.jwt().writeRole('web', { userClaim: 'sub', allowedRedirectUris: [redirectUri] })
  const address = unwrap(await secrets.jwt().authorizationUrl({ role: 'web', redirectUri }))
  const { searchParams: back } = await provider.signIn(address ?? '')
  const transit = secrets.transit()
  await transit.createKey('app', { exportable: true, allowPlaintextBackup: true })
  await transit.createKey('signer', { type: 'ed25519' })
  await transit.rotateKey('app')
  await transit.configureKey('app', {
    minDecryptionVersion: 2,
    minEncryptionVersion: 2,
    deletionAllowed: true,
  })
  await secrets.namespaces.create('sales')
  await secrets.quotas.write('global', { rate: 100_000 })
  const text = new TextEncoder().encode('text')
  return {
    createSecrets: (options: SecretsOptions = {}) => strict(createSecrets({ crypto, ...options })),
    secrets,
    store,
    staticSeal,
    share: unsealKeys[0] ?? '',
    ...made,
    secretIdAccessor: secretId.accessor,
    publicKey: pemOf(providerKey('first', 'RS256')),
    redirectUri,
    state: back.get('state') ?? '',
    code: back.get('code') ?? '',
    backup: unwrap(await transit.backupKey('app')),
    ciphertext: unwrap(await transit.encrypt('app', text)),
    signature: unwrap(await transit.sign('signer', text)),
  }
}

/** The rights of callers without a token. */
const everything = `
  namespace "*" {
    policy = "write"
    variables { path "*" { capabilities = ["write", "read", "list", "destroy"] } }
  }
  node_pool "*" { policy = "write" }
  node { policy = "write" }
  agent { policy = "write" }
  operator { policy = "write" }
`

export async function filledScheduler() {
  const token = '3f1a8a52-8d5a-4b8e-9a3e-9c5c9d3f6a11'
  const call = { token }
  const scheduler = strict(createScheduler({ place: true, simulate: true, managementToken: token }))
  const node = unwrap(
    await scheduler.registerRunner(
      {
        ID: 'n1',
        Drivers: { raw_exec: { Detected: true, Healthy: true } },
        NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8000 }, Disk: { DiskMB: 10_000 } },
      },
      undefined,
      call,
    ),
  )
  const group = {
    Name: 'app',
    Count: 1,
    Scaling: { Min: 1, Max: 5 },
    Tasks: [{ Name: 'server', Driver: 'raw_exec' }],
  }
  await scheduler.registerJob({ ID: 'web', TaskGroups: [{ ...group, Update: { MaxParallel: 1 } }] }, call)
  await scheduler.settled()
  await scheduler.tagJobVersion('web', { name: 'known-good', version: 0 }, call)
  await scheduler.upsertPool({ Name: 'gpu' }, call)
  await scheduler.writeVariable({ Path: 'app/db', Items: { password: 'hunter2' } }, call)
  const first = async <Row>(
    list: Promise<{ readonly ok: boolean; readonly value?: readonly Row[] }>,
  ): Promise<Row> => {
    const [row] = (await list).value ?? []
    if (row === undefined) throw new Error('the scheduler is not filled')
    return row
  }
  await scheduler.upsertPolicy({ Name: 'dev', Rules: 'namespace "default" { policy = "read" }' }, call)
  await scheduler.upsertPolicy({ Name: 'anonymous', Rules: everything }, call)
  await scheduler.writeRole(undefined, { Name: 'developers', Policies: [{ Name: 'dev' }] }, call)
  return {
    createScheduler: () => strict(createScheduler()),
    scheduler,
    token,
    nodeSecret: node.SecretID ?? '',
    ID: (await first(scheduler.listAllocations(call))).ID,
    deploymentID: (await first(scheduler.listDeployments(call))).ID,
    evaluationID: (await first(scheduler.listEvaluations(call))).ID,
    policyID: (await first(scheduler.listScalingPolicies(call))).ID,
    roleID: (await first(scheduler.listRoles(call))).ID,
  }
}

export async function filledCatalog() {
  const codeOf = (secret: string): string => totp(crypto, fromBase32(secret) ?? new Uint8Array(), Date.now())
  const catalog = strict(
    createCatalog({
      crypto,
      webhooks: webhookSender(),
      deliverCode: async () => undefined,
    } as CatalogOptions),
  )
  for (const username of ['ada', 'bob', 'dan', 'eve'])
    await catalog.putUser({ username, password: 'correct horse' })
  const bob = unwrap(await catalog.beginTwoFactor({ login: 'bob', password: 'correct horse' }))
  const dan = unwrap(await catalog.beginTwoFactor({ login: 'dan', password: 'correct horse' }))
  const recovery = unwrap(
    await catalog.confirmTwoFactor({ login: 'dan', password: 'correct horse' }, codeOf(dan.secret)),
  ) as readonly string[]
  await catalog.putUser({ username: 'eve', phone: '+1 555 0100' })
  await catalog.putOrganization({ username: 'acme', members: ['bob'] })
  await catalog.putMember({ owner: 'acme' }, 'ada', 'publisher')
  await catalog.createBox({ username: 'acme', name: 'tiny' })
  const version = { username: 'acme', name: 'tiny', version: '1.0.0' }
  const draft = { ...version, version: '2.0.0' }
  const image = { name: 'virtualbox' }
  for (const each of [version, draft]) {
    await catalog.createVersion(each, { version: each.version })
    await catalog.createProvider(each, image)
  }
  const upload = async (to: typeof version) => {
    const { secret } = unwrap(await catalog.requestUpload(to, image, 'direct'))
    await catalog.receiveUpload(secret, new Blob(['image']).stream())
    return secret
  }
  await catalog.finalizeUpload(version, image, await upload(version))
  await catalog.releaseVersion(version)
  const issued = unwrap(await catalog.issueToken('ada'))
  return {
    createCatalog: () => strict(createCatalog()),
    catalog,
    version,
    draft,
    secret: await upload(draft),
    boxId: unwrap(await catalog.readBox(version)).box.id,
    token: issued.token,
    tokenId: issued.id,
    webhookId: unwrap(await catalog.createWebhook({ url: 'https://example.com/hook' })).id,
    code: codeOf(bob.secret),
    recoveryCode: recovery[0] ?? '',
  }
}

export async function filledRegistry() {
  const registry = strict(createRegistry({ crypto, webhooks: webhookSender() }))
  const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
  await registry.publishModule(vpc)
  await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://example.com/vpc.zip' })
  const archive = tarGz({ path: 'main.tf', text: 'variable "cidr" {}\n' })
  await registry.publishArchive(vpc, { version: '2.0.0' }, new Blob([archive]).stream())
  const { token, id: tokenId } = unwrap(await registry.createToken({ name: 'ci', namespaces: ['acme'] }))
  return {
    createRegistry: () => strict(createRegistry()),
    registry,
    vpc,
    token,
    tokenId,
    webhookId: unwrap(await registry.createWebhook({ url: 'https://example.com/hook' })).id,
  }
}
