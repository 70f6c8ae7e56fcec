import type { Answer, Env, Outcome } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { sweepTrail } from '../../trail/trail.ts'
import { claimAddress } from '../claim-address.ts'
import { load } from '../load.ts'
import type { RegistryRecords } from '../load-wire.ts'
import type { RegistryEvent } from '../modules/events.ts'
import type { Module } from '../modules/model.ts'
import { foldName, formatAddress, type ModuleAddress, sameAddress } from '../modules/names.ts'
import { addressOf, type ModuleChanges, type PublishModuleInput, publishModule } from '../modules/publish.ts'
import { renameModule } from '../modules/rename.ts'
import {
  addressParts,
  contents,
  looseArchives,
  modules,
  moves,
  type RegistryTx,
  versions,
} from '../records.ts'
import { moduleNotFound } from '../refusals.ts'
import { deprecateVersion } from '../versions/deprecate.ts'
import type { Deprecation } from '../versions/model.ts'
import { type PublishVersionInput, publishVersion } from '../versions/publish.ts'
import { removeVersion } from '../versions/remove.ts'
import {
  address,
  deprecation,
  from,
  loadOptions,
  moduleChanges,
  publishedModule,
  publishedVersion,
  records,
  sweepOptions,
  to,
  version,
} from './arguments.ts'
import type { RegistryParts } from './parts.ts'
import { amountsOf, growthProblem, pruneAll } from './quota.ts'
import { sweepAnswered } from './sign-in.ts'
import { sweepTokens } from './tokens.ts'

/** Runs a command on the module at an address. */
const onModule = <Value, Code extends string>(
  { commit }: RegistryParts,
  address: ModuleAddress,
  command: (module: Module, tx: RegistryTx, env: Env) => Outcome<Module, Value, RegistryEvent, Code>,
): Promise<Answer<Value, Code | 'module_not_found'>> =>
  commit<Value, Code | 'module_not_found'>((tx, env) => {
    const module = tx.get(modules, ...addressParts(address))?.value
    if (!module) return moduleNotFound(address)
    const outcome = command(module, tx, env)
    if (outcome.ok) tx.put(modules, outcome.state)
    return outcome
  })

