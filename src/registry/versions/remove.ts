import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, step } from '../../kernel/index.ts'
import type { RegistryEvent } from '../modules/events.ts'
import type { Module } from '../modules/model.ts'
import { addressOf } from '../modules/publish.ts'
import { findNumber } from './find.ts'

/**
 * Removes a version from a module. Its number may be published again.
 *
 * @returns the canonical number of the removed version, or `version_not_found`. A module without versions is no longer
 * listed.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { publishModule, publishVersion, removeVersion } from 'plinth/registry'
 *
 * const env = systemEnv()
 * const address = { namespace: 'acme', name: 'vpc', provider: 'aws' }
 * const empty = unwrapStep(publishModule(undefined, address, env)).state
 * const input = { version: 'v1.2', source: 'https://example.com/vpc.zip' }
 * const module = unwrapStep(publishVersion(empty, input, env)).state
 * unwrap(removeVersion(module, { version: '1.2' }, env)) // '1.2.0'
 * ```
 */
export function removeVersion(
  module: Module,
  input: { readonly version: string },
  _env?: Env,
): Outcome<Module, string, RegistryEvent, 'version_not_found'> {
  checkArguments('module input', module, input)
  const found = findNumber(module, input.version)
  if (!found.ok) return found
  const { at, number } = found
  return step(module, (draft, emit) => {
    draft.versions.splice(at, 1)
    emit({ type: 'version.removed', module: addressOf(module), version: number })
    return number
  })
}
