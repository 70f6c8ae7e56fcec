import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, type Refused, refuse, step } from '../../kernel/index.ts'
import type { RegistryEvent } from '../modules/events.ts'
import type { Module } from '../modules/model.ts'
import { formatAddress } from '../modules/names.ts'
import { addressOf } from '../modules/publish.ts'
import { sourceProblem } from '../source/resolve.ts'
import { type ModuleLimits, moduleLimits, sizeProblem } from './limits.ts'
import type { ModulePart, ModulePartInput, StoredArchive, Version, VersionContents } from './model.ts'
import { parseVersion, type VersionNumber } from './number.ts'
import { versionPosition } from './order.ts'
import { fillPart, needsOf } from './part.ts'

/**
 * A version to publish.
 */
export interface PublishVersionInput {
  /** Its number, as {@link parseVersion} reads it. */
  readonly version: string
  /** Its location, in the syntax of {@link resolveModuleSource}. */
  readonly source: string
  /** The documentation of the module itself; empty by default. */
  readonly root?: ModulePartInput | undefined
  /** The documentation of its submodules, each with its `path`. */
  readonly submodules?: readonly ModulePartInput[] | undefined
  /** When it was published, in microseconds since the Unix epoch; now by default. */
  readonly publishedMicros?: number | undefined
}

/**
 * The input of {@link publishVersion}: a version, whose archive the registry may store itself.
 */
export interface ArchivedVersionInput extends PublishVersionInput {
  /** The archive; without one, `source` says where it is. */
  readonly archive?: StoredArchive | undefined
  /** The parse errors of its files. */
  readonly warnings?: readonly string[] | undefined
}

/**
 * The two records of a version: one for lists and downloads, and its documentation.
 */
export interface PublishedRecords {
  /** The record for lists and downloads. */
  readonly version: Version
  /** Its documentation. */
  readonly contents: VersionContents
}

/**
 * Why a version cannot be published.
 */
export type PublishVersionRefusal =
  | 'invalid_version'
  | 'invalid_source'
  | 'invalid_submodule'
  | 'version_exists'
  | 'version_too_large'
  | 'module_too_large'

/**
 * Adds a version to a module. Versions are immutable: to replace one, remove it first.
 *
 * @returns the records to store; or `invalid_version`, `invalid_source` (no client could download it),
 * `invalid_submodule` (a path that is missing, repeated or leaves the module), or `version_exists`, which treats
 * `v1.0.0`, `1.0` and `1.0.0` as one; or `version_too_large` or `module_too_large` by the {@link ModuleLimits}.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { publishModule, publishVersion } from 'plinth/registry'
 *
 * const env = systemEnv()
 * const address = { namespace: 'acme', name: 'vpc', provider: 'aws' }
 * const module = unwrapStep(publishModule(undefined, address, env)).state
 * const input = { version: 'v1.2', source: 'git::https://git.example.com/vpc?ref=v1.2' }
 * unwrap(publishVersion(module, input, env)).version.number // '1.2.0'
 * ```
 */
export function publishVersion(
  module: Module,
  input: ArchivedVersionInput,
  env: Env,
  limits: ModuleLimits = moduleLimits,
): Outcome<Module, PublishedRecords, RegistryEvent, PublishVersionRefusal> {
  checkArguments('module input env', module, input, env)
  const described = describeVersion(module.id, input, env)
  if (!described.ok) return described
  const { parsed, records, characters } = described.value
  const { number, publishedMicros } = records.version
  if (module.versions.some((version) => version.number === number))
    return refuse('version_exists', `${formatAddress(module)} already has a version ${number}`, {
      version: number,
    })
  const tooLarge = sizeProblem(module, records.contents, characters, limits)
  if (tooLarge) return tooLarge
  return step(module, (draft, emit) => {
    // From here on, its upstream is not asked for more.
    delete draft.pulledFrom
    draft.versions.splice(versionPosition(module.versions, parsed), 0, {
      number,
      publishedMicros,
      characters,
      ...(input.archive ? { blob: input.archive.blob, size: input.archive.size } : {}),
    })
    emit({ type: 'version.published', module: addressOf(module), version: number })
    return records
  })
}

/** Everything about a version that does not depend on the module's other versions. */
export function describeVersion(
  moduleId: string,
  input: ArchivedVersionInput,
  env: Env,
):
  | {
      readonly ok: true
      readonly value: {
        readonly parsed: VersionNumber
        readonly records: PublishedRecords
        /** Its approximate size in version lists. */
        readonly characters: number
      }
    }
  | Refused<'invalid_version' | 'invalid_source' | 'invalid_submodule'> {
  const parsed = parseVersion(input.version)
  if (!parsed)
    return refuse(
      'invalid_version',
      `${JSON.stringify(input.version)} is not a version number: use numbers and dots, such as 1.2.0 or 2.0.0-beta1`,
    )
  const unusable = sourceProblem(input.source)
  if (unusable) return unusable
  const submodules = (input.submodules ?? []).map(fillPart)
  const problem = submoduleProblem(submodules)
  if (problem !== undefined) return refuse('invalid_submodule', problem)

  const number = parsed.canonical
  const publishedMicros = input.publishedMicros ?? env.now * 1000
  const root = fillPart(input.root ?? {})
  const version = {
    moduleId,
    number,
    source: input.source,
    publishedMicros,
    root: needsOf(root),
    submodules: submodules.map(needsOf),
    ...(input.archive ? { archive: input.archive } : {}),
  }
  const warnings = input.warnings?.length ? { warnings: [...input.warnings] } : {}
  const contents = { moduleId, number, root, submodules, ...warnings }
  const characters = JSON.stringify(version).length
  return { ok: true, value: { parsed, records: { version, contents }, characters } }
}

function submoduleProblem(submodules: readonly ModulePart[]): string | undefined {
  const seen = new Set<string>()
  for (const { path } of submodules) {
    if (path === '') return 'a submodule needs the path of its folder'
    if (path.startsWith('/') || path.split('/').some((segment) => ['', '.', '..'].includes(segment)))
      return `the submodule path ${JSON.stringify(path)} is not a plain folder inside the module`
    if (seen.has(path)) return `the submodule path ${JSON.stringify(path)} is given twice`
    seen.add(path)
  }
  return undefined
}
