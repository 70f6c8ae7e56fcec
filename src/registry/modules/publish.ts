import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, type Refused, refuse, step } from '../../kernel/index.ts'
import type { RegistryEvent } from './events.ts'
import type { Module } from './model.ts'
import { addressProblem, formatAddress, type ModuleAddress } from './names.ts'

/**
 * The description of a module; omitted fields stay unchanged, or start empty.
 */
export interface PublishModuleInput extends ModuleAddress {
  /** The maintainer. */
  readonly owner?: string | undefined
  /** A short description; searched. */
  readonly description?: string | undefined
  /** The URL of its source code. */
  readonly source?: string | undefined
  /** Whether it is published by a partner of the registry. */
  readonly verified?: boolean | undefined
}

/** The fields that a publisher can change on an existing module. */
const editable = ['owner', 'description', 'source', 'verified'] as const

/** The maximum length of the texts that lists show of every module. */
const longest = { owner: 256, description: 4096, source: 4096 } as const

/**
 * Adds a module to the registry, or changes the description of an existing one.
 *
 * @param module - the module at that address; `undefined` if there is none
 * @returns the module's address as text; or `invalid_module_name`, `text_too_long`. A new module has no versions and is
 * not listed until it has one; the letter case of an existing address is kept.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { publishModule } from 'plinth/registry'
 *
 * unwrap(publishModule(undefined, { namespace: 'acme', name: 'vpc', provider: 'aws' }, systemEnv())) // 'acme/vpc/aws'
 * ```
 */
export function publishModule(
  module: Module | undefined,
  input: PublishModuleInput,
  env: Env,
): Outcome<Module, string, RegistryEvent, 'invalid_module_name' | 'text_too_long'> {
  checkArguments('input env', input, env)
  const refused = addressProblem(input) ?? textProblem(input)
  if (refused) return refused
  if (!module) {
    const { namespace, name, provider, owner = '', description = '', source = '', verified = false } = input
    const id = env.newId('module')
    const state: Module = {
      id,
      namespace,
      name,
      provider,
      owner,
      description,
      source,
      verified,
      versions: [],
    }
    const event = { type: 'module.published', module: addressOf(state) } as const
    return { ok: true, state, value: formatAddress(state), events: [event] }
  }
  if (editable.every((field) => input[field] === undefined || input[field] === module[field]))
    return answer(module, formatAddress(module))
  return step(module, (draft, emit) => {
    draft.owner = input.owner ?? draft.owner
    draft.description = input.description ?? draft.description
    draft.source = input.source ?? draft.source
    draft.verified = input.verified ?? draft.verified
    emit({ type: 'module.updated', module: addressOf(module) })
    return formatAddress(module)
  })
}

function textProblem(input: PublishModuleInput): Refused<'text_too_long'> | undefined {
  for (const field of ['owner', 'description', 'source'] as const)
    if ((input[field]?.length ?? 0) > longest[field])
      return refuse('text_too_long', `the ${field} is too long: it has at most ${longest[field]} characters`)
  return undefined
}

/** Only the address of an object that has one. */
export const addressOf = ({ namespace, name, provider }: ModuleAddress): ModuleAddress => ({
  namespace,
  name,
  provider,
})