/** The write operations of a registry. A refusal changes nothing. */
export const writeOperations = {
  /**
   * Adds a module, or changes its description; returns its address.
   *
   * @example await registry.publishModule({ namespace: 'acme', name: 'dns', provider: 'aws' })
   */
  publishModule: operation({
    takes: [publishedModule],
    refuses: ['invalid_module_name', 'text_too_long', 'module_name_taken', 'quota_exceeded'],
    run: (parts: RegistryParts, input: PublishModuleInput) =>
      parts.commit<string, 'invalid_module_name' | 'text_too_long' | 'module_name_taken' | 'quota_exceeded'>(
        (tx, env) => {
          const module = tx.get(modules, ...addressParts(input))?.value
          const outcome = publishModule(module, input, env)
          if (!outcome.ok) return outcome
          const taken = module
            ? undefined
            : (claimAddress(tx, outcome.state) ?? growthProblem(parts, tx, input.namespace, { modules: 1 }))
          if (taken) return taken
          tx.put(modules, outcome.state)
          return outcome
        },
      ),
  }),
  /**
   * Changes the description, source, labels or the partner mark of a module; returns its address.
   *
   * @example await registry.updateModule(vpc, { description: 'A private network' })
   */
  updateModule: operation({
    takes: [address, moduleChanges],
    refuses: ['invalid_module_name', 'text_too_long', 'module_not_found'],
    run: (parts: RegistryParts, address: ModuleAddress, changes: ModuleChanges) =>
      onModule(parts, address, (module, _tx, env) =>
        publishModule(module, Object.assign({}, changes, addressOf(module)), env),
      ),
  }),
  /**
   * Adds a version to a module; returns its canonical number.
   *
   * @example await registry.publishVersion(vpc, { version: '1.1.0', source: 'https://example.com/vpc.zip' })
   */
  publishVersion: operation({
    takes: [address, publishedVersion],
    refuses: [
      'invalid_version',
      'invalid_source',
      'invalid_submodule',
      'version_exists',
      'version_too_large',
      'module_too_large',
      'quota_exceeded',
      'module_not_found',
    ],
    run: (parts: RegistryParts, address: ModuleAddress, input: PublishVersionInput) =>
      onModule(parts, address, (module, tx, env) => {
        const outcome = publishVersion(module, input, env, parts.limits)
        if (!outcome.ok) return outcome
        const full = growthProblem(parts, tx, module.namespace, { versions: 1 })
        if (full) return full
        tx.put(versions, outcome.value.version)
        tx.put(contents, outcome.value.contents)
        return { ...outcome, value: outcome.value.version.number }
      }),
  }),
  /**
   * Removes a version from a module; returns its canonical number.
   *
   * @example await registry.removeVersion(vpc, '1.0.0')
   */
  removeVersion: operation({
    takes: [address, version],
    refuses: ['version_not_found', 'module_not_found'],
    run: async (parts: RegistryParts, address: ModuleAddress, version: string) => {
      let blob: string | undefined
      const removed = await onModule(parts, address, (module, tx, env) => {
        const outcome = removeVersion(module, { version }, env)
        if (!outcome.ok) return outcome
        tx.delete(versions, module.id, outcome.value)
        tx.delete(contents, module.id, outcome.value)
        blob = module.versions.find(({ number }) => number === outcome.value)?.blob
        if (blob !== undefined) tx.put(looseArchives, { blob, since: env.now })
        return outcome
      })
      if (removed.ok && blob !== undefined) await parts.archives.discard(blob)
      return removed
    },
  }),
  /**
   * Marks a version as deprecated, with a reason, or removes the mark with `null`; returns its canonical number.
   *
   * @example await registry.deprecateVersion(vpc, '1.0.0', { reason: 'use 2.0.0' })
   */
  deprecateVersion: operation({
    takes: [address, version, deprecation],
    refuses: ['version_not_found', 'invalid_deprecation', 'module_not_found'],
    run: (parts: RegistryParts, address: ModuleAddress, version: string, deprecation: Deprecation | null) =>
      onModule(parts, address, (module, _tx, env) => deprecateVersion(module, { version, deprecation }, env)),
  }),
  /**
   * Moves a module to another address, to which the old one redirects; returns the new address.
   *
   * @example
   * ```ts
   * import { createRegistry } from 'plinth/registry'
   *
   * const registry = createRegistry()
   * const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
   * await registry.publishModule(vpc)
   * await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://example.com/vpc.zip' })
   * await registry.renameModule(vpc, { ...vpc, name: 'network' })
   * const old = await registry.fetch(new Request('http://localhost/v1/modules/acme/vpc/aws/1.0.0'))
   * old.status // 301
   * await registry.close()
   * ```
   */
  renameModule: operation({
    takes: [from, to],
    refuses: ['invalid_module_name', 'module_name_taken', 'module_not_found', 'quota_exceeded'],
    run: (parts: RegistryParts, from: ModuleAddress, to: ModuleAddress) =>
      parts.commit<
        string,
        'invalid_module_name' | 'module_name_taken' | 'module_not_found' | 'quota_exceeded'
      >((tx, env) => {
        const module = tx.get(modules, ...addressParts(from))?.value
        if (!module) return moduleNotFound(from)
        const outcome = renameModule(module, to, env)
        if (!outcome.ok) return outcome
        if (!sameAddress(from, to)) {
          const stays = foldName(from.namespace) === foldName(to.namespace)
          const taken =
            claimAddress(tx, outcome.state) ??
            (stays ? undefined : growthProblem(parts, tx, to.namespace, amountsOf([module])))
          if (taken) return taken
          tx.delete(modules, ...addressParts(from))
        }
        tx.put(modules, outcome.state)
        if (outcome.value) tx.put(moves, outcome.value)
        return { ...outcome, value: formatAddress(outcome.state) }
      }),
  }),
  /**
   * Removes a module with its versions and counts; returns its address, which becomes free.
   *
   * @example await registry.removeModule(vpc)
   */
  removeModule: operation({
    takes: [address],
    refuses: ['module_not_found'],
    run: async (
      { commit, removals, report }: RegistryParts,
      address: ModuleAddress,
    ): Promise<Answer<string, 'module_not_found'>> => {
      const removed = await commit<Module, 'module_not_found'>((tx) => {
        const module = tx.get(modules, ...addressParts(address))?.value
        if (!module) return moduleNotFound(address)
        removals.remove(tx, module)
        const event = { type: 'module.removed', module: addressOf(module) } as const
        return { ok: true, value: module, events: [event] }
      })
      if (!removed.ok) return removed
      // The module is removed; leftovers that cannot be deleted now are swept later.
      await removals.clear(removed.value.id).catch(report)
      return { ok: true, value: formatAddress(removed.value) }
    },
  }),
  /**
   * Fills an empty registry with records in wire form, all of them or none; returns the number of records by kind. The
   * refusal of an invalid record has its path: `registry.modules[1].versions[0].source`. `dryRun` returns the same and
   * stores nothing.
   *
   * @example await createRegistry().load({ modules: [{ ...vpc, versions: [] }] }, { dryRun: true })
   */
  load: operation({
    takes: [records, loadOptions],
    refuses: ['bad_record', 'not_empty'],
    run: (
      { store, env }: RegistryParts,
      records: RegistryRecords,
      options?: { readonly dryRun?: boolean | undefined },
    ) => load(store, records, env, options),
  }),
  /**
   * Deletes expired tokens, changes that are old enough, versions that no retention rule keeps, and unreachable records
   * and archives that interrupted removals and publishes have left behind, and returns the number of records and
   * archives. The registry does this every hour by itself. Pass `abandoned` at start if no other process uses the
   * store: no publish is in progress then, so leftovers of the last hour are deleted too.
   *
   * @example await registry.sweep()
   */
  sweep: operation({
    takes: [sweepOptions],
    refuses: [],
    run: async (
      parts: RegistryParts,
      { abandoned = false }: { readonly abandoned?: boolean | undefined } = {},
    ) => {
      const { removals, archives, commit, store, env, keepAuditMs } = parts
      parts.outbox.wake()
      const removed =
        (await removals.sweep()) +
        (await archives.sweep(abandoned)) +
        (await sweepTokens(parts)) +
        (await sweepAnswered(parts)) +
        (await pruneAll(parts))
      return removed + (await sweepTrail({ commit, store, now: env().now }, keepAuditMs))
    },
  }),
}
