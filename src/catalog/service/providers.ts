import type { Answer } from '../../kernel/index.ts'
import type { Caller } from '../accounts/access.ts'
import type { SizeRefusal } from '../boxes/limits.ts'
import { createProvider } from '../providers/create.ts'
import { deleteProvider } from '../providers/delete.ts'
import type { ProviderFieldRefusal, ProviderFields } from '../providers/fields.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import { updateProvider } from '../providers/update.ts'
import { type Core, snapshot } from './core.ts'
import type { ProviderDetail } from './details.ts'
import {
  type AccessRefusal,
  locateVersion,
  lookupIn,
  notFound,
  type SeeRefusal,
  type VersionAddress,
} from './guard.ts'
import { withinLimits } from './limits.ts'
import { commandOn } from './versions.ts'

/**
 * Whether a name alone says which provider is meant, as in version 1 of the API, or name and architecture do.
 *
 * @public
 */
export interface ProviderPolicy {
  /** A second provider of the same name is refused, whatever its architecture; false by default. */
  readonly byName?: boolean | undefined
}

/**
 * What a caller can do with providers. An address without an architecture means the default one of its name.
 *
 * @public
 */
export interface ProviderMethods {
  /** Adds a provider to a version: hosted elsewhere if it has a `url`, else to be uploaded. */
  readonly createProvider: (
    address: VersionAddress,
    input: ProviderFields,
    policy?: ProviderPolicy,
  ) => Promise<
    Answer<
      ProviderDetail,
      ProviderFieldRefusal | 'provider_taken' | SizeRefusal | AccessRefusal | 'contended'
    >
  >
  /** A provider of a version of any status, to whoever may see the box. */
  readonly readProvider: (
    address: VersionAddress,
    at: ProviderAddress,
  ) => Promise<Answer<ProviderDetail, SeeRefusal>>
  /** Changes a provider; what is left out stays as it is. A `url` takes the place of an uploaded image. */
  readonly updateProvider: (
    address: VersionAddress,
    at: ProviderAddress,
    input: ProviderFields,
    policy?: ProviderPolicy,
  ) => Promise<
    Answer<
      ProviderDetail,
      ProviderFieldRefusal | 'provider_taken' | 'provider_unknown' | SizeRefusal | AccessRefusal | 'contended'
    >
  >
  /** Deletes a provider and its image; answers with what it was. */
  readonly deleteProvider: (
    address: VersionAddress,
    at: ProviderAddress,
  ) => Promise<Answer<ProviderDetail, 'provider_unknown' | AccessRefusal | 'contended'>>
}

export const providerMethods = (core: Core, caller: Caller): ProviderMethods => ({
  createProvider: async (address, input, policy) =>
    shown(
      await commandOn(core, caller, address, (version, env, tx, box) =>
        withinLimits(core, tx, box, version, createProvider(version, input, env, policy)),
      ),
    ),

  readProvider: async (address, at) => {
    const located = locateVersion(lookupIn(await snapshot(core)), address, caller, 'see')
    if (!located.ok) return located
    const { box, version } = located
    const provider = findProvider(version.providers, at)
    return provider ? { ok: true, value: { box, version, provider } } : notFound
  },

  updateProvider: async (address, at, input, policy) =>
    shown(
      await commandOn(core, caller, address, (version, env, tx, box) =>
        withinLimits(core, tx, box, version, updateProvider(version, { ...input, at }, env, policy)),
      ),
    ),

  deleteProvider: async (address, at) =>
    shown(await commandOn(core, caller, address, (version, env) => deleteProvider(version, { at }, env))),
})

/** The provider that a command answered with, beside its version. */
function shown<Code extends string>(
  answer: Answer<Omit<ProviderDetail, 'provider'> & { readonly value: ProviderDetail['provider'] }, Code>,
): Answer<ProviderDetail, Code> {
  if (!answer.ok) return answer
  const { box, version, value: provider } = answer.value
  return { ok: true, value: { box, version, provider } }
}
