import { type Answer, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { boxes, versions } from '../records.ts'
import type { Core } from '../service/core.ts'
import type { VersionDetail } from '../service/details.ts'
import { type BoxAddress, changing, type SeeRefusal, seeing, type VersionAddress } from '../service/guard.ts'
import { withinLimits } from '../service/limits.ts'
import { versionNumbered } from '../service/load-parts.ts'
import { blobsOf } from '../versions/blobs.ts'
import { type CreateVersionInput, createVersion, versionTaken } from '../versions/create.ts'
import { parseVersionNumber } from '../versions/number.ts'
import { releaseVersion } from '../versions/release.ts'
import { revokeVersion } from '../versions/revoke.ts'
import { type UpdateVersionInput, updateVersion } from '../versions/update.ts'
import { box, changedVersion, newVersion, version } from './arguments.ts'
import { commandOn, findVersion, onBox, onVersion } from './on-box.ts'

/** The refusals of every call that creates or changes a version. */
const saving = [
  ...changing,
  'invalid_version_number',
  'text_too_long',
  'version_taken',
  'version_too_large',
  'box_too_large',
  'quota_exceeded',
] as const

const asItIs = (detail: VersionDetail): VersionDetail => detail

/** The version operations of a caller. */
export const versionOperations = {
  /**
   * Creates a version, unreleased and without providers.
   *
   * @example await catalog.createVersion({ username: 'acme', name: 'tiny' }, { version: '1.1.0' })
   */
  createVersion: operation({
    takes: [box, newVersion],
    refuses: saving,
    run: (core: Core, address: BoxAddress, input: CreateVersionInput) =>
      onBox(core, address, ({ box }, tx, env) => {
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
        const version = outcome.value
        tx.put(versions, version)
        return { ok: true, value: { box, version }, events: outcome.events, box }
      }),
  }),
  /**
   * Reads a version in any status, for callers who may see the box.
   *
   * @example await catalog.readVersion(version)
   */
  readVersion: operation({
    takes: [version],
    refuses: seeing,
    run: async (core: Core, address: VersionAddress): Promise<Answer<VersionDetail, SeeRefusal>> => {
      const located = await findVersion(core, address)
      return located.ok ? { ok: true, value: { box: located.box, version: located.version } } : located
    },
  }),
  /**
   * Changes the number or the description of a version of any status.
   *
   * @example await catalog.updateVersion(version, { description: 'Fixes the clock' })
   */
  updateVersion: operation({
    takes: [version, changedVersion],
    refuses: saving,
    run: (core: Core, address: VersionAddress, input: UpdateVersionInput) =>
      onVersion(core, address, ({ box, version: before }, tx, env) => {
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
  }),
  /**
   * Deletes a version with its providers and images; returns its last state.
   *
   * @example await catalog.deleteVersion(version)
   */
  deleteVersion: operation({
    takes: [version],
    refuses: changing,
    run: (core: Core, address: VersionAddress) =>
      onVersion(core, address, ({ box: before, version }, tx, env) => {
        // The time of the box's last change is derived from its versions, so deleting one must record it.
        const box = Object.assign({}, before, { updatedAt: env.now })
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
  }),
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
  releaseVersion: operation({
    takes: [version],
    refuses: [...changing, 'version_already_released', 'version_revoked', 'version_unusable'],
    run: (core: Core, address: VersionAddress) =>
      commandOn(core, address, (version, env) => releaseVersion(version, {}, env), asItIs),
  }),
  /**
   * Revokes a released version permanently.
   *
   * @example await catalog.revokeVersion(version)
   */
  revokeVersion: operation({
    takes: [version],
    refuses: [...changing, 'version_revoked', 'version_not_released'],
    run: (core: Core, address: VersionAddress) =>
      commandOn(core, address, (version, env) => revokeVersion(version, {}, env), asItIs),
  }),
}
