import type { Provider } from './model.ts'

/**
 * Identifies a provider of a version. Version 1 of the API has no architectures: it omits it, and means the default one
 * of that name.
 */
export interface ProviderAddress {
  readonly name: string
  readonly architecture?: string | undefined
}

/**
 * The provider at an address.
 *
 * @example
 * ```ts
 * import { findProvider } from 'plinth/catalog'
 *
 * const providers = [
 *   { name: 'qemu', architecture: 'amd64', defaultArchitecture: true },
 *   { name: 'qemu', architecture: 'arm64', defaultArchitecture: false },
 * ] as const
 * findProvider(providers, { name: 'qemu' })?.architecture // 'amd64'
 * findProvider(providers, { name: 'qemu', architecture: 'mips' }) // undefined
 * ```
 */
export const findProvider = <P extends Pick<Provider, 'name' | 'architecture' | 'defaultArchitecture'>>(
  providers: readonly P[],
  { name, architecture }: ProviderAddress,
): P | undefined =>
  providers.find(
    (provider) =>
      provider.name === name &&
      (architecture === undefined ? provider.defaultArchitecture : provider.architecture === architecture),
  )

/**
 * A version's providers as version 1 of the API shows them: one of each name, that of the default architecture. A
 * client of version 1 would take the last of several, even on a machine of another architecture.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { createProvider, createVersion, defaultProviders } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const one = unwrapStep(createProvider(version, { name: 'qemu', architecture: 'arm64' }, env)).state
 * const two = unwrapStep(createProvider(one, { name: 'qemu', architecture: 'amd64' }, env)).state
 * defaultProviders(two.providers).map(({ architecture }) => architecture) // ['arm64']
 * ```
 */
export const defaultProviders = (providers: readonly Provider[]): readonly Provider[] =>
  providers.filter(({ defaultArchitecture }) => defaultArchitecture)

/** Makes exactly one provider of a name the default: the requested one, else the oldest. For drafts only. */
export function settleDefault(providers: Provider[], name: string, wanted?: Provider): void {
  const named = providers.filter((provider) => provider.name === name)
  const chosen = wanted ?? named.find(({ defaultArchitecture }) => defaultArchitecture) ?? named[0]
  for (const provider of named) provider.defaultArchitecture = provider === chosen
}

/** The message of the original service, which publishing scripts look for. */
export const providerTaken = 'Metadata provider must be unique for version'
