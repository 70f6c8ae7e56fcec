import { checkArguments } from '../../kernel/check-arguments.ts'
import { checkInput, type OptionalFields } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, type Refused, refuse, step } from '../../kernel/index.ts'
import { checkCounts } from './check-counts.ts'
import { customMetadataProblems, listProblems } from './custom-metadata.ts'
import type { KvConfig, KvEvent, Secret } from './model.ts'
import { defaultConfig, newSecret } from './rules.ts'

/**
 * The settings of a secret; omitted fields stay unchanged.
 */
export interface MetadataInput {
  readonly maxVersions?: number | undefined
  readonly casRequired?: boolean | undefined
  readonly metadataCasRequired?: boolean | undefined
  /** The required version of the settings; 0 for none. Otherwise the write is refused. */
  readonly metadataCas?: number | undefined
  /** 0 clears it. */
  readonly deleteVersionAfterSeconds?: number | undefined
  /** Replaces all custom metadata. */
  readonly customMetadata?: Readonly<Record<string, string>> | undefined
}

/**
 * The changes of a secret's settings; `null` resets one.
 */
export interface MetadataPatch {
  readonly maxVersions?: number | null | undefined
  readonly casRequired?: boolean | null | undefined
  readonly metadataCasRequired?: boolean | null | undefined
  /** The required version of the settings. Otherwise the change is refused. */
  readonly metadataCas?: number | undefined
  readonly deleteVersionAfterSeconds?: number | null | undefined
  /** Merged into the custom metadata; a key with `null` is removed. */
  readonly customMetadata?: Readonly<Record<string, string | null>> | null | undefined
}

/** The fields of settings. */
export const settingFields: OptionalFields<MetadataInput> = {
  maxVersions: 0,
  casRequired: false,
  metadataCasRequired: false,
  metadataCas: 0,
  deleteVersionAfterSeconds: 0,
  customMetadata: {},
}

function checkSettings(input: MetadataInput, env: Env): void {
  checkInput(input, {}, settingFields, env)
  const { maxVersions, deleteVersionAfterSeconds } = input
  checkCounts({ maxVersions, deleteVersionAfterSeconds })
}

/** A warning of a successful write. */
export interface Described {
  readonly warnings: readonly string[]
}

/**
 * Writes a secret's settings and custom metadata; creates the secret without versions if it does not exist. An input
 * without any setting changes and creates nothing.
 *
 * @returns warnings, or `invalid_custom_metadata`, which lists all problems
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeMetadata } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const made = writeMetadata(undefined, { customMetadata: { owner: 'ada' } }, env)
 * unwrapStep(made).state?.current // 0
 * ```
 */
export function writeMetadata(
  secret: Secret | undefined,
  input: MetadataInput,
  env: Env,
  config: KvConfig = defaultConfig,
): Outcome<Secret | undefined, Described, KvEvent, 'invalid_custom_metadata' | MetadataCasRefusal> {
  checkSettings(input, env)
  const refused = notesProblem(input.customMetadata)
  if (refused) return refused
  const { metadataCas, ...settings } = input
  if (Object.values(settings).every((value) => value === undefined)) return answer(secret, { warnings: [] })
  const raced = metadataCasProblem(secret, metadataCas, config)
  if (raced) return raced
  return describe(secret ?? newSecret(env.newId('secret'), env.now), settings, env, config)
}

/**
 * Changes some of a secret's settings; custom metadata is merged.
 *
 * @returns warnings, or `secret_not_found`, `invalid_custom_metadata`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { patchMetadata, writeMetadata } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const made = unwrapStep(writeMetadata(undefined, { customMetadata: { owner: 'ada', old: '1' } }, env)).state
 * const patch = { customMetadata: { old: null, team: 'x' } }
 * unwrapStep(patchMetadata(made, patch, env)).state.customMetadata // { owner: 'ada', team: 'x' }
 * ```
 */
