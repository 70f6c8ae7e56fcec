import { expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'

const hooks: Readonly<
  Record<string, { readonly hook: () => unknown; readonly reported: readonly string[] }>
> = {
  'throw are reported': {
    hook: () => {
      throw new Error('the log is full')
    },
    reported: ['Error: the log is full'],
  },
  'reject are reported': {
    hook: () => Promise.reject(new Error('the log is full')),
    reported: ['Error: the log is full'],
  },
  'never settle are not waited for': { hook: () => new Promise(() => {}), reported: [] },
}

it.each(Object.entries(hooks))('hooks that %s, and calls and requests go on', async (_name, each) => {
  const errors = new Set<string>()
  // Programs without types pass asynchronous functions, too.
  const hook = each.hook as () => void
  const options = {
    onEvent: hook,
    onRequest: hook,
    onError: (error: unknown) => void errors.add(String(error)),
  }
  const scheduler = createScheduler(options)
  const { service: secrets } = await devSecrets(options)
  const catalog = createCatalog(options)
  const registry = createRegistry(options)

  unwrap(await scheduler.upsertPool({ Name: 'gpu' }))
  unwrap(await secrets.kv().write('app', { password: 'hunter2' }))
  unwrap(await catalog.putUser({ username: 'acme' }))
  unwrap(await registry.publishModule({ namespace: 'acme', name: 'vpc', provider: 'aws' }))
  const paths = [
    [scheduler, '/v1/node/pools', 200],
    [secrets, '/v1/secret/data/app', 403],
    [catalog, '/api/v2/search', 200],
    [registry, '/v1/modules', 200],
  ] as const
  for (const [{ fetch }, path, status] of paths)
    expect((await fetch(new Request(`http://app.test${path}`))).status, path).toBe(status)
  await Promise.all([scheduler, secrets, catalog, registry].map((service) => service.close()))
  await expect.poll(() => [...errors]).toEqual(each.reported)
})
