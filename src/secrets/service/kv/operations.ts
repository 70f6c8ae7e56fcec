import * as z from 'zod'
import { onlyFields } from '../../../kernel/check-input.ts'
import { anything, argument, like, optionalArgument } from '../../../operation/arguments.ts'
import { asRead, fields } from '../../../operation/known-fields.ts'
import { operation, routeOperation } from '../../../operation/operation.ts'
import type { MetadataInput, MetadataPatch, VersionView } from '../../kv2/index.ts'
import {
  deleteVersions,
  destroyVersions,
  patchMetadata,
  undeleteVersions,
  writeMetadata,
} from '../../kv2/index.ts'
import { KvConfig, Secret } from '../../kv2/model.ts'
import { settingFields } from '../../kv2/write-metadata.ts'
import { found } from '../core/answer.ts'
import { folder, listPage, path, seconds } from '../core/arguments.ts'
import type { Sited } from '../core/context.ts'
import type { ListPage } from '../core/list-page.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { placeRefusals } from '../core/paths.ts'
import { parsed, type SecretData, textOf } from './secret-data.ts'
import { dropData } from './version-data.ts'
import { changeSecret, configureMount, none, patchVersion, removeSecret, writeVersion } from './versioned.ts'
import {
  type DataFound,
  listSecrets,
  readConfig,
  readMetadata,
  readVersion,
  type SecretListing,
} from './versioned-reads.ts'

/** The result of reading a version. */
export type SecretRead =
  | {
      readonly kind: 'live'
      readonly version: VersionView
      /** The data as a value: numbers beyond 2^53 lose digits here, not in `json`. */
      readonly data: Readonly<Record<string, unknown>>
      /** The data as JSON text, unchanged. */
      readonly json: string
    }
  | { readonly kind: 'gone'; readonly version: VersionView }
  | { readonly kind: 'absent' }

type ConfigInput = { readonly [Name in keyof KvConfig]?: KvConfig[Name] | undefined }

interface WriteOptions {
  readonly cas?: number
}

const data = argument<SecretData>('data', anything)
const versions = argument<readonly number[]>('versions', like(z.array(z.int())))
const options = optionalArgument(argument<WriteOptions>('options', fields({ cas: z.int().optional() })))

const metadata = Secret.pick({
  maxVersions: true,
  casRequired: true,
  deleteVersionAfterSeconds: true,
}).extend({
  customMetadata: z.record(z.string(), z.string()),
  metadataCasRequired: z.boolean(),
  metadataCas: z.int(),
})
const described = argument<MetadataInput>('input', fields({ ...asRead(Secret), ...metadata.partial().shape }))
const describedAnew = argument<MetadataPatch>(
  'patch',
  fields(
    z
      .object({
        maxVersions: metadata.shape.maxVersions.nullable(),
        casRequired: metadata.shape.casRequired.nullable(),
        metadataCasRequired: metadata.shape.metadataCasRequired.nullable(),
        metadataCas: metadata.shape.metadataCas,
        deleteVersionAfterSeconds: metadata.shape.deleteVersionAfterSeconds.nullable(),
        customMetadata: z.record(z.string(), z.string().nullable()).nullable(),
      })
      .partial().shape,
  ),
)
/** The refusals of writing settings and custom metadata. */
const describing = ['invalid_custom_metadata', 'metadata_cas_required', 'metadata_cas_mismatch'] as const
// Any negative time means -1.
const config = argument<ConfigInput>(
  'input',
  fields(KvConfig.extend({ deleteVersionAfterSeconds: seconds }).partial().shape),
)

const writing = [...placeRefusals, 'data_not_a_map', 'data_too_deep', 'cas_required', 'cas_mismatch'] as const
const choosing = [...placeRefusals, 'no_versions'] as const

