import { createRegistry, type RegistryEvent, type RegistryOptions } from '../../src/registry/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { read } from '../client.ts'

export const source = 'https://example.com/vpc.zip'
export const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }

/** A registry with the modules acme/vpc for two providers and beta/db, and ways to ask it. */
export async function served(options: Partial<RegistryOptions> = {}, { empty = false } = {}) {
  const clock = testClock({ now: Date.UTC(2026, 0, 2, 3, 4, 5, 678) })
  const events: RegistryEvent[] = []
  const errors: unknown[] = []
  const registry = createRegistry({
    store: memoryStore(),
    env: clock.env,
    timers: clock.timers,
    onEvent: (event) => events.push(event),
    onError: (error) => errors.push(error),
    ...options,
  })
  if (!empty) {
    await registry.publishModule({
      ...vpc,
      owner: 'ada',
      description: 'A private network',
      source: 'https://git.example.com/vpc',
    })
    for (const version of ['1.0.0', 'v1.9', '1.10.0', '2.0.0-beta1'])
      await registry.publishVersion(vpc, { version, source: `${source}?v=${version}` })
    await registry.publishModule({ ...vpc, provider: 'google', verified: true })
    await registry.publishVersion(
      { ...vpc, provider: 'google' },
      { version: '0.1.0', source: './vpc.tar.gz' },
    )
    await registry.publishModule({
      namespace: 'beta',
      name: 'db',
      provider: 'aws',
      description: 'A database in a network',
    })
    await registry.publishVersion(
      { namespace: 'beta', name: 'db', provider: 'aws' },
      { version: '3.0.0', source },
    )
  }
  const send = (path: string, init: RequestInit = {}) =>
    registry.fetch(new Request(`http://service.test${path}`, init))
  const get = async (path: string, init: RequestInit = {}) => read(await send(path, init))
  return { clock, registry, send, get, events, errors }
}

/** The modules of a page, by their ids. */
export const ids = (body: { modules: { id: string }[] }) => body.modules.map(({ id }) => id)
