import type { Env } from '../../../kernel/index.ts'
import type { Tx } from '../../../store/index.ts'
import type { Secret, VersionView } from '../../kv2/index.ts'
import type { Opened } from '../core/barrier.ts'
import type { Core } from '../core/core.ts'
import { debris } from '../core/records.ts'
import { finishText, readText } from './kept-text.ts'
import { type KeptText, versionData } from './records.ts'

/** The maximum number of data keys deleted with the write that prunes them; the sweeper deletes the others. */
const promptDeletions = 24

/** A change in progress: its transaction, and its results. */
export interface Change {
  readonly tx: Tx
  readonly env: Env
  readonly secret: Secret
  /** The versions whose data is in pieces, for the record. */
  large: readonly number[]
}

// The data of versions is not replicated: one key for each version, which says where the pieces of a long text are.

/** Writes the data of a new version, and deletes that of the pruned ones. */
export function keepVersion(
  core: Core,
  change: Change,
  { version, pruned }: { readonly version: VersionView; readonly pruned: readonly number[] },
  text: KeptText,
): void {
  const { tx, secret } = change
  tx.put(versionData, { incarnation: secret.incarnation, version: version.version, ...text })
  if (text.pieces) {
    finishText(tx, text.pieces)
    change.large = [...change.large, version.version]
  }
  dropData(core, change, pruned)
}

/** Deletes the data of versions: immediately, or by the sweeper if there are many keys or pieces. */
export function dropData(core: Core, change: Change, versions: readonly number[]): void {
  if (versions.length === 0) return
  const { tx, env, large } = change
  const { incarnation } = change.secret
  const prefixes: string[] = []
  for (const [at, version] of versions.entries())
    if (at >= promptDeletions || large.includes(version))
      prefixes.push(versionData.keyOf(incarnation, version))
    else tx.delete(versionData, incarnation, version)
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
    return entry && readText(at, versionData.stored(entry).value)
  })