/** The operations on the versioned secrets of a mount. */
export const kvOperations = {
  /**
   * Writes the next version. A path has at most 4,096 bytes. `cas` is the version it must follow, 0 for a secret that
   * must not exist yet.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * const written = await service.kv().write('app/db', { password: 'hunter2' }, { cas: 0 })
   * written.ok && written.value.version // 1
   * const late = await service.kv().write('app/db', { password: 'other' }, { cas: 0 })
   * late.ok ? '' : late.refusal.code // 'cas_mismatch'
   * await service.close()
   * ```
   */
  write: operation({
    takes: [path, data, options],
    refuses: writing,
    run: async (at: Sited, path: string, data: SecretData, options: WriteOptions = {}) => {
      const json = await textOf(data)
      return typeof json === 'string' ? writeVersion(at, path, { json, cas: options.cas }) : json
    },
  }),
  /**
   * Applies a merge patch (RFC 7396).
   *
   * @example await secrets.kv().patch('app', { user: 'ada' })
   */
  patch: operation({
    takes: [path, argument<SecretData>('patch', anything), options],
    refuses: [...writing, 'secret_not_found', 'version_gone'],
    run: async (at: Sited, path: string, data: SecretData, options: WriteOptions = {}) => {
      const patch = await textOf(data)
      return typeof patch === 'string' ? patchVersion(at, path, { patch, cas: options.cas }) : patch
    },
  }),
  /**
   * Reads a version; the current one by default.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * const kv = service.kv()
   * for (const password of ['first', 'second']) await kv.write('app/db', { password })
   * const newest = await kv.read('app/db')
   * newest.ok && newest.value.kind === 'live' && newest.value.data // { password: 'second' }
   * const before = await kv.read('app/db', 1)
   * before.ok && before.value.kind === 'live' && before.value.data // { password: 'first' }
   * const none = await kv.read('app/cache')
   * none.ok && none.value.kind // 'absent'
   * await service.close()
   * ```
   */
  read: operation({
    takes: [path, optionalArgument(argument<number>('version', like(z.int())))],
    refuses: placeRefusals,
    run: async (at: Sited, path: string, version: number = 0) => {
      const result = await readVersion(at, path, version)
      if (!result.ok) return result
      const read = result.value
      return found<SecretRead>(read.kind === 'live' ? { ...read, data: parsed(read.json) } : read)
    },
  }),
  /**
   * Lists a folder, in byte order of the names; subfolders end in `/`. Empty if there is nothing.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * for (const path of ['app/db', 'app/cache/redis']) await service.kv().write(path, {})
   * const names = await service.kv().list('app')
   * names.ok && names.value // ['cache/', 'db']
   * await service.close()
   * ```
   */
  list: operation({
    takes: [folder, listPage],
    refuses: placeRefusals,
    run: (at: Sited, folder: string = '', page: ListPage = {}) => listSecrets(at, folder, page),
  }),
  /**
   * The paths of all secrets below a folder, relative to it, in byte order.
   *
   * @example await secrets.kv().scan('team')
   */
  scan: operation({
    takes: [folder, listPage],
    refuses: placeRefusals,
    run: (at: Sited, folder: string = '', page: ListPage = {}) =>
      listSecrets(at, folder, { ...page, deep: true }),
  }),
  /**
   * Soft-deletes versions; the current one by default.
   *
   * @example await secrets.kv().delete('app', [1])
   */
  delete: operation({
    takes: [path, optionalArgument(versions)],
    refuses: choosing,
    run: (at: Sited, path: string, versions?: readonly number[]) =>
      changeSecret(at, path, (secret, env) => {
        const chosen = versions ?? 'current'
        return secret ? deleteVersions(secret, { versions: chosen }, env) : none(chosen)
      }),
  }),
  /**
   * Makes soft-deleted versions readable again; returns those that are live now.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * const kv = service.kv()
   * await kv.write('app/db', { password: 'hunter2' })
   * await kv.delete('app/db')
   * const gone = await kv.read('app/db')
   * gone.ok && gone.value.kind // 'gone'
   * const back = await kv.undelete('app/db', [1])
   * back.ok && back.value // [1]
   * await service.close()
   * ```
   */
  undelete: operation({
    takes: [path, versions],
    refuses: choosing,
    run: (at: Sited, path: string, versions: readonly number[]) =>
      changeSecret(at, path, (secret, env, config) =>
        secret ? undeleteVersions(secret, { versions }, env, config) : none(versions),
      ),
  }),
  /**
   * Erases the data of versions permanently; returns the affected ones. Their metadata stays.
   *
   * @example await secrets.kv().destroy('app', [1])
   */
  destroy: operation({
    takes: [path, versions],
    refuses: choosing,
    run: (at: Sited, path: string, versions: readonly number[]) =>
      changeSecret(
        at,
        path,
        (secret, env) => (secret ? destroyVersions(secret, { versions }, env) : none(versions, 'no')),
        (made, gone) => dropData(at.core, made, gone),
      ),
  }),
  /**
   * Removes a secret with all its versions and its metadata; returns whether it existed.
   *
   * @example await secrets.kv().remove('app')
   */
  remove: operation({
    takes: [path],
    refuses: placeRefusals,
    run: (at: Sited, path: string) => removeSecret(at, path),
  }),
  /**
   * Reads the metadata of a secret and its versions, without data; `undefined` if it does not exist.
   *
   * @example await secrets.kv().readMetadata('app')
   */
  readMetadata: operation({
    takes: [path],
    refuses: placeRefusals,
    run: (at: Sited, path: string) => readMetadata(at, path),
  }),
  /**
   * Writes the settings and custom metadata of a secret; creates a secret without versions if it does not exist.
   * Returns warnings.
   *
   * @example await secrets.kv().writeMetadata('app', { maxVersions: 5, customMetadata: { owner: 'ada' } })
   */
  writeMetadata: operation({
    takes: [path, described],
    refuses: [...placeRefusals, ...describing],
    run: (at: Sited, path: string, input: MetadataInput) =>
      changeSecret(at, path, (secret, env, config) =>
        writeMetadata(secret, onlyFields(input, settingFields), env, config),
      ),
  }),
  /**
   * Changes some settings of a secret, where `null` resets one; custom metadata is merged. Returns warnings.
   *
   * @example await secrets.kv().patchMetadata('app', { customMetadata: { owner: null } })
   */
  patchMetadata: operation({
    takes: [path, describedAnew],
    refuses: [...placeRefusals, ...describing, 'secret_not_found'],
    run: (at: Sited, path: string, patch: MetadataPatch) =>
      changeSecret(at, path, (secret, env, config) =>
        patchMetadata(secret, onlyFields(patch, settingFields), env, config),
      ),
  }),
  /**
   * The settings of the mount.
   *
   * @example await secrets.kv().readConfig()
   */
  readConfig: operation({
    takes: [],
    refuses: placeRefusals,
    run: (at: Sited) => readConfig(at),
  }),
  /**
   * Changes settings of the mount; omitted fields stay unchanged.
   *
   * @example await secrets.kv().configure({ maxVersions: 20 })
   */
  configure: operation({
    takes: [config],
    refuses: placeRefusals,
    run: (at: Sited, input: ConfigInput) => configureMount(at, input),
  }),
}

