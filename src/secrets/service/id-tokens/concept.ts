import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { prefixOf } from '../../../store/index.ts'
import {
  isIdTokenAlgorithm,
  nextChangeOf,
  rotateIdTokenKey,
  stillVerifying,
} from '../../identity/id-token-key.ts'
import type { Concept, Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { drawPair } from './pairs.ts'
import { idTokenIssuers, idTokenKeys, idTokenRoles } from './records.ts'

/** Rotates the keys whose time has come, and forgets public keys that no token needs; returns the number of keys. */
async function tend(core: Core): Promise<number> {
  const { now } = core.env()
  const due = idTokenKeys.list(await core.fresh()).filter(({ value }) => nextChangeOf(value.key) <= now)
  for (const { value } of due) {
    const { namespace, key } = value
    const { algorithm, nextRotationAt } = key
    const pair =
      nextRotationAt <= now && isIdTokenAlgorithm(algorithm) ? await drawPair(core, algorithm) : undefined
    await core.commit<boolean>((tx, env) => {
      const kept = tx.get(idTokenKeys, namespace, key.name)?.value.key
      // Another server was faster, or the key was changed: the next sweep sees.
      if (kept?.current.id !== key.current.id || nextChangeOf(kept) > env.now) return done(false)
      const rotated = pair && rotateIdTokenKey(kept, { pair }, env)
      const left = rotated?.ok ? rotated.state : { ...kept, retired: stillVerifying(kept, env.now) }
      tx.put(idTokenKeys, { namespace, key: left })
      return done(true)
    })
    await nextMacrotask()
  }
  return due.length
}

export const idTokens: Concept = {
  held: [idTokenKeys, idTokenRoles, idTokenIssuers],
  ofNamespace: (id) => [
    prefixOf(idTokenKeys.name, id),
    prefixOf(idTokenRoles.name, id),
    idTokenIssuers.keyOf(id),
  ],
  sweep: tend,
  nextExpiry: async (core) => {
    const changes = idTokenKeys.list(await core.fresh()).map(({ value }) => nextChangeOf(value.key))
    return changes.length === 0 ? undefined : Math.min(...changes)
  },
}
