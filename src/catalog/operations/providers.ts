import type { Answer } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { nodeHashing } from '../../store/blobs/node-hashing.ts'
import { createProvider } from '../providers/create.ts'
import { deleteProvider } from '../providers/delete.ts'
import { isChecksumType, type ProviderFields } from '../providers/fields.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import type { Provider } from '../providers/model.ts'
import { updateProvider } from '../providers/update.ts'
import type { Core } from '../service/core.ts'
import type { ProviderDetail, VersionDetail } from '../service/details.ts'
import { changing, notFound, type SeeRefusal, seeing, type VersionAddress } from '../service/guard.ts'
import { withinLimits } from '../service/limits.ts'
import { at, policy, provider, version } from './arguments.ts'
import type { ProviderPolicy } from './inputs.ts'
import { commandOn, findOwnVersion, findVersion } from './on-box.ts'

/** The refusals of creating or changing a provider. */
const saving = [
  ...changing,
  'invalid_provider_name',
  'invalid_architecture',
  'invalid_url',
  'invalid_checksum',
  'provider_taken',
  'version_revoked',
  'version_too_large',
  'box_too_large',
  'quota_exceeded',
] as const

/** Computes a missing digest of a stored image. */
async function digestOfStored(
  core: Core,
  address: VersionAddress,
  at: ProviderAddress,
  { checksumType: type, checksum, url }: ProviderFields,
) {
  if (!core.verifyChecksums || !checksum || url || !type || !isChecksumType(type)) return undefined
  const located = await findOwnVersion(core, address)
  const asset = located.ok ? findProvider(located.version.providers, at)?.asset : undefined
  if (!asset || (type === 'sha256' && asset.sha256 !== undefined)) return undefined
  const found = await core.blobs.get(asset.blob)
  if (!found) return undefined
  const hash = nodeHashing(type)
  for await (const chunk of found.body) hash.update(chunk)
  return { type, hex: hash.digest(), blob: asset.blob }
}

const withProvider = ({ box, version }: VersionDetail, provider: Provider): ProviderDetail => ({
  box,
  version,
  provider,
})

/** The provider operations of a caller. An address without an architecture means the default one of its name. */
export const providerOperations = {
  /**
   * Adds a provider to a version: hosted elsewhere if it has a `url`, else to be uploaded.
   *
   * @example await catalog.createProvider(version, { name: 'qemu', url: 'https://example.com/tiny.box' })
   */
  createProvider: operation({
    takes: [version, provider, policy],
    refuses: saving,
    run: (core: Core, address: VersionAddress, input: ProviderFields, policy?: ProviderPolicy) =>
      commandOn(
        core,
        address,
        (version, env, tx, box) =>
          withinLimits(core, tx, box, version, createProvider(version, input, env, policy)),
        withProvider,
      ),
  }),
  /**
   * Reads a provider of a version in any status, for callers who may see the box.
   *
   * @example await catalog.readProvider(version, { name: 'virtualbox' })
   */
  readProvider: operation({
    takes: [version, at],
    refuses: seeing,
    run: async (
      core: Core,
      address: VersionAddress,
      at: ProviderAddress,
    ): Promise<Answer<ProviderDetail, SeeRefusal>> => {
      const located = await findVersion(core, address)
      if (!located.ok) return located
      const provider = findProvider(located.version.providers, at)
      return provider ? { ok: true, value: withProvider(located, provider) } : notFound
    },
  }),
  /**
   * Changes a provider; omitted fields stay unchanged. A `url` replaces an uploaded image. A checksum that the image does
   * not have announces another: until its bytes have arrived, the old image and its checksum are served.
   *
   * @example await catalog.updateProvider(version, { name: 'virtualbox' }, { url: 'https://example.com/b.box' })
   */
  updateProvider: operation({
    takes: [version, at, provider, policy],
    refuses: [...saving, 'provider_unknown'],
    run: async (
      core: Core,
      address: VersionAddress,
      at: ProviderAddress,
      input: ProviderFields,
      policy?: ProviderPolicy,
    ) => {
      const stored = await digestOfStored(core, address, at, input)
      return commandOn(
        core,
        address,
        (version, env, tx, box) =>
          withinLimits(
            core,
            tx,
            box,
            version,
            updateProvider(version, { ...input, at, stored }, env, policy),
          ),
        withProvider,
      )
    },
  }),
  /**
   * Deletes a provider and its image; returns its last state.
   *
   * @example await catalog.deleteProvider(version, { name: 'virtualbox' })
   */
  deleteProvider: operation({
    takes: [version, at],
    refuses: [...changing, 'provider_unknown'],
    run: (core: Core, address: VersionAddress, at: ProviderAddress) =>
      commandOn(core, address, (version, env) => deleteProvider(version, { at }, env), withProvider),
  }),
}