const writingText = [...placeRefusals, 'cas_required', 'cas_mismatch'] as const

/** The same on JSON texts, which keep all digits; they have no typed method. */
export const kvTextOperations = {
  read: routeOperation({ refuses: placeRefusals, run: readVersion }),
  write: routeOperation({ refuses: writingText, run: writeVersion }),
  /** Applies a merge patch; its value is the new version, or what there is instead of a live one. */
  patch: routeOperation({
    refuses: writingText,
    run: async (
      at: Sited,
      path: string,
      input: { readonly patch: string; readonly cas?: number | undefined },
    ) => {
      const result = await patchVersion(at, path, input)
      if (result.ok) return found<DataFound | VersionView>(result.value)
      const { refusal } = result
      if (refusal.code === 'secret_not_found') return found<DataFound | VersionView>({ kind: 'absent' })
      if (refusal.code === 'version_gone') return readVersion(at, path, 0)
      return { ok: false as const, refusal: { ...refusal, code: refusal.code } }
    },
  }),
  list: routeOperation({
    refuses: placeRefusals,
    run: (at: Sited, folder: string, listing: SecretListing) => listSecrets(at, folder, listing),
  }),
  /** Changes some settings of a secret; `undefined` if it does not exist. */
  patchMetadata: routeOperation({
    refuses: [...placeRefusals, ...describing],
    run: async (at: Sited, path: string, patch: MetadataPatch) => {
      const result = await kvOperations.patchMetadata.run(at, path, patch)
      if (result.ok) return found<readonly string[] | undefined>(result.value.warnings)
      const { refusal } = result
      if (refusal.code === 'secret_not_found') return found<readonly string[] | undefined>(undefined)
      return { ok: false as const, refusal: { ...refusal, code: refusal.code } }
    },
  }),
}

/** The versioned secrets of one mount. */
export interface KvHandle extends SecretsMethods<typeof kvOperations, 'no_such_mount'> {}
