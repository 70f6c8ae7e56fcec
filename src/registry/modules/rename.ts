import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, step } from '../../kernel/index.ts'
import type { RegistryEvent } from './events.ts'
import type { Module, Moved } from './model.ts'
import { addressProblem, type ModuleAddress, sameAddress } from './names.ts'
import { addressOf } from './publish.ts'

/**
 * Moves a module to another address. Its versions, counts and identity stay; the old address redirects.
 *
 * @returns the redirect to store at the old address, or `undefined` when only the letter case changed;
 * `invalid_module_name` for an invalid new address. The caller checks whether the new address is free.
 *
 * @remarks
 * Requests for the old address are answered with 301 to the new one.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrapStep } from 'plinth'
 * import { formatAddress, publishModule, renameModule } from 'plinth/registry'
 *
 * const env = systemEnv()
 * const address = { namespace: 'acme', name: 'vpc', provider: 'aws' }
 * const module = unwrapStep(publishModule(undefined, address, env)).state
 * const { state, value } = unwrapStep(renameModule(module, { ...address, name: 'network' }, env))
 * formatAddress(state) // 'acme/network/aws'
 * value?.name // 'vpc'
 * ```
 */
export function renameModule(
  module: Module,
  input: ModuleAddress,
  _env?: Env,
): Outcome<Module, Moved | undefined, RegistryEvent, 'invalid_module_name'> {
  checkArguments('module input', module, input)
  const refused = addressProblem(input)
  if (refused) return refused
  const from = addressOf(module)
  const to = addressOf(input)
  if (from.namespace === to.namespace && from.name === to.name && from.provider === to.provider)
    return answer(module, undefined)
  return step(module, (draft, emit) => {
    Object.assign(draft, to)
    emit({ type: 'module.renamed', from, to })
    return sameAddress(from, to) ? undefined : { ...from, moduleId: module.id, to }
  })
}
