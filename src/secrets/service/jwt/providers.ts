import { lru } from '../../../kernel/lru.ts'
import {
  type IdentityProvider,
  identityProvider,
  type KeySource,
  type ProviderHost,
} from '../../../oidc/index.ts'
import type { JwtConfig } from '../../jwt/model.ts'
import { type Core, stateOf } from '../core/core.ts'

/** The providers whose keys are kept. */
const mostProviders = 64

/** What the client of a provider needs of the service. */
export const hostOf = (core: Core): ProviderHost => ({
  fetch: core.options.fetch ?? fetch,
  timers: core.timers,
  crypto: core.crypto,
  env: core.env,
})

/** Where the keys of a configuration are. */
export const sourceOf = ({ oidcDiscoveryUrl, jwksUrl, jwtValidationPubkeys }: JwtConfig): KeySource => {
  if (oidcDiscoveryUrl !== '') return { issuer: oidcDiscoveryUrl }
  return jwksUrl === '' ? { publicKeys: jwtValidationPubkeys } : { jwksUrl }
}

/** The provider of a configuration, with its keys; mounts with the same provider share it. */
export const providerOf = stateOf((core) => {
  const known = lru<IdentityProvider>(mostProviders, () => 1)
  return (config: JwtConfig): IdentityProvider => {
    const source = sourceOf(config)
    const name = JSON.stringify(source)
    const found = known.get(name) ?? identityProvider(source, hostOf(core))
    known.set(name, found)
    return found
  }
})
