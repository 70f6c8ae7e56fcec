import type {
  CasRefusal,
  Described,
  KvConfig,
  MetadataInput,
  MetadataPatch,
  PatchRefusal,
  Secret,
  VersionsRefusal,
  VersionView,
} from '../../kv2/index.ts'
import type { SecretsAnswer } from '../answer.ts'
import type { Services } from '../context.ts'
import type { BodyRefusal } from '../kv/body.ts'
import { type KvRefusal, onKvMount } from './on-kv-mount.ts'
import { parsed, type SecretData, textOf } from './secret-data.ts'

/** What reading a version gives. @public */
export type SecretRead =
  | {
      readonly kind: 'live'
      readonly version: VersionView
      /** The data as a value: numbers beyond 2^53 lose digits here, not in `json`. */
      readonly data: Readonly<Record<string, unknown>>
      /** The data as JSON text, exactly as kept. */
      readonly json: string
    }
  | { readonly kind: 'gone'; readonly version: VersionView }
  | { readonly kind: 'absent' }

/** The versioned secrets of one mount. @public */
export interface KvHandle {
  /**
   * Writes the next version. `cas` is the version it must follow, 0 for a secret that must not exist yet.
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
  readonly write: (
    path: string,
    data: SecretData,
    options?: { readonly cas?: number },
  ) => Promise<SecretsAnswer<VersionView, KvRefusal | CasRefusal | BodyRefusal>>
  /** Applies a merge patch (RFC 7396). */
  readonly patch: (
    path: string,
    patch: SecretData,
    options?: { readonly cas?: number },
  ) => Promise<SecretsAnswer<VersionView, KvRefusal | PatchRefusal | BodyRefusal>>
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
  readonly read: (path: string, version?: number) => Promise<SecretsAnswer<SecretRead, KvRefusal>>
  /**
   * What is in a folder, in the order of the names' bytes; what holds more ends in `/`. Empty where there is nothing.
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
  readonly list: (folder?: string) => Promise<SecretsAnswer<readonly string[], KvRefusal>>
  /** Soft-deletes versions; the current one by default. */
  readonly delete: (
    path: string,
    versions?: readonly number[],
  ) => Promise<SecretsAnswer<readonly number[], KvRefusal | VersionsRefusal>>
  /**
   * Makes soft-deleted versions readable again; answers those that are live now.
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
  readonly undelete: (
    path: string,
    versions: readonly number[],
  ) => Promise<SecretsAnswer<readonly number[], KvRefusal | VersionsRefusal>>
  /** Erases the data of versions for good; answers those it was done to. Their metadata stays. */
  readonly destroy: (
    path: string,
    versions: readonly number[],
  ) => Promise<SecretsAnswer<readonly number[], KvRefusal | VersionsRefusal>>
  /** Removes a secret with all its versions and its metadata; answers whether there was one. */
  readonly remove: (path: string) => Promise<SecretsAnswer<boolean, KvRefusal>>
  /** What is known of a secret and its versions, without data; `undefined` when there is none. */
  readonly readMetadata: (path: string) => Promise<SecretsAnswer<Secret | undefined, KvRefusal>>
  /** Sets what a secret asks for, and its notes; makes a secret without versions where there is none. Gives warnings. */
  readonly writeMetadata: (
    path: string,
    input: MetadataInput,
  ) => Promise<SecretsAnswer<Described, KvRefusal | 'invalid_custom_metadata'>>
  /** Changes some of a secret's settings, `null` resets one; notes are merged. Gives warnings. */
  readonly patchMetadata: (
    path: string,
    patch: MetadataPatch,
  ) => Promise<SecretsAnswer<Described, KvRefusal | 'invalid_custom_metadata' | 'secret_not_found'>>
  /** The settings of the mount. */
  readonly readConfig: () => Promise<SecretsAnswer<KvConfig, KvRefusal>>
  /** Changes settings of the mount; what is left out stays. */
  readonly configure: (input: Partial<KvConfig>) => Promise<SecretsAnswer<KvConfig, KvRefusal>>
}

export function kvHandle(services: Services, path: string): KvHandle {
  const { versioned } = services
  const at = onKvMount(services, path, 2)
  return {
    write: async (key, data, options = {}) => {
      const json = textOf(data)
      if (typeof json !== 'string') return json
      return await at((place) => versioned.write(place, key, { json, cas: options.cas }))
    },
    patch: async (key, data, options = {}) => {
      const patch = textOf(data)
      if (typeof patch !== 'string') return patch
      return at((place) => versioned.patch(place, key, { patch, cas: options.cas }))
    },
    read: async (key, version = 0) => {
      const result = await at((place) => versioned.read(place, key, version))
      if (!result.ok) return result
      const found = result.value
      if (found.kind !== 'live') return { ok: true, value: found }
      const { kind, version: view, json } = found
      return { ok: true, value: { kind, version: view, json, data: parsed(json) } }
    },
    list: (folder = '') => at((place) => versioned.list(place, folder)),
    delete: (key, versions) => at((place) => versioned.delete(place, key, versions ?? 'current')),
    undelete: (key, versions) => at((place) => versioned.undelete(place, key, versions)),
    destroy: (key, versions) => at((place) => versioned.destroy(place, key, versions)),
    remove: (key) => at((place) => versioned.remove(place, key)),
    readMetadata: (key) => at((place) => versioned.readMetadata(place, key)),
    writeMetadata: (key, input) => at((place) => versioned.writeMetadata(place, key, input)),
    patchMetadata: (key, patch) => at((place) => versioned.patchMetadata(place, key, patch)),
    readConfig: () => at((place) => versioned.readConfig(place)),
    configure: (input) => at((place) => versioned.configure(place, input)),
  }
}
