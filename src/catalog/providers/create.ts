import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import type { Version } from '../versions/model.ts'
import { revokedProblem } from '../versions/revoke.ts'
import { checkFields, type ProviderFieldRefusal, type ProviderFields } from './fields.ts'
import { providerTaken, settleDefault } from './identity.ts'
import type { Provider } from './model.ts'

/**
 * Adds a provider to a version. The first of its name is the default architecture; `defaultArchitecture` moves that.
 *
 * @remarks
 * Its identity is its name and architecture. Version 1 of the API sees one provider of each name, so `byName` refuses a
 * second provider of the same name even for another architecture.
 *
 * @returns the provider; or `provider_taken`, `version_revoked`, or the refusal of an invalid field.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createProvider, createVersion } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const provider = unwrap(createProvider(version, { name: 'qemu', architecture: 'arm64' }, env))
 * provider.defaultArchitecture // true
 * ```
 */
export function createProvider(
  version: Version,
  input: ProviderFields,
  env: Env,
  policy: { readonly byName?: boolean | undefined } = {},
): Outcome<Version, Provider, CatalogEvent, ProviderFieldRefusal | 'provider_taken' | 'version_revoked'> {
  checkArguments('version input env', version, input, env)
  const over = revokedProblem(version)
  if (over) return over
  const fields = checkFields({ ...input, name: input.name ?? '' })
  if ('refusal' in fields) return fields
  const { name = '', architecture = 'unknown' } = fields
  const taken = version.providers.some(
    (other) => other.name === name && (policy.byName || other.architecture === architecture),
  )
  if (taken) return refuse('provider_taken', providerTaken)
  const id = env.newId('provider')
  const outcome = step(version, (draft, emit: (event: CatalogEvent) => void) => {
    draft.providers.push({
      id,
      name,
      architecture,
      defaultArchitecture: false,
      url: fields.url ?? null,
      checksum: fields.checksum ?? null,
      asset: null,
      createdAt: env.now,
      updatedAt: env.now,
    })
    settleDefault(draft.providers, name, input.defaultArchitecture ? draft.providers.at(-1) : undefined)
    draft.updatedAt = env.now
    emit({ type: 'provider.created', version: version.number, provider: name, architecture })
  })
  return { ...outcome, value: providerOf(outcome.state, id) }
}

/** The provider that a command has just added. */
export function providerOf(version: Version, id: string): Provider {
  const provider = version.providers.find((candidate) => candidate.id === id)
  if (!provider) throw new Error(`version ${version.number} has no provider ${id}`)
  return provider
}
