import type { Catalog } from '../../catalog/service/create-catalog.ts'
import type { CatalogOptions } from '../../catalog/service/options.ts'
import { checkOptions } from '../../kernel/check-options.ts'
import { unwrap } from '../../kernel/index.ts'
import { memoryBlobs } from '../../store/blobs/blobs.ts'
import { type Kind, type Started, type StartOptions, start } from './start.ts'

/** Options of {@link startCatalog} besides those of the service. */
export interface StartCatalogOptions
  extends StartOptions<Catalog>,
    Omit<CatalogOptions, 'store' | 'blobs' | 'env' | 'timers'> {
  /** The administrator that the token is of; `test` by default. */
  readonly username?: string | undefined
}

/**
 * Starts a box catalog for tests on a port of its own, with an administrator `test`. Vagrant takes its address and token
 * from `env`.
 *
 * @example
 * ```ts
 * import { startCatalog } from 'plinth/testing'
 *
 * const server = await startCatalog()
 * const headers = { authorization: `Bearer ${server.env['VAGRANT_CLOUD_TOKEN']}`, 'content-type': 'application/json' }
 * const body = JSON.stringify({ box: { username: 'test', name: 'bookworm' } })
 * const made = await fetch(`${server.env['VAGRANT_SERVER_URL']}/api/v2/boxes`, { method: 'POST', headers, body })
 * made.status // 200
 * const copy = await server.fork()
 * await server.reset()
 * const status = async (url: string) => (await fetch(`${url}/api/v2/box/test/bookworm`, { headers })).status
 * await status(server.url) // 404
 * await status(copy.url) // 200
 * await Promise.all([server.close(), copy.close()])
 * ```
 */
export async function startCatalog(options: StartCatalogOptions = {}): Promise<Started<Catalog>> {
  const { createCatalog } = await import('../../catalog/service/create-catalog.ts')
  const { catalogOptions } = await import('../../catalog/service/options.ts')
  const { port, clock, prepare, username = 'test', ...service } = options
  checkOptions('startCatalog', options, {
    port: true,
    clock: true,
    prepare: true,
    username: true,
    ...catalogOptions,
  })
  const kind: Kind<Catalog, { readonly token: string }, object> = {
    open: async ({ store, blobs, credentials }, { env, timers }) => {
      const made = createCatalog({ ...service, store, blobs, env, timers })
      if (credentials !== undefined) return { service: made, credentials }
      unwrap(await made.putUser({ username, administrator: true }))
      const { token } = unwrap(await made.createToken(username))
      return { service: made, credentials: { token } }
    },
    blobs: async () => memoryBlobs((await import('../../store/blobs/node-hashing.ts')).nodeHashing),
    env: (url, token) => ({
      VAGRANT_SERVER_URL: url,
      VAGRANT_CLOUD_TOKEN: token,
      CATALOG_ADDR: url,
      CATALOG_TOKEN: token,
    }),
    expire: (each, { token }) => each.deleteToken(token),
    more: () => ({}),
  }
  return start(kind, { port, clock, prepare })
}
