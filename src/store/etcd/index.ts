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
import { announcedChanges } from '../port/announced-changes.ts'
import { checkRealmName } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Store } from '../port/port.ts'
import { settlePieces } from '../port/settle-pieces.ts'
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
  const { realm, prefix, timers, pollMs, compactMs, keep } = settingsOf(options)
  const client = etcdClient(addressesOf(endpoints), options, timers)
  let [process, names, closed] = [systemEnv().newId('process'), 0, false]
  const newName = () => {
    names += 1
    return `${process}-${names}`
  }
  const session: Session = { client, keys: keysOf(prefix, realm), timers, keep, newName }
  try {
    await checkCluster(client, options.onWarning)
    await claimPrefix(session, prefix)
  } catch (error) {
    client.close()
    throw error
  }
  const { changes, wake } = announcedChanges({
    timers,
    pollMs: () => pollMs,
    isClosed: () => closed,
    collect: (since) => collect(session, since),
    head: async () => (await headOf(session)).rev,
    // The endpoint of the watch may be cut off.
    missed: () => watch.restart(),
  })
  const watch = client.watch(encode(session.keys.head), wake)
  const forget = forgetting(session)
  const stopCompacting = compactMs === false ? () => {} : compacting(session, compactMs)

  const store: Store = {
    head: async () => (await headOf(session)).rev,
    read: (fn) => reading(session, fn),
    commit: async (batch) =>
      settlePieces(batch, transactionsOf(batch), async (commits) => {
        const verdicts = await settle(session, commits)
        wake()
        forget(commits.length)
        return verdicts
      }),
    changes,
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

/** Checks the options, and fills in what is missing. */
function settingsOf(options: EtcdOptions) {
  checkRealmName(options?.realm)
  checkOptions('etcdStore', options, etcdOptions)
  const { realm, prefix = 'plinth', timers = systemTimers, requestMs, settleMs } = options
  const { pollMs = 1_000, compactMs = 300_000, remember: { commits: keep = 100_000 } = {} } = options
  if (!/^[\x21-\x7e]{1,200}$/.test(prefix) || prefix.endsWith('/'))
    throw new StoreError(
      'invalid',
      `a prefix has 1 to 200 printable characters, and no slash at its end: ${prefix}`,
    )
  const times = { requestMs, settleMs, pollMs, compactMs: compactMs || undefined }
  checkNumbers({ least: 1, unit: 'milliseconds' }, times)
  checkNumbers({ least: 1, unit: 'commits', whole: true }, { 'remember.commits': keep })
  return { realm, prefix, timers, pollMs, compactMs, keep }
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
