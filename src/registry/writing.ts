import type { Answer, Env, Outcome, ServiceEvent } from '../kernel/index.ts'
import { type Replica, type Store, type Tx, transact } from '../store/index.ts'
import { claimAddress } from './claim-address.ts'
import { type Loaded, load } from './load.ts'
import type { RegistryRecords } from './load-wire.ts'
import { moduleRemoval } from './module-removal.ts'
import type { RegistryEvent } from './modules/events.ts'
import type { Module } from './modules/model.ts'
import { formatAddress, type ModuleAddress, sameAddress } from './modules/names.ts'
import { addressOf, type PublishModuleInput, publishModule } from './modules/publish.ts'
import { renameModule } from './modules/rename.ts'
import { addressParts, contents, modules, moves, versions } from './records.ts'
import { moduleNotFound } from './refusals.ts'
import type { ModuleLimits } from './versions/limits.ts'
import { type PublishVersionInput, type PublishVersionRefusal, publishVersion } from './versions/publish.ts'
import { removeVersion } from './versions/remove.ts'

/**
 * The methods of a registry that write. A refusal changes nothing.
 *
 * @public
 */
export interface RegistryWrites {
  /** Puts a module in, or changes what is said about it; answers its address. */
  readonly publishModule: (
    input: PublishModuleInput,
  ) => Promise<Answer<string, 'invalid_module_name' | 'text_too_long' | 'module_name_taken'>>
  /** Adds a version to a module; answers its canonical number. */
  readonly publishVersion: (
    address: ModuleAddress,
    input: PublishVersionInput,
  ) => Promise<Answer<string, PublishVersionRefusal | 'module_not_found'>>
  /** Takes a version out of a module; answers its canonical number. */
  readonly removeVersion: (
    address: ModuleAddress,
    version: string,
  ) => Promise<Answer<string, 'version_not_found' | 'module_not_found'>>
  /**
   * Gives a module another address and has the old one redirect there; answers the new one.
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
  readonly renameModule: (
    from: ModuleAddress,
    to: ModuleAddress,
  ) => Promise<Answer<string, 'invalid_module_name' | 'module_name_taken' | 'module_not_found'>>
  /** Takes a module out with its versions and counts; answers its address, which is free again. */
  readonly removeModule: (address: ModuleAddress) => Promise<Answer<string, 'module_not_found'>>
  /**
   * Fills an empty registry with records in wire form, all of them or none; answers how many of each kind. A bad record is
   * named by its path: `registry.modules[1].versions[0].source`. With `dryRun` it answers what it would answer, and stores
   * nothing.
   */
  readonly load: (
    records: RegistryRecords,
    options?: { readonly dryRun?: boolean | undefined },
  ) => Promise<Answer<Loaded, 'bad_record' | 'not_empty'>>
  /**
   * Takes away what removals that broke off have left behind, which nobody can reach; done every hour anyway. Answers
   * how many records that was.
   */
  readonly sweep: () => Promise<number>
}

/** What the methods that write need. */
export interface WriteOptions {
  readonly store: Store
  readonly view: () => Promise<Replica>
  readonly env: () => Env
  readonly limits: ModuleLimits
  readonly emit: (event: ServiceEvent<RegistryEvent>) => void
  readonly onError: (error: unknown) => void
}

/** Writes for {@link RegistryWrites}. */
export function writing({ store, view, env, limits, emit, onError }: WriteOptions): RegistryWrites {
  const removals = moduleRemoval({ view, env })
  /** Decides, commits, and reports what happened once it is stored. */
  const commit = async <Value, Code extends string>(
    decide: (tx: Tx, env: Env) => Outcome<unknown, Value, RegistryEvent, Code>,
  ): Promise<Answer<Value, Code>> => {
    const captured = env()
    const { result } = await transact(
      await view(),
      () => env().newId('commit'),
      (tx) => decide(tx, captured),
    )
    if (!result.ok) return result
    for (const event of result.events) emit({ at: captured.now, ...event })
    return { ok: true, value: result.value }
  }
  /** Runs a command on the module at an address. */
  const onModule = <Value, Code extends string>(
    address: ModuleAddress,
    command: (module: Module, tx: Tx, env: Env) => Outcome<Module, Value, RegistryEvent, Code>,
  ): Promise<Answer<Value, Code | 'module_not_found'>> =>
    commit<Value, Code | 'module_not_found'>((tx, captured) => {
      const module = tx.get(modules, ...addressParts(address))?.value
      if (!module) return moduleNotFound(address)
      const outcome = command(module, tx, captured)
      if (outcome.ok) tx.put(modules, outcome.state)
      return outcome
    })

  return {
    publishModule: (input) =>
      commit<string, 'invalid_module_name' | 'text_too_long' | 'module_name_taken'>((tx, captured) => {
        const module = tx.get(modules, ...addressParts(input))?.value
        const outcome = publishModule(module, input, captured)
        if (!outcome.ok) return outcome
        const taken = module ? undefined : claimAddress(tx, outcome.state)
        if (taken) return taken
        tx.put(modules, outcome.state)
        return outcome
      }),
    publishVersion: (address, input) =>
      onModule(address, (module, tx, captured) => {
        const outcome = publishVersion(module, input, captured, limits)
        if (!outcome.ok) return outcome
        tx.put(versions, outcome.value.version)
        tx.put(contents, outcome.value.contents)
        return { ...outcome, value: outcome.value.version.number }
      }),
    removeVersion: (address, version) =>
      onModule(address, (module, tx, captured) => {
        const outcome = removeVersion(module, { version }, captured)
        if (!outcome.ok) return outcome
        tx.delete(versions, module.id, outcome.value)
        tx.delete(contents, module.id, outcome.value)
        return outcome
      }),
    renameModule: (from, to) =>
      commit<string, 'invalid_module_name' | 'module_name_taken' | 'module_not_found'>((tx, captured) => {
        const module = tx.get(modules, ...addressParts(from))?.value
        if (!module) return moduleNotFound(from)
        const outcome = renameModule(module, to, captured)
        if (!outcome.ok) return outcome
        if (!sameAddress(from, to)) {
          const taken = claimAddress(tx, outcome.state)
          if (taken) return taken
          tx.delete(modules, ...addressParts(from))
        }
        tx.put(modules, outcome.state)
        if (outcome.value) tx.put(moves, outcome.value)
        return { ...outcome, value: formatAddress(outcome.state) }
      }),
    removeModule: async (address) => {
      const removed = await commit<Module, 'module_not_found'>((tx) => {
        const module = tx.get(modules, ...addressParts(address))?.value
        if (!module) return moduleNotFound(address)
        removals.remove(tx, module)
        const event = { type: 'module.removed', module: addressOf(module) } as const
        return { ok: true, state: undefined, value: module, events: [event] }
      })
      if (!removed.ok) return removed
      // It is gone; what it left behind and cannot be cleared now is swept later.
      await removals.clear(removed.value.id).catch(onError)
      return { ok: true, value: formatAddress(removed.value) }
    },
    load: (records, options) => load(store, records, env, options),
    sweep: removals.sweep,
  }
}
