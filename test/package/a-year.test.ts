import { expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import { unwrap } from '../../src/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { memoryBlobs, memoryStore } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'

const day = 24 * 3_600_000

it('a year of the clock leaves every service as it was after a month', async () => {
  const clock = testClock({ now: Date.UTC(2026, 0, 1) })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const stores = {
    catalog: memoryStore(),
    registry: memoryStore(),
    scheduler: memoryStore(),
    secrets: memoryStore(),
  }
  const { env, timers } = clock
  const catalog = createCatalog({
    env,
    timers,
    onError,
    keepAuditMs: 20 * day,
    store: stores.catalog,
    blobs: memoryBlobs(nodeHashing),
  })
  const registry = createRegistry({ env, timers, onError, store: stores.registry, keepAuditMs: 20 * day })
  const scheduler = createScheduler({
    env,
    timers,
    onError,
    store: stores.scheduler,
    place: true,
    simulate: true,
    collect: { everyMs: day / 4 },
  })
  const { service: secrets } = await devSecrets({ env, timers, onError, store: stores.secrets })
  const gateway = createGateway({ env, timers, onError, worker: true })
  await catalog.putUser({ username: 'ada' })
  await catalog.createBox({ username: 'ada', name: 'tiny' })
  await catalog.createVersion({ username: 'ada', name: 'tiny' }, { version: '1.0.0' })
  const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
  await registry.publishModule(vpc)
  const resources = { Cpu: { CpuShares: 4_000 }, Memory: { MemoryMB: 8_000 } }
  await scheduler.load({ nodes: [{ ID: 'n1', NodeResources: resources }] })
  await scheduler.registerJob({
    ID: 'nightly',
    Type: 'batch',
    Periodic: { Enabled: true, SpecType: 'cron', Spec: '0 3 * * *' },
    TaskGroups: [{ Name: 'g', Count: 1, Tasks: [{ Name: 't' }] }],
  })
  const made = unwrap(await secrets.tokens.create({ policies: ['default'], periodSeconds: 40 * 86_400 }))
  const idle = unwrap(await secrets.tokens.create({ policies: ['default'], ttlSeconds: 86_400 }))

  const sizes: Record<string, number>[] = []
  for (let month = 1; month <= 12; month += 1) {
    for (let at = 0; at < 30; at += 1) {
      await clock.advance(day)
      await scheduler.settled()
      // A day's work: what is used daily must not add up.
      await secrets.kv().write('app', { day: String(at) })
      unwrap(await secrets.tokens.create({ policies: ['default'], ttlSeconds: 3_600 }))
      await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://a.test/x.zip' })
      await registry.removeVersion(vpc, '1.0.0')
      for (const { JobID, ID } of unwrap(await scheduler.listAllocations()))
        if (JobID.startsWith('nightly')) await scheduler.updateAllocations([{ ID, ClientStatus: 'complete' }])
    }
    unwrap(await secrets.tokens.renew({ token: made.token }))
    await secrets.sweep()
    await Promise.all([catalog.sweep(), registry.sweep()])
    const counted = Object.entries(stores).map(([name, store]) => [
      name,
      store.snapshot().scan({ prefix: '' }).length,
    ])
    sizes.push(Object.fromEntries(counted))
  }
  expect(errors).toEqual([])
  expect(unwrap(await secrets.tokens.lookup({ token: made.token }))).toBeDefined()
  expect(unwrap(await secrets.tokens.lookup({ token: idle.token }))).toBeUndefined()
  const [, second, ...later] = sizes as [object, Record<string, number>, ...Record<string, number>[]]
  const last = later.at(-1) ?? {}
  for (const [name, size] of Object.entries(last))
    expect([name, size <= (second[name] ?? 0) + 10, second[name], size]).toEqual([
      name,
      true,
      second[name],
      size,
    ])
  const answers = [
    await catalog.fetch(new Request('http://x/api/v2/search')),
    await registry.fetch(new Request('http://x/v1/modules')),
    await scheduler.fetch(new Request('http://x/v1/jobs')),
    await secrets.fetch(new Request('http://x/v1/sys/health')),
    await gateway.fetch(new Request('http://x/health')),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  for (const service of [catalog, registry, scheduler, secrets, gateway]) await service.close()
})
