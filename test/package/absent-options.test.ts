import { describe, expect, it } from 'vitest'
import { type CatalogOptions, createCatalog } from '../../src/catalog/index.ts'
import { createGateway, type GatewayOptions } from '../../src/gateway/index.ts'
import { type ServeOptions, serve } from '../../src/http/node/index.ts'
import { createRegistry, type RegistryOptions } from '../../src/registry/index.ts'
import { type CollectOptions, createScheduler, type SchedulerOptions } from '../../src/scheduler/index.ts'
import type { SecretsOptions } from '../../src/secrets/index.ts'

/** Every option that may be left out, given as `undefined`; an option that does not take it does not compile. */
type Absent<Options> = {
  readonly [Name in keyof Options as undefined extends Options[Name] ? Name : never]-?: undefined
}

const noScheduler: Absent<SchedulerOptions> = {
  authenticate: undefined,
  store: undefined,
  storeTimeoutMs: undefined,
  env: undefined,
  timers: undefined,
  words: undefined,
  acl: undefined,
  managementToken: undefined,
  region: undefined,
  namespaces: undefined,
  server: undefined,
  errors: undefined,
  forward: undefined,
  consistency: undefined,
  waits: undefined,
  place: undefined,
  maxCount: undefined,
  maxEvaluations: undefined,
  simulate: undefined,
  heartbeatTtlMs: undefined,
  maxBufferedBytes: undefined,
  collect: undefined,
  onEvent: undefined,
  consoleUrl: undefined,
  onRequest: undefined,
  onError: undefined,
}
const noCatalog: Absent<CatalogOptions> = {
  authenticate: undefined,
  store: undefined,
  storeTimeoutMs: undefined,
  blobs: undefined,
  env: undefined,
  timers: undefined,
  crypto: undefined,
  words: undefined,
  baseUrl: undefined,
  uploads: undefined,
  limits: undefined,
  maxImageBytes: undefined,
  verifyChecksums: undefined,
  keepAuditMs: undefined,
  keepVersions: undefined,
  webhooks: undefined,
  deliverCode: undefined,
  guests: undefined,
  trust: undefined,
  fetch: undefined,
  limiter: undefined,
  clientOf: undefined,
  turnAway: undefined,
  maxBufferedBytes: undefined,
  onEvent: undefined,
  consoleUrl: undefined,
  onRequest: undefined,
  onError: undefined,
}
const noRegistry: Absent<RegistryOptions> = {
  blobs: undefined,
  upstream: undefined,
  archives: undefined,
  keepAuditMs: undefined,
  keepVersions: undefined,
  webhooks: undefined,
  crypto: undefined,
  publishers: undefined,
  login: undefined,
  oidc: undefined,
  trust: undefined,
  fetch: undefined,
  limits: undefined,
  store: undefined,
  storeTimeoutMs: undefined,
  env: undefined,
  timers: undefined,
  words: undefined,
  baseUrl: undefined,
  authenticate: undefined,
  turnAway: undefined,
  download: undefined,
  onEvent: undefined,
  consoleUrl: undefined,
  onRequest: undefined,
  onError: undefined,
}
const noGateway: Absent<GatewayOptions> = {
  controller: undefined,
  isUp: undefined,
  graceMs: undefined,
  worker: undefined,
  env: undefined,
  timers: undefined,
  onEvent: undefined,
  consoleUrl: undefined,
  onRequest: undefined,
  onError: undefined,
}

describe('an option that is undefined', () => {
  it('counts as left out by every engine', async () => {
    const collect: Absent<CollectOptions> = {
      everyMs: undefined,
      jobsMs: undefined,
      evaluationsMs: undefined,
      batchMs: undefined,
      deploymentsMs: undefined,
      nodesMs: undefined,
    }
    const server = { name: undefined, address: undefined, datacenter: undefined }
    const scheduler = createScheduler({ ...noScheduler, collect, server })
    const catalog = createCatalog({
      ...noCatalog,
      uploads: { beginWithinSeconds: undefined, finalizeWithinSeconds: undefined },
    })
    const registry = createRegistry(noRegistry)
    const gateway = createGateway(noGateway)
    const members = await scheduler.fetch(new Request('http://x/v1/agent/members'))
    expect(await members.text()).toContain('"dc":"dc1"')
    for (const [service, path, status] of [
      [scheduler, '/v1/node/pools', 200],
      [catalog, '/api/v2/search', 200],
      [registry, '/v1/modules', 200],
      [gateway, '/health', 200],
    ] as const)
      expect((await service.fetch(new Request(`http://x${path}`))).status, path).toBe(status)
    await Promise.all([scheduler.close(), catalog.close(), registry.close()])
  })

  it('counts as left out by a listener', async () => {
    const settings: Absent<ServeOptions> = {
      port: undefined,
      host: undefined,
      tls: undefined,
      bodyTimeoutMs: undefined,
      answerTimeoutMs: undefined,
      onError: undefined,
    }
    const listening = await serve({ ...settings, fetch: () => new Response('here') })
    expect(listening.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await fetch(listening.url)).text()).toBe('here')
    await listening.close({ drainMs: undefined })
  })
})

describe('engines without options', () => {
  it('are a memory of their own each', async () => {
    const [one, other] = [createRegistry(), createRegistry()]
    await one.publishModule({ namespace: 'acme', name: 'vpc', provider: 'aws' })
    expect((await one.removeModule({ namespace: 'acme', name: 'vpc', provider: 'aws' })).ok).toBe(true)
    expect((await other.removeModule({ namespace: 'acme', name: 'vpc', provider: 'aws' })).ok).toBe(false)
    const scheduler = createScheduler()
    await scheduler.upsertPool({ Name: 'gpu', Description: '', Meta: null, SchedulerConfiguration: null })
    const pools = await scheduler.listPools()
    expect(pools.ok && pools.value.map(({ Name }) => Name)).toContain('gpu')
    await Promise.all([one.close(), other.close(), scheduler.close()])
  })
})

/** One listener of errors fits every engine. */
type OnError = NonNullable<SecretsOptions['onError']>
const hears: OnError = (_error, _id) => {}
void ({ onError: hears } satisfies GatewayOptions & RegistryOptions & SchedulerOptions)
void (hears satisfies NonNullable<CatalogOptions['onError']>)
