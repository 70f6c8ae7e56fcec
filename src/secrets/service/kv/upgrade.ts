import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { defaultConfig, upgradeEntry } from '../../kv2/index.ts'
import type { Sited } from '../core/context.ts'
import { done } from '../core/decision.ts'
import { pathKey, pathParts } from '../core/path-key.ts'
import { entries, entryNames, kvConfigs, secrets, storedSecret, versionData } from './records.ts'

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
    if (names.length === 0) break
    const keys = names.map((name) => entries.keyOf(mount.id, ...pathParts(name)))
    const found = await view.store.read((at) => at.get(keys))
    await core.commit((tx, env) => {
      const config = tx.get(kvConfigs, mount.id)?.value.config ?? defaultConfig
      for (const [index, name] of names.entries()) {
        const entry = found[index]
        const parts = [mount.id, ...pathParts(name)]
        if (!tx.delete(entryNames, ...parts) || entry === undefined) continue
        const secret = upgradeEntry(env, config)
        tx.delete(entries, ...parts)
        const { incarnation } = secret
        const { json } = entries.stored(entry).value
        tx.put(secrets, {
          mount: mount.id,
          secret: storedSecret(secret),
          ...pathKey(core.crypto, secrets, mount.id, name.path).kept,
          ...(name.pieces ? { large: [1] } : {}),
        })
        tx.put(
          versionData,
          name.pieces
            ? { incarnation, version: 1, json, pieces: name.pieces }
            : { incarnation, version: 1, json },
        )
      }
      return done(undefined)
    })
    // A store in memory commits within the same turn of the event loop.
    await nextMacrotask()
  }
}
