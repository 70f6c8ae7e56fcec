/**
 * Stores in etcd, for many servers that must survive the loss of a machine: over its JSON gateway, without a client
 * library.
 *
 * @packageDocumentation
 */
export type { Timers } from '../../kernel/index.ts'
export type { Store } from '../port/port.ts'
export type { EtcdOptions, EtcdTls } from './options.ts'

import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions } from '../../kernel/check-options.ts'
import { systemEnv, systemTimers } from '../../kernel/index.ts'
import { coalesced } from '../decorators/coalesced.ts'
import { checkSince } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Store, Verdict } from '../port/port.ts'
import { waiters } from '../port/waiters.ts'
import { etcdClient } from './client.ts'
import { forgetting, settle, transactionsOf } from './commit.ts'
import { importAll } from './import.ts'
import { checkCluster, claimPrefix } from './opening.ts'
import { addressesOf, type EtcdOptions, etcdOptions } from './options.ts'
import { collect, headOf, reading } from './read.ts'
import { keysOf, type Session } from './realm.ts'
import { encode } from './wire.ts'

/**
 * Opens a realm in an etcd cluster (3.4 or later), with any number of other processes.
 *
 * @remarks
 * A commit is one transaction of etcd that compares the head of its realm: strictly serializable, and acknowledged
 * once a majority of the members has it on disk. Values of up to 8 KiB are stored with their key, larger ones in pieces.
 * etcd keeps everything in memory and on each member: it is for up to some gigabytes, its `--quota-backend-bytes`.
 *
 * @param endpoints - the addresses of the members, such as `http://10.0.0.1:2379`; a silent one is skipped
 *
 * @throws TypeError when an endpoint is not an address, or the realm has no name
 * @throws {@link StoreError} of code `unreachable`, `denied`, `foreign`, `wrong_schema` or `unsuitable`
 *
 * @example
 * ```ts
 * import { etcdStore } from 'plinth/store/etcd'
 *
 * async function openSecrets() {
 *   const endpoints = ['http://10.0.0.1:2379', 'http://10.0.0.2:2379', 'http://10.0.0.3:2379']
 *   return etcdStore(endpoints, { realm: 'secrets', onWarning: console.warn })
 * }
 * ```
 */
export async function etcdStore(endpoints: readonly string[], options: EtcdOptions): Promise<Store> {
  if (typeof options?.realm !== 'string')
    throw new TypeError("realm is missing: pass the name of the realm, as in { realm: 'secrets' }")
  checkOptions('etcdStore', options, etcdOptions)
  const { realm, prefix = 'plinth', timers = systemTimers, settleMs = 7_000 } = options
  const { pollMs = 1_000, compactMs = 300_000, remember: { commits: keep = 100_000 } = {} } = options
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(realm))
    throw new StoreError('invalid', `a realm's name has 1 to 64 letters, digits, "-", "_": ${realm}`)
  if (!/^[\x21-\x7e]{1,200}$/.test(prefix) || prefix.endsWith('/'))
    throw new StoreError(
      'invalid',
      `a prefix has 1 to 200 printable characters, and no slash at its end: ${prefix}`,
    )
  checkNumbers(
    { least: 1, unit: 'milliseconds' },
    { requestMs: options.requestMs, settleMs, pollMs, compactMs: compactMs || undefined },
  )
  checkNumbers({ least: 1, unit: 'commits', whole: true }, { 'remember.commits': keep })
  const client = etcdClient(addressesOf(endpoints), options, timers, settleMs)
  let [process, names, news, closed] = [systemEnv().newId('process'), 0, 0, false]
  const newName = () => {
    names += 1
    return `${process}-${names}`
  }
  const session: Session = { client, keys: keysOf(prefix, realm), timers, settleMs, keep, newName }
  try {
    await checkCluster(client, options.onWarning)
    await claimPrefix(session, prefix)
  } catch (error) {
    client.close()
    throw error
  }
  const waiting = waiters(timers)
  const wake = () => {
    news += 1
    waiting.wake()
  }
  /** What was found when the store had been woken so often. */
  let seen = { rev: -1, news: -1 }
  const watch = client.watch(encode(session.keys.head), wake)
  const forget = forgetting(session)
  const stopCompacting = compactMs === false ? () => {} : compacting(session, compactMs)

  const store: Store = {
    head: async () => (await headOf(session)).rev,
    read: (fn) => reading(session, fn),
    commit: async (batch) => {
      const verdicts: Verdict[] = []
      for (const commits of transactionsOf(batch)) {
        const judged = await settle(session, commits).catch((error: unknown) => {
          if (verdicts.length === 0) throw error
          throw new StoreError(
            'unknown',
            `only ${verdicts.length} of ${batch.length} commits have a known outcome: submit the same ids again`,
            error,
          )
        })
        verdicts.push(...judged)
        wake()
        forget(commits.length)
      }
      return verdicts
    },
    changes: async (since) => {
      checkSince(since)
      const { after, waitMs = 0, signal, background } = since
      let isDone = waitMs <= 0
      const end = () => {
        isDone = true
        waiting.wake()
      }
      const isOver = () => isDone || closed || signal?.aborted === true
      const stop = isDone ? () => {} : timers.after(waitMs, end, { hold: background !== true })
      try {
        while (true) {
          const before = news
          // A commit during the request is not missed: the wait begins before it.
          const woken = waiting.wait(pollMs, signal, isOver)
          if (isOver() || seen.rev !== after || seen.news !== before) {
            const found = await collect(session, since)
            if (found.rev !== after || isOver()) return found
            seen = { rev: after, news: before }
          }
          await woken
          if (isOver() || before !== news || (await headOf(session)).rev === after) continue
          // The watch has not heard of a commit: its endpoint may be cut off.
          wake()
          watch.restart()
        }
      } finally {
        stop()
      }
    },
    import: async (entries, head) => {
      await importAll(session, entries, head)
      wake()
    },
    close: async () => {
      closed = true
      stopCompacting()
      watch.close()
      client.close()
      wake()
    },
  }
  return coalesced(store)
}

/** Lets etcd forget revisions that it has had for some time: otherwise its file only grows. */
function compacting({ client, timers }: Session, ms: number): () => void {
  let cancel = () => {}
  let before = 0n
  const again = () => {
    cancel = timers.after(ms, () => {
      // Other processes compact as well, and that is refused.
      if (before > 0n) client.call('/v3/kv/compaction', { revision: String(before) }).catch(() => undefined)
      before = client.newest()
      again()
    })
  }
  again()
  return () => cancel()
}
