import { type Env, type Outcome, refuse } from '../../../kernel/index.ts'
import {
  type CasRefusal,
  configureKv,
  defaultConfig,
  deleteVersions,
  destroyVersions,
  type KvConfig,
  type KvEvent,
  type MetadataInput,
  type MetadataPatch,
  type PatchRefusal,
  patchMetadata,
  patchSecret,
  type Secret,
  undeleteVersions,
  type VersionsRefusal,
  type VersionView,
  writeMetadata,
  writeSecret,
} from '../../kv2/index.ts'
import { type Core, isRefused, mountIsGone, type Place } from '../core/core.ts'
import { done, tells } from '../core/decision.ts'
import { mountExists } from '../core/mount-exists.ts'
import { pathKey, pathParts } from '../core/path-key.ts'
import { pathCollision, pathProblem, type Result } from '../core/paths.ts'
import { keyMutex } from './key-mutex.ts'
import { kvConfigs, secrets } from './records.ts'
import { secretOf, storedSecret } from './stored-secret.ts'
import { splitString } from './string-chunks.ts'
import { type Change, versionsData } from './version-data.ts'
import { versionedReads } from './versioned-reads.ts'

/** Versioned secrets in the store: one record of metadata, and one key per version's data. */
export type Versioned = ReturnType<typeof versioned>

