import type { Answer, Env, Outcome } from '../../kernel/index.ts'
import { refuse } from '../../kernel/index.ts'
import type { Tx } from '../../store/index.ts'
import type { Caller } from '../accounts/access.ts'
import type { SizeRefusal } from '../boxes/limits.ts'
import type { Box } from '../boxes/model.ts'
import type { CatalogEvent } from '../events.ts'
import { boxes, versions } from '../records.ts'
import {
  type CreateVersionInput,
  type CreateVersionRefusal,
  createVersion,
  versionTaken,
} from '../versions/create.ts'
import type { Version } from '../versions/model.ts'
import { parseVersionNumber } from '../versions/number.ts'
import { releaseVersion } from '../versions/release.ts'
import { revokeVersion } from '../versions/revoke.ts'
import { type UpdateVersionInput, updateVersion } from '../versions/update.ts'
import { type Core, change, snapshot } from './core.ts'
import type { VersionDetail } from './details.ts'
import {
  type AccessRefusal,
  type BoxAddress,
  locateBox,
  locateVersion,
  lookupIn,
  type SeeRefusal,
  type VersionAddress,
} from './guard.ts'
import { withinLimits } from './limits.ts'
import { versionNumbered } from './load-parts.ts'

/**
 * What a caller can do with versions.
 *
 * @public
 */
export interface VersionMethods {
  /** Makes a version, unreleased and without providers. */
  readonly createVersion: (
    address: BoxAddress,
    input: CreateVersionInput,
  ) => Promise<Answer<VersionDetail, CreateVersionRefusal | SizeRefusal | AccessRefusal | 'contended'>>
  /** A version of any status, to whoever may see the box. */
  readonly readVersion: (address: VersionAddress) => Promise<Answer<VersionDetail, SeeRefusal>>
  /** Changes the number or the description of a version of any status. */
  readonly updateVersion: (
    address: VersionAddress,
    input: UpdateVersionInput,
  ) => Promise<
    Answer<
      VersionDetail,
      AccessRefusal | SizeRefusal | 'invalid_version_number' | 'text_too_long' | 'version_taken' | 'contended'
    >
  >
  /** Deletes a version with its providers and images; answers with what it was. */
  readonly deleteVersion: (
    address: VersionAddress,
  ) => Promise<Answer<VersionDetail, AccessRefusal | 'contended'>>
  /**
   * Offers a version to clients.
   *
   * @example
   * ```ts
   * import { createCatalog } from 'plinth/catalog'
   *
   * const catalog = createCatalog()
   * await catalog.putUser({ username: 'alice' })
   *
   * const box = { username: 'alice', name: 'tiny' }
   * const version = { ...box, version: '1.0' }
   * await catalog.createBox(box)
   * await catalog.createVersion(box, { version: '1.0' })
   * const early = await catalog.releaseVersion(version)
   * early.ok ? '' : early.refusal.code // 'version_unusable'
   * await catalog.createProvider(version, { name: 'qemu', url: 'https://example.com/tiny.box' })
   * const released = await catalog.releaseVersion(version)
   * released.ok && released.value.version.status // 'active'
   * await catalog.close()
   * ```
   */
  readonly releaseVersion: (
    address: VersionAddress,
  ) => Promise<
    Answer<
      VersionDetail,
      AccessRefusal | 'version_already_released' | 'version_revoked' | 'version_unusable' | 'contended'
    >
  >
  /** Takes a version away from clients, for good. */
  readonly revokeVersion: (
    address: VersionAddress,
  ) => Promise<
    Answer<VersionDetail, AccessRefusal | 'version_revoked' | 'version_not_released' | 'contended'>
  >
}

export const versionMethods = (core: Core, caller: Caller): VersionMethods => ({
  createVersion: (address, input) =>
    change(core, caller, (tx, env) => {
      const located = locateBox(tx, address, caller, 'change')
      if (!located.ok) return located
      const { box } = located
      const canonical = parseVersionNumber(input.version)?.canonical
      const existing = canonical === undefined ? undefined : versionNumbered(tx, box.id, canonical)
      const outcome = withinLimits(
        core,
        tx,
        box,
        undefined,
        createVersion(existing, { ...input, boxId: box.id }, env),
      )
      if (!outcome.ok) return outcome
      tx.put(versions, outcome.value)
      return { ok: true, value: { box, version: outcome.value }, events: outcome.events, box }
    }),

  readVersion: async (address) => {
    const located = locateVersion(lookupIn(await snapshot(core)), address, caller, 'see')
    return located.ok ? { ok: true, value: { box: located.box, version: located.version } } : located
  },

  updateVersion: (address, input) =>
    change(core, caller, (tx, env) => {
      const located = locateVersion(tx, address, caller, 'change')
      if (!located.ok) return located
      const { box, version: before } = located
      const outcome = withinLimits(core, tx, box, before, updateVersion(before, input, env))
      if (!outcome.ok) return outcome
      const version = outcome.value
      if (version.canonical !== before.canonical) {
        if (versionNumbered(tx, box.id, version.canonical)) return refuse('version_taken', versionTaken)
        tx.delete(versions, box.id, before.canonical)
      }
      tx.put(versions, version)
      return { ok: true, value: { box, version }, events: outcome.events, box }
    }),

  deleteVersion: (address) =>
    change(core, caller, (tx, env) => {
      const located = locateVersion(tx, address, caller, 'change')
      if (!located.ok) return located
      const { version } = located
      // When the box last changed was known from its versions; one that is gone says nothing any more.
      const box = { ...located.box, updatedAt: env.now }
      tx.put(boxes, box)
      tx.delete(versions, box.id, version.canonical)
      return {
        ok: true,
        value: { box, version },
        events: [{ type: 'version.deleted', version: version.number }],
        box,
        droppedBlobs: blobsOf(version),
      }
    }),

  releaseVersion: (address) =>
    commandOn(core, caller, address, (version, env) => releaseVersion(version, {}, env)),
  revokeVersion: (address) =>
    commandOn(core, caller, address, (version, env) => revokeVersion(version, {}, env)),
})

/** Runs a command on one version. */
export const commandOn = <Value, Code extends string>(
  core: Core,
  caller: Caller,
  address: VersionAddress,
  command: (version: Version, env: Env, tx: Tx, box: Box) => Outcome<Version, Value, CatalogEvent, Code>,
): Promise<Answer<VersionDetail & { readonly value: Value }, Code | AccessRefusal | 'contended'>> =>
  change<VersionDetail & { readonly value: Value }, Code | AccessRefusal>(core, caller, (tx, env) => {
    const located = locateVersion(tx, address, caller, 'change')
    if (!located.ok) return located
    const { box, version } = located
    const outcome = command(version, env, tx, box)
    if (!outcome.ok) return outcome
    tx.put(versions, outcome.state)
    const kept = new Set(blobsOf(outcome.state))
    return {
      ok: true,
      value: { box, version: outcome.state, value: outcome.value },
      events: outcome.events,
      box,
      droppedBlobs: blobsOf(version).filter((blob) => !kept.has(blob)),
    }
  })

/** The uploaded images of a version. */
export const blobsOf = (version: Version): string[] =>
  version.providers.flatMap(({ asset }) => (asset === null ? [] : [asset.blob]))
