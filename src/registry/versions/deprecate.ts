import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { RegistryEvent } from '../modules/events.ts'
import type { Module } from '../modules/model.ts'
import { addressOf } from '../modules/publish.ts'
import { findNumber } from './find.ts'
import type { Deprecation } from './model.ts'

const longest = { reason: 512, link: 1024 } as const

/**
 * Marks a version as deprecated, or removes the mark. It stays listed and installable.
 *
 * @param input - `deprecation` is the reason, or `null` to remove the mark
 * @returns the canonical number of the version; or `version_not_found`, `invalid_deprecation`
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { deprecateVersion, publishModule, publishVersion } from 'plinth/registry'
 *
 * const env = systemEnv()
 * const empty = unwrapStep(publishModule(undefined, { namespace: 'acme', name: 'vpc', provider: 'aws' }, env)).state
 * const module = unwrapStep(publishVersion(empty, { version: '1.2', source: 'https://example.com/vpc.zip' }, env)).state
 * unwrap(deprecateVersion(module, { version: '1.2', deprecation: { reason: 'use 2.0' } }, env)) // '1.2.0'
 * ```
 */
export function deprecateVersion(
  module: Module,
  input: { readonly version: string; readonly deprecation: Deprecation | null },
  _env?: Env,
): Outcome<Module, string, RegistryEvent, 'version_not_found' | 'invalid_deprecation'> {
  checkArguments('module input', module, input)
  const found = findNumber(module, input.version)
  if (!found.ok) return found
  const { at, number } = found
  const { deprecation } = input
  const problem = deprecation === null ? undefined : deprecationProblem(deprecation)
  if (problem !== undefined) return refuse('invalid_deprecation', problem)
  const before = module.versions[at]?.deprecation
  if (before?.reason === deprecation?.reason && before?.link === deprecation?.link)
    return answer(module, number)
  return step(module, (draft, emit) => {
    const version = draft.versions[at]
    if (version && deprecation === null) delete version.deprecation
    else if (version && deprecation !== null) version.deprecation = { ...deprecation }
    const type = deprecation === null ? 'version.reinstated' : 'version.deprecated'
    emit({ type, module: addressOf(module), version: number })
    return number
  })
}

function deprecationProblem({ reason, link }: Deprecation): string | undefined {
  if (reason.trim() === '') return 'the reason is empty: say what to use instead'
  if (reason.length > longest.reason) return `the reason is longer than ${longest.reason} characters`
  if (link === undefined) return undefined
  if (link.length > longest.link) return `the link is longer than ${longest.link} characters`
  return /^https?:\/\//.test(link) && URL.canParse(link)
    ? undefined
    : 'the link is not a URL that begins with https:// or http://'
}
