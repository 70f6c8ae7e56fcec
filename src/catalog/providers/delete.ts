import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import type { Version } from '../versions/model.ts'
import { findProvider, type ProviderAddress, settleDefault } from './identity.ts'
import type { Provider } from './model.ts'
import { providerUnknown } from './update.ts'

/**
 * Takes a provider off a version. If it was the default architecture of its name, the oldest that remains becomes it.
 *
 * @returns the provider as it was; or `provider_unknown`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createVersion, deleteProvider } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const refused = deleteProvider(version, { at: { name: 'qemu' } }, env)
 * !refused.ok && refused.refusal.code // 'provider_unknown'
 * ```
 */
export function deleteProvider(
  version: Version,
  input: { readonly at: ProviderAddress },
  env: Env,
): Outcome<Version, Provider, CatalogEvent, 'provider_unknown'> {
  checkArguments('version input env', version, input, env)
  const provider = findProvider(version.providers, input.at)
  if (!provider) return refuse('provider_unknown', providerUnknown)
  const outcome = step(version, (draft, emit: (event: CatalogEvent) => void) => {
    draft.providers = draft.providers.filter(({ id }) => id !== provider.id)
    settleDefault(draft.providers, provider.name)
    draft.updatedAt = env.now
    const { name, architecture } = provider
    emit({ type: 'provider.deleted', version: version.number, provider: name, architecture })
  })
  return { ...outcome, value: provider }
}
