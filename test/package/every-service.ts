import { createCatalog } from '../../src/catalog/index.ts'
import { nodeCrypto } from '../../src/crypto/node.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import type { Env, Timers } from '../../src/kernel/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets } from '../../src/secrets/index.ts'
import { memoryBlobs, type Store } from '../../src/store/index.ts'

interface Service {
  readonly routes: readonly { readonly methods: readonly string[]; readonly path: string }[]
  readonly fetch: (request: Request) => Promise<Response>
  readonly close: () => Promise<void>
}

/** An open service, and what tests need to call it. */
export interface Opened {
  readonly service: Service
  /** A path that is read without a token. */
  readonly path: string
  readonly write: () => Promise<unknown>
  /** Creates what the methods need, again after one of them deleted it or sealed the service. */
  readonly ready?: () => Promise<unknown>
  /** The last argument of every method. */
  readonly last?: object
}

/** The options that every service takes. */
interface Common {
  readonly onError: () => void
  readonly storeTimeoutMs?: number
  readonly env?: () => Env
  readonly timers?: Timers
}

/** A sender that posts nothing. */
const webhooks = { problem: () => undefined, post: () => Promise.resolve(204) }
const crypto = nodeCrypto({ scryptLogN: 4 })

export const services: Readonly<Record<string, (store: Store, common: Common) => Opened>> = {
  catalog: (store, common) => {
    const service = createCatalog({ ...common, crypto, store, blobs: memoryBlobs(nodeHashing), webhooks })
    const box = { username: 'xx', name: 'xx' }
    const ready = async () => {
      await service.putUser({ username: 'xx', password: 'correct horse' })
      await service.createBox(box)
      await service.createVersion(box, { version: '1.0.0' })
      await service.createProvider({ ...box, version: '1.0.0' }, { name: 'xx' })
    }
    return { service, path: '/api/v2/search', write: () => service.putUser({ username: 'ada' }), ready }
  },
  registry: (store, common) => {
    const service = createRegistry({ ...common, store, webhooks })
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    return { service, path: '/v1/modules', write: () => service.publishModule(vpc) }
  },
  scheduler: (store, common) => {
    const options = { managementToken: 'root', place: true, collect: true }
    const service = createScheduler({ ...common, ...options, store })
    const last = { token: 'root' }
    const write = () => service.upsertPool({ Name: 'gpu' }, last)
    return { service, path: '/v1/namespaces', write, last }
  },
  secrets: (store, common) => {
    const service = createSecrets({ ...common, crypto, store })
    const keys: string[] = []
    const write = async () => {
      const made = await service.seal.initialize({ shares: 1, threshold: 1 })
      if (made.ok) keys.push(...made.value.unsealKeys)
      return made
    }
    const ready = async () => {
      await write()
      for (const key of keys) await service.seal.unseal(key)
      for (const type of ['userpass', 'approle', 'jwt'])
        await service.mounts.enable({ path: `auth/${type}/`, type })
      for (const type of ['kv', 'transit']) await service.mounts.enable({ path: `${type}/`, type })
      await service.mounts.enable({ path: 'secret/', type: 'kv', options: { version: '2' } })
      await service.kv().list()
    }
    return { service, path: '/v1/sys/seal-status', write, ready }
  },
}

/** Methods that end what the others need. */
export const takesAway =
  /(?:^|\.)(?:delete|remove|revoke|purge|deregister|destroy|disable|fail|stop|leave|untag|end|trim|collect|sweep|prune|seal)(?![a-z]*\.)/
