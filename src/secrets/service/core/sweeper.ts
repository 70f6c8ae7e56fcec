import { unwrap } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { prefixOf, type Tx } from '../../../store/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { SecretIdExpiry } from '../approle/expiry.ts'
import { secrets, versionData, versionPieces } from '../kv/records.ts'
import { childrenOf, deadTokens, endToken, markLate, tokenExpiries, tokenRecords } from '../tokens/records.ts'
import type { Opened } from './barrier.ts'
import type { Core } from './core.ts'
import { done } from './decision.ts'
import { debris } from './records.ts'

/** Deletes unreachable data: leftovers of removed mounts, pruned versions and dead tokens. */
export type Sweeper = ReturnType<typeof sweeper>

/** Keys deleted per commit. */
const batch = 48
/** Tokens revoked per commit: each is up to five keys. */
const tokenBatch = 10
/** The number of batches after which the event loop continues: a store in memory commits synchronously. */
const batchesAtOnce = 16
/** The minimum time between sweeps: records that expire together are swept together. */
const restMs = 1000
/** The pause before a failed sweep is retried, in milliseconds. */
const retryMs = 60_000
/**
 * The maximum time between sweeps: objects that other servers created, and did not live to delete, are not announced.
 */
const longestWaitMs = 24 * 3_600_000

export function sweeper(core: Core, secretIds: SecretIdExpiry) {
  let cancel: (() => void) | undefined
  let due = Number.POSITIVE_INFINITY
  let running: Promise<number> | undefined
  let stopped = false
  /** Of the current sweep. */
  let batches = 0

  const rest = async (): Promise<void> => {
    batches += 1
    if (batches % batchesAtOnce === 0) await nextMacrotask()
  }

  const arm = (instant: number) => {
    if (stopped || instant >= due) return
    due = instant
    cancel?.()
    const wait = Math.min(longestWaitMs, Math.max(restMs, instant - core.env().now))
    cancel = core.timers.after(wait, () => {
      due = Number.POSITIVE_INFINITY
      cancel = undefined
      sweep().catch((error: unknown) => {
        if (stopped) return
        core.report(error)
        arm(core.env().now + retryMs)
      })
    })
  }

  /** Deletes everything below the prefixes of one debris record, then the record. */
  const clear = async ({ view }: Opened): Promise<number> => {
    const now = await view.fresh()
    const [piece] = now.scan({ prefix: debris.prefix, limit: 1 }).map((entry) => debris.stored(entry).value)
    if (piece === undefined) return 0
    let deleted = 0
    for (const prefix of piece.prefixes) {
      for (;;) {
        const found = await view.store.read((at) => at.scan({ prefix, limit: batch }))
        if (found.length === 0) break
        const id = core.env().newId('commit')
        // The data of a secret is stored separately, under its incarnation, and is swept separately.
        const prefixes = found.flatMap((entry) =>
          entry.key.startsWith(secrets.prefix)
            ? [versionData, versionPieces].map(({ name }) =>
                prefixOf(name, secrets.stored(entry).value.secret.incarnation),
              )
            : [],
        )
        const put = prefixes.length > 0 ? [{ key: debris.keyOf(id), value: { id, prefixes } }] : []
        await view.store.commit([{ id, put, del: found.map(({ key }) => key) }])
        deleted += found.length
        await rest()
      }
    }
    if (piece.namespaceId !== undefined) deleted += await endTokensOf(piece.namespaceId)
    await core.commit((tx) => done(tx.delete(debris, piece.id)))
    return deleted + 1
  }

  /** Revokes the remaining tokens of a removed namespace: they are dead, but not all of them would ever expire. */
  const endTokensOf = async (namespaceId: string): Promise<number> => {
    const digests = tokenRecords
      .list(await core.fresh())
      .flatMap(({ value }) => (value.namespaceId === namespaceId ? [value.digest] : []))
    for (let at = 0; at < digests.length; at += tokenBatch) {
      await end((tx) => {
        const left = digests
          .slice(at, at + tokenBatch)
          .flatMap((digest) => tx.get(tokenRecords, digest)?.value ?? [])
        for (const token of left) endToken(tx, token)
        return left
      })
      await rest()
    }
    return digests.length
  }

  /** Revokes tokens, reports them, and marks their possible new children; returns their number. */
  const end = async (decide: (tx: Tx) => readonly Token[]): Promise<number> => {
    const ended = unwrap(await core.commit((tx) => done(decide(tx))))
    await markLate(core, ended)
    const at = core.env().now
    for (const { accessor, namespace } of ended) core.emit({ at, namespace, type: 'token.revoked', accessor })
    return ended.length
  }

  /** Deletes some expired tokens; without events, since their expiry was known. */
  const expire = async (): Promise<number> => {
    const { expired, ended } = unwrap(
      await core.commit((tx, { now: instant }) => {
        const expired = tx.now
          .scan({ prefix: tokenExpiries.prefix, limit: tokenBatch })
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
  const bury = async (): Promise<number> => {
    let found = 0
    const ended = await end((tx) => {
      const [first] = tx.now.scan({ prefix: deadTokens.prefix, limit: 1 })
      found = first === undefined ? 0 : 1
      if (first === undefined) return []
      const dead = deadTokens.stored(first).value
      const children = childrenOf(tx.now, dead, tokenBatch)
      for (const child of children) endToken(tx, child)
      if (children.length < tokenBatch) tx.delete(deadTokens, dead.digest, dead.incarnation)
      return children
    })
    return ended + found
  }

  const sweepSome = async (opened: Opened): Promise<number> => {
    const swept = (await clear(opened)) + (await expire()) + (await bury()) + (await secretIds.expire())
    if (swept > 0) return swept
    const [first] = (await opened.view.fresh()).scan({ prefix: tokenExpiries.prefix, limit: 1 })
    const expiries = [first && tokenExpiries.stored(first).value.at, await secretIds.next()]
    arm(Math.min(core.env().now + longestWaitMs, ...expiries.filter((at) => at !== undefined)))
    return 0
  }

  const sweepAll = async (): Promise<number> => {
    let total = 0
    batches = 0
    for (;;) {
      const swept = await core.barrier.unlessSealed(async () => sweepSome(core.barrier.enter()))
      if (typeof swept !== 'number') return total
      total += swept
      if (swept === 0) return total
      await rest()
    }
  }

  const sweep = () => {
    running ??= sweepAll().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    /** Sweeps until nothing is left; returns the number of deleted keys. */
    sweep,
    /** Schedules a sweep at this instant. */
    at: arm,
    stop: (): void => {
      stopped = true
      cancel?.()
    },
  }
}
