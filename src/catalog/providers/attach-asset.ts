import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import type { Version } from '../versions/model.ts'
import { providerOf } from './create.ts'
import { findProvider, type ProviderAddress } from './identity.ts'
import type { Asset, Provider } from './model.ts'
import { providerUnknown } from './update.ts'

/**
 * Attaches an uploaded image to a provider, replacing an earlier image or a URL. An announced checksum becomes its own.
 *
 * @returns the provider; or `provider_unknown`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { attachAsset, createProvider, createVersion, isUsable } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const added = unwrapStep(createProvider(version, { name: 'qemu' }, env))
 * const input = { at: { name: 'qemu' }, asset: { blob: 'blob-1', size: 177 } }
 * isUsable(unwrap(attachAsset(added.state, input, env))) // true
 * ```
 */
export function attachAsset(
  version: Version,
  input: { readonly at: ProviderAddress; readonly asset: Asset },
  env: Env,
): Outcome<Version, Provider, CatalogEvent, 'provider_unknown'> {
  checkArguments('version input env', version, input, env)
  const before = findProvider(version.providers, input.at)
  if (!before) return refuse('provider_unknown', providerUnknown)
  const outcome = step(version, (draft, emit: (event: CatalogEvent) => void) => {
    const provider = draft.providers.find(({ id }) => id === before.id)
    if (!provider) return
    provider.asset = { ...input.asset }
    provider.url = null
    if (provider.announced) provider.checksum = provider.announced
    delete provider.announced
    provider.updatedAt = env.now
    draft.updatedAt = env.now
    const { name, architecture } = before
    emit({ type: 'image.uploaded', version: version.number, provider: name, architecture })
  })
  return { ...outcome, value: providerOf(outcome.state, before.id) }
}
