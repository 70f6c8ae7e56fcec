import { nodeCrypto } from '../crypto/index.ts'
import type { HttpService, OpenApiDocument, Route, ServiceFetch } from '../http/index.ts'
import { checkFunctions } from '../kernel/check-functions.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import { checkOptions } from '../kernel/check-options.ts'
import { eventEmitter } from '../kernel/event-emitter.ts'
import { hourly } from '../kernel/hourly.ts'
import { systemEnv, systemTimers } from '../kernel/index.ts'
import { firstFault } from '../operation/known-fields.ts'
import { bindOperations, checkedMethods, type MethodsOf } from '../operation/operation.ts'
import { nodeHashing } from '../store/blobs/node-hashing.ts'
import { type Blobs, memoryBlobs, memoryStore } from '../store/index.ts'
import { checkStore } from '../store/port/check-store.ts'
import { type ArchiveLimits, archiveLimits } from './archive/entry.ts'
import { archiveTickets } from './archive-tickets.ts'
import type { RegistryContext } from './context.ts'
import { registryHttp } from './http.ts'
import { LoginService } from './login-service.ts'
import { type RegistryOperations, registryOperations } from './operations/index.ts'
import { registryParts } from './operations/parts.ts'
import { type RegistryOptions, registryOptions } from './options.ts'
import { type ModuleLimits, moduleLimits } from './versions/limits.ts'

/**
 * A module registry: its methods, and its HTTP interface as a fetch handler.
 *
 * @remarks
 * Methods return `{ ok: true, value }` or a refusal; `unwrap` turns a refusal into an exception. A reader limits a
 * method to some namespaces; without one it sees everything. For arguments of the wrong type, methods reject with a
 * TypeError that names the argument.
 *
 * @public
 */
export interface Registry extends MethodsOf<RegistryOperations> {
  /** Answers a request; never rejects. */
  readonly fetch: ServiceFetch
  /** The route table. */
  readonly routes: readonly Route<RegistryContext>[]
  /** The OpenAPI 3.1 document of the table. */
  readonly openapi: () => OpenApiDocument
  /** The table as text. */
  readonly help: HttpService<RegistryContext>['help']
  /** Stores pending counts and releases the store, which stays open. */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Creates a module registry on a store.
 *
 * @remarks
 * Modules are published by method or over HTTP, as archives that the registry stores or as URLs, or loaded as records.
 * Publishing over HTTP needs a token: see `createToken`.
 *
 * @throws TypeError that names an option which it does not have
 *
 * @example
 * ```ts
 * import { createRegistry } from 'plinth/registry'
 * import { memoryStore } from 'plinth/store'
 *
 * const registry = createRegistry({ store: memoryStore() })
 * const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
 * await registry.publishModule({ ...vpc, description: 'A private network' })
 * await registry.publishVersion(vpc, { version: 'v1.2', source: 'https://example.com/vpc-1.2.zip' })
 *
 * const download = await registry.fetch(new Request('http://localhost/v1/modules/acme/vpc/aws/1.2.0/download'))
 * download.status // 204
 * download.headers.get('X-Registry-Get') // 'https://example.com/vpc-1.2.zip'
 * await registry.close()
 * ```
 *
 * @public
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  checkOptions('createRegistry', options, registryOptions)
  checkStore(options.store)
  checkNumbers(
    { least: 1, unit: 'characters' },
    {
      'limits.charactersPerVersion': options.limits?.charactersPerVersion,
      'limits.charactersPerModule': options.limits?.charactersPerModule,
    },
  )
  checkNumbers(
    { least: 1, unit: 'bytes' },
    {
      'archives.archiveBytes': options.archives?.archiveBytes,
      'archives.expandedBytes': options.archives?.expandedBytes,
    },
  )
  checkNumbers({ least: 1, unit: 'entries' }, { 'archives.entries': options.archives?.entries })
  checkLogin(options.login)
  checkFunctions(options, ['env', 'turnAway', 'publishers', 'onEvent', 'onRequest', 'onError'])
  const { store = memoryStore(), env = systemEnv, timers = systemTimers } = options
  const report = (error: unknown) => options.onError?.(error)
  const limits: ModuleLimits = {
    charactersPerVersion: options.limits?.charactersPerVersion ?? moduleLimits.charactersPerVersion,
    charactersPerModule: options.limits?.charactersPerModule ?? moduleLimits.charactersPerModule,
  }
  const emit = eventEmitter(options.onEvent, report)
  const sizes: ArchiveLimits = {
    archiveBytes: options.archives?.archiveBytes ?? archiveLimits.archiveBytes,
    expandedBytes: options.archives?.expandedBytes ?? archiveLimits.expandedBytes,
    entries: options.archives?.entries ?? archiveLimits.entries,
  }
  const blobs = blobsOf(options)
  const crypto = options.crypto ?? nodeCrypto()
  const parts = registryParts({
    store,
    env,
    timers,
    limits,
    crypto,
    blobs,
    archiveLimits: sizes,
    emit,
    report,
  })
  const methods = bindOperations(registryOperations, parts)
  const tickets = options.authenticate && archiveTickets(parts)
  const { fetch, routes, openapi, help } = registryHttp(methods, options, {
    env,
    tickets,
    archiveBytes: sizes.archiveBytes,
  })
  // Last, for a mistake in the options is thrown before.
  const endSweeps = hourly(timers, () => methods.sweep(), report)
  const close = async (): Promise<void> => {
    endSweeps()
    await parts.close()
  }
  return {
    ...checkedMethods(registryOperations, methods),
    fetch,
    routes,
    openapi,
    help,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The blob store of a registry: the given one, or memory if the records are in memory too. */
function blobsOf({ store, blobs }: RegistryOptions): Blobs | undefined {
  if (blobs === undefined) return store === undefined ? memoryBlobs(nodeHashing) : undefined
  if (typeof blobs.put === 'function') return blobs
  throw new TypeError('blobs is not a blob store: pass await directoryBlobs(path) of plinth/node')
}

function checkLogin(login: LoginService | undefined): void {
  const problem = login === undefined ? undefined : LoginService.safeParse(login).error
  if (!problem) return
  const { path, message } = firstFault(problem, ['login'])
  throw new TypeError(`${path}: ${message}`)
}
