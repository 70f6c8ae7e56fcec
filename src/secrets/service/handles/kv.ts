import { type Refused, refuse } from '../../../kernel/index.ts'
import { leaseSecondsOf } from '../../kv1/index.ts'
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
import { writeExact } from '../../kv2/index.ts'
import { canonicalPath, kvVersionOf } from '../../mounts/index.ts'
import type { SecretsAnswer } from '../answer.ts'
import type { Services } from '../context.ts'
import { isRefused, type Place, rootNamespace } from '../core.ts'
import { type BodyRefusal, readBody } from '../kv/body.ts'
import type { PlaceRefusal } from '../kv/paths.ts'

/** What a secret holds: a JSON object, given as a value or as its text (whose digits are then kept exactly). @public */
export type SecretData = Readonly<Record<string, unknown>> | string

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

/** Why an operation on a key/value mount may be refused, whatever it is. @public */
export type KvRefusal = PlaceRefusal | 'no_such_mount'

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

/** The plain secrets of one mount. @public */
export interface PlainKvHandle {
  /** Writes a secret, in place of whatever was. */
  readonly write: (
    path: string,
    data: SecretData,
  ) => Promise<SecretsAnswer<undefined, KvRefusal | 'missing_fields' | BodyRefusal>>
  /** Reads a secret; `undefined` when there is none. */
  readonly read: (path: string) => Promise<
    SecretsAnswer<
      | {
          readonly data: Readonly<Record<string, unknown>>
          /** The same as it was written, no digit lost. */
          readonly json: string
          /** How long a reader may keep it, in seconds; 0 when the secret does not say. */
          readonly leaseSeconds: number
        }
      | undefined,
      KvRefusal
    >
  >
  /** What is in a folder, in the order of the names' bytes; what holds more ends in `/`. Empty where there is nothing. */
  readonly list: (folder?: string) => Promise<SecretsAnswer<readonly string[], KvRefusal>>
  /** Removes a secret; answers whether there was one. */
  readonly remove: (path: string) => Promise<SecretsAnswer<boolean, KvRefusal>>
}

/** The text of what a caller gives; a text must be that of an object, and neither may be nested too deep. */
function textOf(data: SecretData): string | Refused<BodyRefusal> {
  if (typeof data === 'string') {
    const body = readData(data)
    return 'ok' in body ? body : writeExact(body)
  }
  if (isDeeper(data, 500)) return refuse('data_too_deep', 'the secret is nested deeper than 500 levels')
  // What becomes text is kept: a list, a date or nothing is no object then.
  const json = spelled(data)
  return json?.startsWith('{') ? json : refuse('data_not_a_map', 'the secret is not an object')
}

/** The value's JSON text; a bigint among it is a mistake that is named by where it is, for JSON has none. */
function spelled(data: object): string | undefined {
  try {
    return JSON.stringify(data)
  } catch (error) {
    const where = bigintIn(data, 'data')
    if (where === undefined) throw error
    throw new TypeError(
      `${where} is a bigint, which is no JSON value: give a number, or the secret as JSON text, which keeps every digit`,
    )
  }
}

function bigintIn(value: unknown, at: string): string | undefined {
  if (typeof value === 'bigint') return at
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const where = bigintIn(member, `${at}.${name}`)
    if (where !== undefined) return where
  }
  return undefined
}

function readData(text: string): ReturnType<typeof readBody> {
  try {
    JSON.parse(text)
  } catch {
    // The host's message is not passed on: it may quote the secret.
    return refuse('data_not_a_map', 'the secret is not valid JSON')
  }
  return readBody(text)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels < 0) return true
  for (const member of Object.values(value))
    if (typeof member === 'object' && isDeeper(member, levels - 1)) return true
  return false
}

const parsed = (json: string): Readonly<Record<string, unknown>> => JSON.parse(json)

/** Acts on a mount, which is found anew for each call: it may be moved, disabled or upgraded between two. */
const onMount = ({ core }: Services, path: string, version: 1 | 2) => {
  const wanted = canonicalPath(path)
  return async <R>(act: (place: Place) => Promise<R>): Promise<R | Refused<'no_such_mount' | 'sealed'>> => {
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const { table } = await core.mountsOf(opened.view, rootNamespace)
    const mount = Object.hasOwn(table.mounts, wanted) ? table.mounts[wanted] : undefined
    return mount?.type === 'kv' && kvVersionOf(mount) === version
      ? await act({ namespace: rootNamespace, mount })
      : refuse('no_such_mount', `there is no key/value mount of version ${version} at "${wanted}"`)
  }
}

export function kvHandle(services: Services, path: string): KvHandle {
  const { versioned } = services
  const at = onMount(services, path, 2)
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

export function plainKvHandle(services: Services, path: string): PlainKvHandle {
  const { plain } = services
  const at = onMount(services, path, 1)
  return {
    write: async (key, data) => {
      const json = textOf(data)
      return typeof json === 'string' ? at((place) => plain.write(place, key, json)) : json
    },
    read: async (key) => {
      const result = await at((place) => plain.read(place, key))
      if (!result.ok || result.value === undefined) return result.ok ? { ok: true, value: undefined } : result
      const { json } = result.value
      return { ok: true, value: { json, data: parsed(json), leaseSeconds: leaseSecondsOf({ json }) } }
    },
    list: (folder = '') => at((place) => plain.list(place, folder)),
    remove: (key) => at((place) => plain.remove(place, key)),
  }
}
