import type { HttpService } from '../../http/index.ts'
import { checkChoice } from '../../kernel/check-choice.ts'
import { checkFunctions } from '../../kernel/check-functions.ts'
import { checkOptions } from '../../kernel/check-options.ts'
import { checkStore } from '../../store/port/check-store.ts'
import { secretIdExpiry } from './approle/expiry.ts'
import { heldApproleRecords } from './approle/records.ts'
import { approleService } from './approle/service.ts'
import { auditTrail } from './audit/trail.ts'
import type { SecretsContext } from './core/context.ts'
import { createCore } from './core/core.ts'
import { type SecretsOptions, secretsOptions } from './core/options.ts'
import { namespaceTables } from './core/records.ts'
import { sweeper } from './core/sweeper.ts'
import { edgeRecords, edgeSettings } from './edge/settings.ts'
import { type SecretsHandles, secretsHandles } from './handles.ts'
import { heldIdentityRecords } from './identity/records.ts'
import { identityService } from './identity/service.ts'
import { heldIdpRecords } from './idp/records.ts'
import { idpService } from './idp/service.ts'
import { plain } from './kv/plain.ts'
import { upgradeMount } from './kv/upgrade.ts'
import { versioned } from './kv/versioned.ts'
import { tokenGiver } from './logins/give-token.ts'
import { lockouts } from './logins/lockouts.ts'
import { renewals } from './logins/renewals.ts'
import { mountsService } from './mounts/service.ts'
import { namespacesService } from './namespaces/service.ts'
import { policyRecords } from './policies/records.ts'
import { policiesService } from './policies/service.ts'
import { secretsHttp } from './request/http.ts'
import { mountPolicyTypes } from './request/mount-types.ts'
import { keysService } from './seal/keys.ts'
import { rootGenerationService } from './seal/root-generation.ts'
import type { Services } from './services.ts'
import { leasesService } from './tokens/leases.ts'
import { cubbyholes, heldTokenRecords } from './tokens/records.ts'
import { tokensService } from './tokens/tokens.ts'
import { transitKeys } from './transit/records.ts'
import { transitService } from './transit/service.ts'
import { userpassUsers } from './userpass/records.ts'
import { userpassService } from './userpass/service.ts'
import { cubbyhole } from './wrapping/cubbyhole.ts'

import { wrapping } from './wrapping/service.ts'

/**
 * A secrets service: typed methods for programs that embed it, and a fetch handler for all other clients.
 *
 * @remarks
 * The methods have all permissions: they need no token. Requests through `fetch` need one.
 */
export interface Secrets extends SecretsHandles {
  /** Answers a request; never rejects. */
  readonly fetch: HttpService<SecretsContext>['fetch']
  /** The route table. */
  readonly routes: HttpService<SecretsContext>['routes']
  /** The OpenAPI 3.1 document of the table. */
  readonly openapi: HttpService<SecretsContext>['openapi']
  /** The table as text. */
  readonly help: HttpService<SecretsContext>['help']
  /**
   * Deletes expired records and leftovers of deleted ones now; this also happens automatically. Returns their number.
   */
  readonly sweep: () => Promise<number>
  /** Stops background work. The store stays open. */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
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
  checkFunctions(options, ['env', 'onEvent', 'onRequest', 'onError'])
  checkChoice('role', options.role, ['active', 'standby', 'performance-standby', 'recovery-secondary'])
  const core = createCore(options, mountPolicyTypes(options.idpWords ?? ['idp']), [
    policyRecords,
    ...heldTokenRecords,
    ...heldIdpRecords,
    userpassUsers,
    transitKeys,
    ...heldApproleRecords,
    ...heldIdentityRecords,
    namespaceTables,
    cubbyholes,
    edgeRecords,
  ])
  const policies = policiesService(core)
  const sweeps = sweeper(core, secretIdExpiry(core))
  const tokens = tokensService(core, {
    policyExists: policies.known,
    sweepAt: sweeps.at,
  })
  const identity = identityService(core)
  const mounts = mountsService(core, sweeps.at, tokens, identity)
  const store = cubbyhole(core)
  const keys = keysService(core)
  const rootGeneration = rootGenerationService(core, tokens)
  const give = tokenGiver(core, tokens, identity)
  const locks = lockouts(core)
  const idp = idpService(core, give)
  const userpass = userpassService(core, give, locks)
  const approle = approleService(core, give, locks, sweeps.at)
  const services: Services = {
    core,
    policies,
    audit: auditTrail(core),
    sweeper: sweeps,
    versioned: versioned(core, sweeps.at),
    plain: plain(core),
    edge: edgeSettings(core),
    mounts,
    keys,
    rootGeneration,
    tokens,
    leases: leasesService(core, tokens),
    identity,
    idp,
    userpass,
    approle,
    transit: transitService(core),
    lockouts: locks,
    renewalOf: renewals(core, { idp, userpass, approle }),
    cubbyhole: store,
    wrapping: wrapping(core, tokens, store),
    namespaces: namespacesService(core, sweeps.at, { policies, tokens }),
    openapi: () => http.openapi(),
    unseal: async (share) => {
      const before = await core.barrier.state()
      const result = await core.barrier.unseal(share)
      if (result.ok && result.value.opened && before !== 'unsealed') {
        core.emit({ at: core.env().now, namespace: '', type: 'seal.unsealed' })
        await core.barrier.unlessSealed(() => resume(services))
        sweeps.at(core.env().now)
      }
      return result
    },
    seal: async () => {
      keys.cancelRekey()
      rootGeneration.cancel()
      await core.barrier.seal()
      core.emit({ at: core.env().now, namespace: '', type: 'seal.sealed' })
    },
  }
  const http = secretsHttp(services)
  const close = () => {
    sweeps.stop()
    return core.barrier.close()
  }
  return {
    ...secretsHandles(services),
    fetch: http.fetch,
    routes: http.routes,
    openapi: http.openapi,
    help: http.help,
    sweep: sweeps.sweep,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Resumes upgrades that were interrupted by the end of a process. */
async function resume(services: Services): Promise<void> {
  for (const namespace of await services.namespaces.all()) {
    await services.mounts.complete(namespace)
    for (const mount of await services.mounts.list(namespace, 'secret'))
      if (mount.upgrading) await upgradeMount(services, { namespace, mount })
  }
}
