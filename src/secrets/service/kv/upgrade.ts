import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { defaultConfig, upgradeEntry } from '../../kv2/index.ts'
import type { Sited } from '../core/context.ts'
import { done } from '../core/decision.ts'
import { pathKey, pathParts } from '../core/path-key.ts'
import {
  entries,
  entryNames,
  entryPieces,
  kvConfigs,
  secrets,
  versionData,
  versionPieces,
} from './records.ts'
import { storedSecret } from './stored-secret.ts'

/** Entries rewritten per commit: each is two deletions and two puts. */
const batch = 12

/**
 * Rewrites a mount's unversioned entries as version 1 of versioned secrets. Every batch is a
 * separate commit, so an interrupted service continues where it stopped when it is unsealed.
 */
export async function upgradeEntries({ core, mount }: Sited): Promise<void> {
  for (;;) {
    const { view } = core.barrier.enter()
    const now = await view.fresh()
    const names = now
      .scan({ prefix: entryNames.keyOf(mount.id, ''), limit: batch })
      .map((entry) => entryNames.stored(entry).value)
    const [first] = names
    if (first === undefined) break
    // An entry of several chunks fills a commit by itself.
    const chosen = names.some(({ more }) => more) ? [first] : names
    const keys = chosen.map((name) => entries.keyOf(mount.id, ...pathParts(name)))
    const pieceAt = (piece: number) => pathKey(core.crypto, entryPieces, mount.id, first.path, piece)
    const numbers = Array.from({ length: first.more ?? 0 }, (_, index) => index + 1)
    const pieceKeys = numbers.map((piece) => pieceAt(piece).key)
    const [found, pieces] = await view.store.read(
      async (at) => [await at.get(keys), await at.get(pieceKeys)] as const,
    )
    await core.commit((tx, env) => {
      const config = tx.get(kvConfigs, mount.id)?.value.config ?? defaultConfig
      for (const [index, name] of chosen.entries()) {
        const entry = found[index]
        const parts = [mount.id, ...pathParts(name)]
        if (!tx.delete(entryNames, ...parts) || entry === undefined) continue
        const secret = upgradeEntry(env, config)
        tx.delete(entries, ...parts)
        const { incarnation } = secret
        const kept = { incarnation, version: 1, json: entries.stored(entry).value.json }
        const more = pieces.length
        tx.put(secrets, {
          mount: mount.id,
          secret: storedSecret(secret),
          ...pathKey(core.crypto, secrets, mount.id, name.path).kept,
          ...(more > 0 ? { large: [1] } : {}),
        })
        tx.put(versionData, more > 0 ? { ...kept, more } : kept)
        for (const [at, piece] of pieces.entries()) {
          tx.delete(entryPieces, mount.id, ...pathParts(pieceAt(at + 1).kept), at + 1)
          const text = piece ? entryPieces.stored(piece).value.text : ''
          tx.put(versionPieces, { incarnation, version: 1, piece: at + 1, text })
        }
      }
      return done(undefined)
    })
    // A store in memory commits within the same turn of the event loop.
    await nextMacrotask()
  }
}