export function patchMetadata(
  secret: Secret | undefined,
  input: MetadataPatch,
  env: Env,
  config: KvConfig = defaultConfig,
): Outcome<Secret, Described, KvEvent, 'secret_not_found' | 'invalid_custom_metadata' | MetadataCasRefusal> {
  checkArguments('input', input)
  const given = Object.entries(input).filter(([, value]) => value !== null)
  checkSettings(Object.fromEntries(given), env)
  if (secret === undefined) return refuse('secret_not_found', '')
  const raced = metadataCasProblem(secret, input.metadataCas, config)
  if (raced) return raced
  const notes = mergedNotes(secret.customMetadata, input.customMetadata)
  const refused = notes ? notesProblem(notes) : undefined
  if (refused) return refused
  const reset = <V>(value: V | null | undefined, zero: V): V | undefined => (value === null ? zero : value)
  const settings = {
    maxVersions: reset(input.maxVersions, 0),
    casRequired: reset(input.casRequired, false),
    metadataCasRequired: reset(input.metadataCasRequired, false),
    deleteVersionAfterSeconds: reset(input.deleteVersionAfterSeconds, 0),
    customMetadata: notes,
  }
  return describe(secret, settings, env, config)
}

/** Why settings were not written: another writer changed them meanwhile, or check-and-set is required. */
export type MetadataCasRefusal = 'metadata_cas_required' | 'metadata_cas_mismatch'

/** Returns why settings cannot be written over the current ones. */
function metadataCasProblem(
  secret: Secret | undefined,
  cas: number | undefined,
  config: KvConfig,
): Refused<MetadataCasRefusal> | undefined {
  if (cas === undefined)
    return config.metadataCasRequired || secret?.metadataCasRequired
      ? refuse('metadata_cas_required', 'metadata check-and-set parameter required for this call')
      : undefined
  return cas === (secret?.metadataVersion ?? 0)
    ? undefined
    : refuse('metadata_cas_mismatch', 'metadata check-and-set parameter did not match the current version')
}

type Settings = Omit<MetadataInput, 'customMetadata' | 'metadataCas'> & {
  readonly customMetadata?: Readonly<Record<string, string>> | null | undefined
}

function describe(secret: Secret, input: Settings, env: Env, config: KvConfig) {
  const warnings =
    input.casRequired === false && config.casRequired
      ? [
          '"cas_required" set to false, but is mandated by the mount\'s configuration. This value will be ignored.',
        ]
      : []
  return step<Secret, Described, KvEvent>(secret, (draft, emit) => {
    draft.maxVersions = input.maxVersions ?? secret.maxVersions
    draft.casRequired = input.casRequired ?? secret.casRequired
    draft.deleteVersionAfterSeconds = input.deleteVersionAfterSeconds ?? secret.deleteVersionAfterSeconds
    if (input.customMetadata !== undefined) draft.customMetadata = input.customMetadata
    if (input.metadataCasRequired !== undefined) draft.metadataCasRequired = input.metadataCasRequired
    draft.metadataVersion = (secret.metadataVersion ?? 0) + 1
    draft.updatedAt = env.now
    emit({ type: 'kv.described' })
    return { warnings }
  })
}

function notesProblem(
  notes: Readonly<Record<string, string>> | undefined,
): Refused<'invalid_custom_metadata'> | undefined {
  const problems = notes ? customMetadataProblems(notes) : []
  if (problems.length === 0) return undefined
  const said = problems.map((problem) => `custom_metadata validation failed: ${problem}`)
  const [only] = said
  return refuse('invalid_custom_metadata', said.length === 1 && only ? only : listProblems(said), {
    problems,
  })
}

function mergedNotes(
  notes: Secret['customMetadata'],
  patch: MetadataPatch['customMetadata'],
): Record<string, string> | null | undefined {
  if (patch === undefined || patch === null) return patch
  const merged = new Map(Object.entries(notes ?? {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  return toRecord(merged)
}

/** Without a prototype, so that `__proto__` is an ordinary key. */
const toRecord = (entries: ReadonlyMap<string, string>): Record<string, string> => {
  const record: Record<string, string> = Object.create(null)
  for (const [key, value] of entries) record[key] = value
  return record
}
