import type { Step } from 'plinth'
import {
  createRegistry,
  type Module,
  type ModuleDetails,
  type PublishedRecords,
  parseVersion,
  publishVersion,
  type Registry,
  type RegistryEvent,
  type VersionNumber,
} from 'plinth/registry'
import { memoryStore } from 'plinth/store'
import { expectAssignable, expectError, expectType } from 'tsd'

const registry = createRegistry({ store: memoryStore() })
expectType<Registry>(registry)

// Each method lists its own refusals, and its value is there only once they are ruled out.
const read = await registry.readModule({ namespace: 'acme', name: 'vpc', provider: 'aws' })
if (read.ok) expectType<ModuleDetails>(read.value)
else expectType<'module_not_found' | 'module_moved' | 'version_not_found'>(read.refusal.code)
expectError(read.value)

const removed = await registry.removeModule({ namespace: 'acme', name: 'vpc', provider: 'aws' })
if (!removed.ok) expectType<'module_not_found'>(removed.refusal.code)

// A pure command says the same.
declare const module: Module
const published = publishVersion(module, { version: '1.0.0', source: './x.zip' }, { now: 0, newId: () => '' })
if (published.ok) expectAssignable<Step<Module, PublishedRecords, RegistryEvent>>(published)
else
  expectType<
    | 'invalid_version'
    | 'invalid_source'
    | 'invalid_submodule'
    | 'version_exists'
    | 'version_too_large'
    | 'module_too_large'
  >(published.refusal.code)

// An address needs all three parts, and a version its source; a registry without a store is in memory.
expectError(registry.removeModule({ namespace: 'acme', name: 'vpc' }))
expectType<Registry>(createRegistry())
expectType<Registry>(createRegistry({ store: undefined, turnAway: () => undefined }))
expectError(registry.publishVersion({ namespace: 'acme', name: 'vpc', provider: 'aws' }, { version: '1' }))

// A version's documentation may be partial.
expectAssignable<Parameters<typeof registry.publishVersion>[1]>({
  version: '1',
  source: './x.zip',
  root: { readme: '# VPC', inputs: [{ name: 'cidr' }] },
  submodules: [{ path: 'nat' }],
})

expectType<VersionNumber | undefined>(parseVersion('1.0.0'))
