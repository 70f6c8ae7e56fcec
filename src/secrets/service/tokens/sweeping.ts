import { unwrap } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { prefixOf, type Tx } from '../../../store/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { Concept, Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import {
  childrenOf,
  cubbyholes,
  deadTokens,
  endToken,
  heldTokenRecords,
  markLate,
  tokenExpiries,
  tokenRecords,
  tokenRoles,
} from './records.ts'

/** Tokens revoked per commit: each is up to five keys. */
const batch = 10

/** Revokes tokens, reports them, and marks their possible new children; returns their number. */
async function end(core: Core, decide: (tx: Tx) => readonly Token[]): Promise<number> {
  const ended = unwrap(await core.commit((tx) => done(decide(tx))))
  await markLate(core, ended)
  const at = core.env().now
  for (const { accessor, namespace } of ended) core.emit({ at, namespace, type: 'token.revoked', accessor })
  return ended.length
}

/** Revokes the remaining tokens of a removed namespace: they are dead, but not all of them would ever expire. */
async function endNamespace(core: Core, namespaceId: string): Promise<number> {
  const digests = tokenRecords
    .list(await core.fresh())
    .flatMap(({ value }) => (value.namespaceId === namespaceId ? [value.digest] : []))
  for (let at = 0; at < digests.length; at += batch) {
    await end(core, (tx) => {
      const left = digests
        .slice(at, at + batch)
        .flatMap((digest) => tx.get(tokenRecords, digest)?.value ?? [])
      for (const token of left) endToken(tx, token)
      return left
    })
    await nextMacrotask()
  }
  return digests.length
}

/** Deletes some expired tokens; without events, since their expiry was known. */
async function expire(core: Core): Promise<number> {
  const { expired, ended } = unwrap(
    await core.commit((tx, { now: instant }) => {
      const expired = tx.now
        .scan({ prefix: tokenExpiries.prefix, limit: batch })
        .map((entry) => tokenExpiries.stored(entry).value)
        .filter(({ at }) => at <= instant)
      const ended = expired.flatMap(({ at, digest }) => {
        const token = tx.get(tokenRecords, digest)?.value
        if (token) endToken(tx, token)
        else tx.delete(tokenExpiries, at, digest)
        return token ? [token] : []
      })
      return done({ expired: expired.length, ended })
    }),
  )
  await markLate(core, ended)
  return expired
}

/** Deletes some of the children of a dead token. */
async function bury(core: Core): Promise<number> {
  let found = 0
  const ended = await end(core, (tx) => {
    const [first] = tx.now.scan({ prefix: deadTokens.prefix, limit: 1 })
    found = first === undefined ? 0 : 1
    if (first === undefined) return []
    const dead = deadTokens.stored(first).value
    const children = childrenOf(tx.now, dead, batch)
    for (const child of children) endToken(tx, child)
    if (children.length < batch) tx.delete(deadTokens, dead.digest, dead.incarnation)
    return children
  })
  return ended + found
}

export const tokens: Concept = {
  held: [...heldTokenRecords, cubbyholes],
  ofNamespace: (id) => [prefixOf(tokenRoles.name, id)],
  sweep: async (core) => (await expire(core)) + (await bury(core)),
  nextExpiry: async (core) => {
    const [first] = (await core.fresh()).scan({ prefix: tokenExpiries.prefix, limit: 1 })
    return first && tokenExpiries.stored(first).value.at
  },
  endNamespace,
}
