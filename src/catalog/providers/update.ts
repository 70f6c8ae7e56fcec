import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import type { Version } from '../versions/model.ts'
import { revokedProblem } from '../versions/revoke.ts'
import { providerOf } from './create.ts'
import { checkFields, type ProviderFieldRefusal, type ProviderFields } from './fields.ts'
import { findProvider, type ProviderAddress, providerTaken, settleDefault } from './identity.ts'
import type { Checksum, Provider } from './model.ts'

/**
 * Changes a provider: its name or architecture, the URL of its image, its checksum, or the default.
 *
 * @remarks
 * Setting a url for a provider with an uploaded image drops the image; the service deletes its bytes. A checksum that
 * the uploaded image does not have announces another image: until that is attached, the old one and its checksum stay.
 * If a provider stops being the default of its name, the oldest of the others becomes it.
 *
 * @returns the provider; or `provider_unknown`, `provider_taken`, or the refusal of an invalid field.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { createProvider, createVersion, updateProvider } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const added = unwrapStep(createProvider(version, { name: 'qemu' }, env))
 * const input = { at: { name: 'qemu' }, architecture: 'arm64' }
 * unwrap(updateProvider(added.state, input, env)).architecture // 'arm64'
 * ```
 */
export function updateProvider(
  version: Version,
  input: ProviderFields & {
    readonly at: ProviderAddress
    /** The digest of the stored image of the declared type, if it was computed. */
    readonly stored?: (Checksum & { readonly blob: string }) | undefined
  },
  env: Env,
  policy: { readonly byName?: boolean | undefined } = {},
): Outcome<
  Version,
  Provider,
  CatalogEvent,
  ProviderFieldRefusal | 'provider_taken' | 'provider_unknown' | 'version_revoked'
> {
  checkArguments('version input env', version, input, env)
  const before = findProvider(version.providers, input.at)
  if (!before) return refuse('provider_unknown', providerUnknown)
  const fields = checkFields({ ...input, ...checksumSaid(input, before) })
  if ('refusal' in fields) return fields
  const { checksum } = fields
  const stored =
    before.asset === null || fields.url ? undefined : storedDigest(before, checksum, input.stored)
  const announced = checksum && stored !== undefined && stored !== checksum.hex ? checksum : undefined
  const over = fields.url || announced ? revokedProblem(version) : undefined
  if (over) return over
  const name = fields.name ?? before.name
  const architecture = fields.architecture ?? before.architecture
  const taken = version.providers.some(
    (other) =>
      other.id !== before.id &&
      other.name === name &&
      // A rename through version 1 may not create two providers of one name, which version 1 could not distinguish.
      (other.architecture === architecture || (policy.byName === true && name !== before.name)),
  )
  if (taken) return refuse('provider_taken', providerTaken)
  const outcome = step(version, (draft, emit: (event: CatalogEvent) => void) => {
    const provider = draft.providers.find(({ id }) => id === before.id)
    if (!provider) return
    provider.name = name
    provider.architecture = architecture
    if (name !== before.name) {
      provider.defaultArchitecture = false
      settleDefault(draft.providers, before.name)
    }
    settleDefault(draft.providers, name, input.defaultArchitecture ? provider : undefined)
    if (fields.url !== undefined) provider.url = fields.url
    if (provider.url !== null) provider.asset = null
    if (fields.url || checksum !== undefined) delete provider.announced
    if (announced) provider.announced = announced
    else if (checksum !== undefined) provider.checksum = checksum
    provider.updatedAt = env.now
    draft.updatedAt = env.now
    emit({ type: 'provider.updated', version: version.number, provider: name, architecture })
  })
  return { ...outcome, value: providerOf(outcome.state, before.id) }
}

/** The known digest of the stored bytes, of the type of a checksum. */
function storedDigest(
  { asset }: Provider,
  said: Checksum | null | undefined,
  stored: (Checksum & { readonly blob: string }) | undefined,
): string | undefined {
  if (said?.type === 'sha256' && asset?.sha256 !== undefined) return asset.sha256
  if (stored && stored.type === said?.type && stored.blob === asset?.blob) return stored.hex
  return undefined
}

/** A checksum or a type that is given alone is combined with the stored other one. */
function checksumSaid(
  { checksum, checksumType }: ProviderFields,
  { announced, checksum: served }: Provider,
): Pick<ProviderFields, 'checksum' | 'checksumType'> {
  const known = announced ?? served
  if (known === null || (checksum === undefined && checksumType === undefined))
    return { checksum, checksumType }
  return {
    checksum: checksum === undefined ? known.hex : checksum,
    checksumType: checksumType === undefined ? known.type : checksumType,
  }
}

/** The message of the original service for anything that does not exist. */
export const providerUnknown = 'Resource not found!'
