import { type Env, type Outcome, refuse } from '../../../kernel/index.ts'
import {
  type CasRefusal,
  configureKv,
  defaultConfig,
  type KvConfig,
  type KvEvent,
  type PatchRefusal,
  patchSecret,
  type Secret,
  type VersionsRefusal,
  type VersionView,
  writeSecret,
} from '../../kv2/index.ts'
import type { Sited } from '../core/context.ts'
import { mountIsGone, stateOf } from '../core/core.ts'
import { done, tells } from '../core/decision.ts'
import { mountExists } from '../core/mount-exists.ts'
import { pathKey, pathParts } from '../core/path-key.ts'
import { pathCollision, pathProblem, type Result } from '../core/paths.ts'
import { keepText } from './kept-text.ts'
import { mergeText } from './merge-text.ts'
import { kvConfigs, secretOf, secrets, storedSecret } from './records.ts'
import type { Change } from './version-data.ts'
import { dropData, keepVersion } from './version-data.ts'
import { readVersion } from './versioned-reads.ts'

/** Writers of one secret in this process take turns: for each key, the last of them. */
const writersOf = stateOf(() => new Map<string, Promise<unknown>>())

function inTurn<Result>(writers: Map<string, Promise<unknown>>, key: string, work: () => Promise<Result>) {
  const before = writers.get(key)
  const mine = before === undefined ? work() : before.then(work, work)
  writers.set(key, mine)
  const leave = () => {
    if (writers.get(key) === mine) writers.delete(key)
  }
  mine.then(leave, leave)
  return mine
}

/** Runs one command on a secret and writes its consequences in one commit. */
export async function changeSecret<S extends Secret | undefined, V, C extends string>(
  at: Sited,
  path: string,
  command: (secret: Secret | undefined, env: Env, config: KvConfig) => Outcome<S, V, KvEvent, C>,
  effects: (change: Change, value: V) => void = () => {},
): Promise<Result<V, C>> {
  const { core, mount } = at
  const refused = pathProblem(path)
  if (refused) return refused
  const { key, kept } = pathKey(core.crypto, secrets, mount.id, path)
  return inTurn(writersOf(core), key, () =>
    core.commit<V, C | 'mount_gone' | 'path_too_long'>((tx, env) => {
      if (!mountExists(tx, at)) return mountIsGone(mount)
      const config = tx.get(kvConfigs, mount.id)?.value.config ?? defaultConfig
      const record = tx.at(secrets, key)?.value
      const collides = pathCollision(record, path)
      if (collides) return collides
      const before = record && secretOf(record.secret)
      const outcome = command(before, env, config)
      if (outcome.ok && outcome.state !== undefined && outcome.state !== before) {
        const made: Change = { tx, env, secret: outcome.state, large: record?.large ?? [] }
        effects(made, outcome.value)
        const secret = storedSecret(outcome.state)
        const { large } = made
        tx.put(
          secrets,
          large.length > 0
            ? { mount: mount.id, secret, large, ...kept }
            : { mount: mount.id, secret, ...kept },
        )
      }
      return core.happened(outcome, { namespace: at.namespace.path, mount: mount.path, path })
    }),
  )
}

/** Writes the next version. */
export async function writeVersion(
  at: Sited,
  path: string,
  { json, cas }: { readonly json: string; readonly cas?: number | undefined },
): Promise<Result<VersionView, CasRefusal | 'secret_too_large'>> {
  return versionIn(
    await keepText(at.core, json, (text) =>
      changeSecret(
        at,
        path,
        (secret, env, config) => writeSecret(secret, { cas }, env, config),
        (made, value) => keepVersion(at.core, made, value, text),
      ),
    ),
  )
}

/** Writes the next version by a merge patch of the current one. */
export async function patchVersion(
  at: Sited,
  path: string,
  { patch, cas }: { readonly patch: string; readonly cas?: number | undefined },
): Promise<Result<VersionView, PatchRefusal | 'secret_too_large'>> {
  for (;;) {
    const ground = await readVersion(at, path, 0)
    if (!ground.ok) return ground
    const from = ground.value.kind === 'live' ? ground.value : undefined
    const json = from ? await mergeText(from.json, patch) : ''
    const result = await keepText(at.core, json, (text) =>
      changeSecret(
        at,
        path,
        (secret, env, config) => {
          // The texts were merged before, in turns.
          const patched = patchSecret(secret, { data: '{}', patch: '{}', cas }, env, config)
          if (!patched.ok) return patched
          // Another write came after the data was read: it must be read again, not patched.
          return patched.state.current === (from?.version.version ?? 0) + 1 ? patched : groundMoved
        },
        (made, value) => keepVersion(at.core, made, value, text),
      ),
    )
    if (result.ok) return versionIn(result)
    const { refusal } = result
    if (refusal.code !== 'ground_moved') return { ok: false, refusal: { ...refusal, code: refusal.code } }
  }
}

const groundMoved = refuse('ground_moved', '')

/** Removes a secret with all its versions; false if it did not exist. */
export async function removeSecret(at: Sited, path: string): Promise<Result<boolean, never>> {
  const { core, mount, namespace } = at
  const refused = pathProblem(path, 'named')
  if (refused) return refused
  const { key } = pathKey(core.crypto, secrets, at.mount.id, path)
  return core.commit<boolean, 'mount_gone'>((tx, env) => {
    if (!mountExists(tx, at)) return mountIsGone(at.mount)
    const record = tx.at(secrets, key)?.value
    if (record?.path !== path) return done(false)
    const { large = [] } = record
    const secret = secretOf(record.secret)
    tx.delete(secrets, at.mount.id, ...pathParts(record))
    dropData(core, { tx, env, secret, large }, Object.keys(secret.versions).map(Number))
    return tells(true, { namespace: namespace.path, mount: mount.path, path, type: 'kv.removed' })
  })
}

/** Changes settings of a mount. */
export const configureMount = (
  { core, ...place }: Sited,
  input: { readonly [Name in keyof KvConfig]?: KvConfig[Name] | undefined },
): Promise<Result<KvConfig, never>> =>
  core.commit<KvConfig, 'mount_gone'>((tx, env) => {
    if (!mountExists(tx, place)) return mountIsGone(place.mount)
    const before = tx.get(kvConfigs, place.mount.id)?.value.config ?? defaultConfig
    const outcome = configureKv(before, input, env)
    if (outcome.ok && outcome.state !== before)
      tx.put(kvConfigs, { mount: place.mount.id, config: outcome.state })
    return outcome
  })

const versionIn = <C extends string>(
  result: Result<{ readonly version: VersionView }, C>,
): Result<VersionView, C> => (result.ok ? { ok: true, value: result.value.version } : result)

/** The result of a command on versions of a missing secret: nothing to do, or a refusal for an empty list. */
export const none = (
  versions: readonly number[] | 'current',
  word: 'No' | 'no' = 'No',
): Outcome<undefined, readonly number[], never, VersionsRefusal> =>
  versions.length === 0
    ? refuse('no_versions', `${word} version number provided`)
    : { ok: true, state: undefined, value: [], events: [] }
