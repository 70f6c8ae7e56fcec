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
  /** Words to find it by, at most 20. */
  readonly labels?: readonly string[] | undefined
  /** Whether it is published by a partner of the registry. */
  readonly verified?: boolean | undefined
}

/**
 * What changes about a module; omitted fields stay unchanged.
 */
export interface ModuleChanges
  extends Pick<PublishModuleInput, 'description' | 'source' | 'labels' | 'verified'> {}

/** The fields that a publisher can change on an existing module. */
const editable = ['owner', 'description', 'source', 'labels', 'verified'] as const

/** The maximum length of the texts that lists show of every module. */
const longest = { owner: 256, description: 4096, source: 4096 } as const

const mostLabels = 20
const longestLabel = 64

/** The labels of a module, without empty and repeated ones. */
const labelled = (labels: readonly string[]): Pick<Module, 'labels'> => {
  const kept = [...new Set(labels.map((label) => label.trim()))].filter((label) => label !== '')
  return kept.length === 0 ? {} : { labels: kept }
}

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
    const {
      namespace,
      name,
      provider,
      owner = '',
      description = '',
      source = '',
      verified = false,
      labels = [],
    } = input
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
      ...labelled(labels),
      versions: [],
    }
    const event = { type: 'module.published', module: addressOf(state) } as const
    return { ok: true, state, value: formatAddress(state), events: [event] }
  }
  const same = editable.every((field) => {
    const given = input[field]
    return given === undefined || JSON.stringify(given) === JSON.stringify(module[field] ?? [])
  })
  if (same && !(input.description && module.descriptionFrom)) return answer(module, formatAddress(module))
  return step(module, (draft, emit) => {
    draft.owner = input.owner ?? draft.owner
    if (input.description !== undefined) {
      draft.description = input.description
      delete draft.descriptionFrom
    }
    draft.source = input.source ?? draft.source
    draft.verified = input.verified ?? draft.verified
    if (input.labels !== undefined) {
      delete draft.labels
      Object.assign(draft, labelled(input.labels))
    }
    emit({ type: 'module.updated', module: addressOf(module) })
    return formatAddress(module)
  })
}

function textProblem(input: PublishModuleInput): Refused<'text_too_long'> | undefined {
  for (const field of ['owner', 'description', 'source'] as const)
    if ((input[field]?.length ?? 0) > longest[field])
      return refuse('text_too_long', `the ${field} is too long: it has at most ${longest[field]} characters`)
  const { labels = [] } = input
  if (labels.length > mostLabels || labels.some((label) => label.length > longestLabel))
    return refuse(
      'text_too_long',
      `the labels are too long: a module has at most ${mostLabels} of up to ${longestLabel} characters`,
    )
  return undefined
}

/** Only the address of an object that has one. */
export const addressOf = ({ namespace, name, provider }: ModuleAddress): ModuleAddress => ({
  namespace,
  name,
  provider,
})
