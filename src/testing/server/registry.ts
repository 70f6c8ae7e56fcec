import { checkOptions } from '../../kernel/check-options.ts'
import { unwrap } from '../../kernel/index.ts'
import type { RegistryOptions } from '../../registry/options.ts'
import type { Registry } from '../../registry/service.ts'
import { memoryBlobs } from '../../store/blobs/blobs.ts'
import { type Kind, type Started, type StartOptions, start } from './start.ts'

/** Options of {@link startRegistry} besides those of the service. */
export interface StartRegistryOptions
  extends StartOptions<Registry>,
    Omit<RegistryOptions, 'store' | 'blobs' | 'env' | 'timers'> {}

/**
 * Starts a module registry for tests on a port of its own. Its token publishes modules and manages tokens.
 *
 * @example
 * ```ts
 * import { startRegistry } from 'plinth/testing'
 *
 * const server = await startRegistry()
 * server.fail({ path: /^\/v1\/modules/, status: 503, times: 1 })
 * const status = async () => (await fetch(`${server.url}/v1/modules/`)).status
 * await status() // 503
 * await status() // 200
 * await server.close()
 * ```
 */
export async function startRegistry(options: StartRegistryOptions = {}): Promise<Started<Registry>> {
  const { createRegistry } = await import('../../registry/service.ts')
  const { registryOptions } = await import('../../registry/options.ts')
  const { port, clock, prepare, ...service } = options
  checkOptions('startRegistry', options, { port: true, clock: true, prepare: true, ...registryOptions })
  const kind: Kind<Registry, { readonly token: string }, object> = {
    open: async ({ store, blobs, credentials }, { env, timers }) => {
      const made = createRegistry({ ...service, store, blobs, env, timers })
      if (credentials !== undefined) return { service: made, credentials }
      const { token } = unwrap(await made.createToken({ name: 'test', administrator: true }))
      return { service: made, credentials: { token } }
    },
    blobs: async () => memoryBlobs((await import('../../store/blobs/node-hashing.ts')).nodeHashing),
    env: (url, token) => ({ REGISTRY_ADDR: url, REGISTRY_TOKEN: token }),
    expire: (each) => each.removeTokens('test'),
    more: () => ({}),
  }
  return start(kind, { port, clock, prepare })
}
