import type { Env } from '../../../kernel/index.ts'
import { prefixOf, type Tx } from '../../../store/index.ts'
import type { Secret, VersionView } from '../../kv2/index.ts'
import type { Opened } from '../core/barrier.ts'
import type { Core } from '../core/core.ts'
import { debris } from '../core/records.ts'
import { versionData, versionPieces } from './records.ts'
import type { StringChunks } from './string-chunks.ts'

/** The maximum number of data keys deleted with the write that prunes them; the sweeper deletes the others. */
const promptDeletions = 24

/** A change in progress: its transaction, and its results. */
export interface Change {
  readonly tx: Tx
  readonly env: Env
  readonly secret: Secret
  /** The versions in more than one chunk, for the record. */
  large: readonly number[]
}

// The data of versions is not replicated: one key for each version, and further ones for long texts.

/** Writes the data of a new version, and deletes that of the pruned ones. */
export function keepVersion(
  core: Core,
  change: Change,
  { version, pruned }: { readonly version: VersionView; readonly pruned: readonly number[] },
  { head, more }: StringChunks,
): void {
  const { tx, secret } = change
  const { incarnation } = secret
  const kept = { incarnation, version: version.version, json: head }
  tx.put(versionData, more.length === 0 ? kept : { ...kept, more: more.length })
  for (const [index, text] of more.entries())
    tx.put(versionPieces, { incarnation, version: version.version, piece: index + 1, text })
  if (more.length > 0) change.large = [...change.large, version.version]
  dropData(core, change, pruned)
}

/** Deletes the data of versions: immediately, or by the sweeper if there are many keys. */
export function dropData(core: Core, change: Change, versions: readonly number[]): void {
  if (versions.length === 0) return
  const { tx, env, large } = change
  const { incarnation } = change.secret
  for (const version of versions.slice(0, promptDeletions)) tx.delete(versionData, incarnation, version)
  const prefixes = [
    ...versions.slice(promptDeletions).map((version) => versionData.keyOf(incarnation, version)),
    ...large
      .filter((version) => versions.includes(version))
      .map((version) => prefixOf(versionPieces.name, incarnation, version)),
  ]
  if (prefixes.length === 0) return
  tx.put(debris, { id: env.newId('debris'), prefixes })
  change.large = large.filter((version) => !versions.includes(version))
  core.sweeper.at(env.now)
}

/** The length of data that is cached, at most, in characters. */
const longestCached = 64 * 1024

/** The data of a version; `undefined` if it was deleted meanwhile. */
export async function readData(
  core: Core,
  incarnation: string,
  version: number,
): Promise<string | undefined> {
  const opened = core.barrier.enter()
  const { lately } = opened
  const key = `${incarnation}/${version}`
  const cached = lately.get(key)
  if (cached !== undefined) return cached
  const json = await loadData(opened, incarnation, version)
  if (json !== undefined && json.length <= longestCached) lately.set(key, json)
  return json
}

const loadData = (opened: Opened, incarnation: string, version: number): Promise<string | undefined> =>
  opened.view.store.read(async (at) => {
    const [entry] = await at.get([versionData.keyOf(incarnation, version)])
    if (entry === undefined) return undefined
    const { json, more = 0 } = versionData.stored(entry).value
    if (more === 0) return json
    const keys = Array.from({ length: more }, (_, index) =>
      versionPieces.keyOf(incarnation, version, index + 1),
    )
    const pieces = await at.get(keys)
    return json + pieces.map((piece) => (piece ? versionPieces.stored(piece).value.text : '')).join('')
  })
