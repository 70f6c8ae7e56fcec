import type { HttpService } from '../../http/index.ts'
import { checkChoice } from '../../kernel/check-choice.ts'
import { checkFunctions } from '../../kernel/check-functions.ts'
import { checkOptions } from '../../kernel/check-options.ts'
import { checkStore } from '../../store/port/check-store.ts'
import { devicesOf } from './audit/enabled-devices.ts'
import { concepts } from './concepts.ts'
import type { SecretsContext } from './core/context.ts'
import { createCore } from './core/create-core.ts'
import { type SecretsOptions, secretsOptions } from './core/options.ts'
import { type SecretsHandles, secretsHandles } from './handles.ts'
import { secretsHttp } from './request/http.ts'
import { mountPolicyTypes } from './request/mount-types.ts'

/**
 * A secrets service: typed methods for programs that embed it, and a fetch handler for all other clients.
 *
 * @remarks
 * The methods have all permissions: they need no token. Requests through `fetch` need one.
 */
export interface Secrets extends SecretsHandles {
  /**
   * Answers a request; never rejects.
   *
   * @example await secrets.fetch(new Request('http://localhost/v1/sys/health'))
   */
  readonly fetch: HttpService<SecretsContext>['fetch']
  /**
   * The route table.
   *
   * @example secrets.routes.map(({ methods, path }) => `${methods} ${path}`)
   */
  readonly routes: HttpService<SecretsContext>['routes']
  /**
   * The OpenAPI 3.1 document of the table.
   *
   * @example JSON.stringify(secrets.openapi())
   */
  readonly openapi: HttpService<SecretsContext>['openapi']
  /**
   * The table as text.
   *
   * @example console.log(secrets.help('/v1/sys'))
   */
  readonly help: HttpService<SecretsContext>['help']
  /**
   * Deletes expired records and leftovers of deleted ones now; this also happens automatically. Returns their number.
   *
   * @example await secrets.sweep()
   */
  readonly sweep: () => Promise<number>
  /**
   * Stops background work. The store stays open.
   *
   * @example await secrets.close()
   */
  readonly close: () => Promise<void>
  /**
   * The same as `close`, for `await using`.
   *
   * @example await using server = secrets
   */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Creates a secrets service, over a store or in memory. A fresh one has to be initialised, an initialised one unsealed;
 * {@link devSecrets} does both.
 *
 * @throws TypeError that names an unknown option
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createSecrets } from 'plinth/secrets'
 *
 * const secrets = createSecrets()
 * const { unsealKeys } = unwrap(await secrets.seal.initialize({ shares: 1, threshold: 1 }))
 * for (const key of unsealKeys) unwrap(await secrets.seal.unseal(key))
 * await secrets.kv().write('app/db', { password: 'hunter2' })
 * const found = await secrets.kv().read('app/db')
 * found.ok && found.value.kind // 'live'
 * await secrets.close()
 * ```
 */
export function createSecrets(options: SecretsOptions = {}): Secrets {
  checkOptions('createSecrets', options, secretsOptions)
  checkStore(options.store)
  checkFunctions(options, ['env', 'authenticate', 'openAuditSink', 'onEvent', 'onRequest', 'onError'])
  checkChoice('role', options.role, ['active', 'standby', 'performance-standby', 'recovery-secondary'])
  const types = mountPolicyTypes(options.idpWords ?? ['idp'])
  const core = createCore(options, types, concepts, () => http.openapi())
  const http = secretsHttp(core)
  const close = async () => {
    core.sweeper.stop()
    await core.barrier.close()
    await devicesOf(core).close()
  }
  return {
    ...secretsHandles(core),
    fetch: http.fetch,
    routes: http.routes,
    openapi: http.openapi,
    help: http.help,
    sweep: core.sweeper.sweep,
    close,
    [Symbol.asyncDispose]: close,
  }
}