export function versioned(core: Core, sweepAt: (instant: number) => void) {
  const writers = keyMutex()
  const { keepVersion, dropData, readData } = versionsData(core, sweepAt)
  const reads = versionedReads(core, readData)

  /** Runs one command on a secret and writes its consequences in one commit. */
  const change = async <S extends Secret | undefined, V, C extends string>(
    place: Place,
    path: string,
    command: (secret: Secret | undefined, env: Env, config: KvConfig) => Outcome<S, V, KvEvent, C>,
    effects: (change: Change, value: V) => void = () => {},
  ): Promise<Result<V, C>> => {
    const refused = pathProblem(path)
    if (refused) return refused
    const { key, kept } = pathKey(core.crypto, secrets, place.mount.id, path)
    return writers.run(key, () =>
      core.commit<V, C | 'mount_gone' | 'path_too_long'>((tx, env) => {
        if (!mountExists(tx, place)) return mountIsGone(place.mount)
        const config = tx.get(kvConfigs, place.mount.id)?.value.config ?? defaultConfig
        const record = tx.at(secrets, key)?.value
        const collides = pathCollision(record, path)
        if (collides) return collides
        const before = record && secretOf(record.secret)
        const outcome = command(before, env, config)
        if (outcome.ok && outcome.state !== undefined && outcome.state !== before) {
          const made: Change = { tx, env, secret: outcome.state, large: record?.large ?? [] }
          effects(made, outcome.value)
          const [mount, secret] = [place.mount.id, storedSecret(outcome.state)]
          const { large } = made
          tx.put(secrets, large.length > 0 ? { mount, secret, large, ...kept } : { mount, secret, ...kept })
        }
        return core.happened(outcome, { namespace: place.namespace.path, mount: place.mount.path, path })
      }),
    )
  }

  return {
    ...reads,
    write: async (
      place: Place,
      path: string,
      { json, cas }: { readonly json: string; readonly cas?: number | undefined },
    ): Promise<Result<VersionView, CasRefusal | 'secret_too_large'>> => {
      const pieces = splitString(json)
      if (isRefused(pieces)) return pieces
      return versionIn(
        await change(
          place,
          path,
          (secret, env, config) => writeSecret(secret, { cas }, env, config),
          (made, value) => keepVersion(made, value, pieces),
        ),
      )
    },
    patch: async (
      place: Place,
      path: string,
      { patch, cas }: { readonly patch: string; readonly cas?: number | undefined },
    ): Promise<Result<VersionView, PatchRefusal | 'secret_too_large'>> => {
      for (;;) {
        const ground = await reads.read(place, path, 0)
        if (!ground.ok) return ground
        const from = ground.value
        const result = await change(
          place,
          path,
          (secret, env, config) => {
            const data = from.kind === 'live' ? from.json : '{}'
            // Another write came after the data was read: it must be read again, not patched.
            if (from.kind === 'live' && secret?.current !== from.version.version)
              return refuse('ground_moved', '')
            const patched = patchSecret(secret, { data, patch, cas }, env, config)
            if (!patched.ok) return patched
            const pieces = splitString(patched.value.data)
            return isRefused(pieces) ? pieces : { ...patched, value: { ...patched.value, pieces } }
          },
          (made, value) => keepVersion(made, value, value.pieces),
        )
        if (result.ok) return versionIn(result)
        const { refusal } = result
        if (refusal.code !== 'ground_moved') return { ok: false, refusal: { ...refusal, code: refusal.code } }
      }
    },
    writeMetadata: (place: Place, path: string, input: MetadataInput) =>
      change(place, path, (secret, env, config) => writeMetadata(secret, input, env, config)),
    patchMetadata: (place: Place, path: string, input: MetadataPatch) =>
      change(place, path, (secret, env, config) => patchMetadata(secret, input, env, config)),
    delete: (place: Place, path: string, versions: readonly number[] | 'current') =>
      change(place, path, (secret, env) =>
        secret ? deleteVersions(secret, { versions }, env) : none(versions),
      ),
    undelete: (place: Place, path: string, versions: readonly number[]) =>
      change(place, path, (secret, env, config) =>
        secret ? undeleteVersions(secret, { versions }, env, config) : none(versions),
      ),
    destroy: (place: Place, path: string, versions: readonly number[]) =>
      change(
        place,
        path,
        (secret, env) => (secret ? destroyVersions(secret, { versions }, env) : none(versions, 'no')),
        (made, gone) => dropData(made, gone),
      ),
    /** Removes a secret with all its versions; false if it did not exist. */
    remove: async (place: Place, path: string): Promise<Result<boolean, never>> => {
      const refused = pathProblem(path, 'named')
      if (refused) return refused
      const { key } = pathKey(core.crypto, secrets, place.mount.id, path)
      return core.commit<boolean, 'mount_gone'>((tx, env) => {
        if (!mountExists(tx, place)) return mountIsGone(place.mount)
        const record = tx.at(secrets, key)?.value
        if (record?.path !== path) return done(false)
        const { large = [] } = record
        const secret = secretOf(record.secret)
        tx.delete(secrets, place.mount.id, ...pathParts(record))
        dropData({ tx, env, secret, large }, Object.keys(secret.versions).map(Number))
        const { namespace, mount } = place
        return tells(true, { namespace: namespace.path, mount: mount.path, path, type: 'kv.removed' })
      })
    },
    configure: (
      place: Place,
      input: { readonly [Name in keyof KvConfig]?: KvConfig[Name] | undefined },
    ): Promise<Result<KvConfig, never>> =>
      core.commit<KvConfig, 'mount_gone'>((tx, env) => {
        if (!mountExists(tx, place)) return mountIsGone(place.mount)
        const before = tx.get(kvConfigs, place.mount.id)?.value.config ?? defaultConfig
        const outcome = configureKv(before, input, env)
        if (outcome.ok && outcome.state !== before)
          tx.put(kvConfigs, { mount: place.mount.id, config: outcome.state })
        return outcome
      }),
  }
}

const versionIn = <C extends string>(
  result: Result<{ readonly version: VersionView }, C>,
): Result<VersionView, C> => (result.ok ? { ok: true, value: result.value.version } : result)

/** The result of a command on versions of a missing secret: nothing to do, or a refusal for an empty list. */
const none = (
  versions: readonly number[] | 'current',
  word: 'No' | 'no' = 'No',
): Outcome<undefined, readonly number[], never, VersionsRefusal> =>
  versions.length === 0
    ? refuse('no_versions', `${word} version number provided`)
    : { ok: true, state: undefined, value: [], events: [] }
