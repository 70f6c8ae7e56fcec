import type { HttpService, OpenApiDocument, Route, ServiceFetch } from '../http/index.ts'
import { checkFunctions } from '../kernel/check-functions.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import { checkOptions } from '../kernel/check-options.ts'
import { hourly } from '../kernel/hourly.ts'
import { checkTrust } from '../oidc/index.ts'
import { firstFault } from '../operation/known-fields.ts'
import { bindOperations, checkedMethods, type MethodsOf } from '../operation/operation.ts'
import { checkStore } from '../store/port/check-store.ts'
import { checkSignIn } from './check-sign-in.ts'
import type { RegistryContext } from './context.ts'
import { registryHttp } from './http.ts'
import { LoginService } from './login-service.ts'
import { isAddressPart } from './modules/names.ts'
import { type RegistryOperations, registryOperations } from './operations/index.ts'
import { registryParts } from './operations/parts.ts'
import { type RegistryOptions, registryOptions } from './options.ts'

/**
 * A module registry: its methods, and its HTTP interface as a fetch handler.
 *
 * @remarks
 * Methods return `{ ok: true, value }` or a refusal; `unwrap` turns a refusal into an exception. A reader limits a
 * method to some namespaces; without one it sees everything. For arguments of the wrong type, methods reject with a
 * TypeError that names the argument.
 */
export interface Registry extends MethodsOf<RegistryOperations> {
  /**
   * Answers a request; never rejects.
   *
   * @example await registry.fetch(new Request('http://localhost/v1/modules'))
   */
  readonly fetch: ServiceFetch
  /**
   * The route table.
   *
   * @example registry.routes.map(({ methods, path }) => `${methods} ${path}`)
   */
  readonly routes: readonly Route<RegistryContext>[]
  /**
   * The OpenAPI 3.1 document of the table.
   *
   * @example JSON.stringify(registry.openapi())
   */
  readonly openapi: () => OpenApiDocument
  /**
   * The table as text.
   *
   * @example console.log(registry.help('/v1/modules'))
   */
  readonly help: HttpService<RegistryContext>['help']
  /**
   * Stores pending counts and releases the store, which stays open.
   *
   * @example await registry.close()
   */
  readonly close: () => Promise<void>
  /**
   * The same as `close`, for `await using`.
   *
   * @example await using server = registry
   */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Creates a module registry on a store.
 *
 * @remarks
 * Modules are published by method or over HTTP, as archives that the registry stores or as URLs, or loaded as records.
 * Publishing over HTTP needs a token: see `createToken`.
 *
 * @throws TypeError that names an unknown option
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
    { least: 1, unit: 'modules' },
    { 'limits.modulesPerNamespace': options.limits?.modulesPerNamespace },
  )
  checkNumbers(
    { least: 1, unit: 'versions' },
    {
      keepVersions: options.keepVersions,
      'limits.versionsPerNamespace': options.limits?.versionsPerNamespace,
    },
  )
  checkNumbers(
    { least: 1, unit: 'bytes' },
    {
      'limits.bytesPerNamespace': options.limits?.bytesPerNamespace,
      'archives.archiveBytes': options.archives?.archiveBytes,
      'archives.expandedBytes': options.archives?.expandedBytes,
    },
  )
  checkNumbers({ least: 1, unit: 'entries' }, { 'archives.entries': options.archives?.entries })
  checkNumbers({ least: 0, unit: 'milliseconds' }, { keepAuditMs: options.keepAuditMs })
  checkLogin(options)
  checkTrust(options.trust ?? [], (namespace) => isAddressPart('namespace', namespace))
  if (options.blobs !== undefined && typeof options.blobs.put !== 'function')
    throw new TypeError('blobs is not a blob store: pass await directoryBlobs(path) of plinth/node')
  checkFunctions(options, ['env', 'fetch', 'turnAway', 'publishers', 'onEvent', 'onRequest', 'onError'])
  const parts = registryParts(options)
  const methods = bindOperations(registryOperations, parts)
  const { fetch, routes, openapi, help } = registryHttp(options, parts)
  // Last, because a mistake in the options is thrown first.
  const endSweeps = hourly(parts.timers, () => methods.sweep(), parts.report)
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

function checkLogin({ login, oidc }: RegistryOptions): void {
  if (oidc !== undefined) checkSignIn(oidc)
  if (login !== undefined && oidc !== undefined)
    throw new TypeError('login: leave it out, because the registry itself is the server with oidc')
  const problem = login === undefined ? undefined : LoginService.safeParse(login).error
  if (!problem) return
  const { path, message } = firstFault(problem, ['login'])
  throw new TypeError(`${path}: ${message}`)
}
