/**
 * Stores in PostgreSQL, for many servers: bring your own client of `postgres` or `pg`, both optional peers.
 *
 * @packageDocumentation
 */
export type { Timers } from '../../kernel/index.ts'
export type { Store } from '../port/port.ts'

import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions } from '../../kernel/check-options.ts'
import { coalesced } from '../decorators/coalesced.ts'
import { announcedChanges } from '../port/announced-changes.ts'
import { checkHead, checkRealmName } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Rev, Store } from '../port/port.ts'
import { settlePieces } from '../port/settle-pieces.ts'
import { atMostEvery } from './at-most-every.ts'
import { piecesOf } from './batch.ts'
import { collect, headOf } from './changes.ts'
import { clientProblem, connectionsOf, type PostgresClient } from './client.ts'
import { forgetting, settle } from './commit.ts'
import { importAll } from './import.ts'
import { inProgress } from './in-progress.ts'
import { noNotifications, notifications } from './notify.ts'
import { type PostgresOptions, postgresOptions } from './options.ts'
import { pgDriver } from './pg-driver.ts'
import { postgresJsDriver } from './postgres-js-driver.ts'
import { reading } from './read.ts'
import { openRealm } from './realm.ts'
import { sessionOf } from './session.ts'

export type { PgClient, PgPool, PostgresClient, PostgresJsClient } from './client.ts'
export { type PostgresJsAddress, type PostgresJsSettings, postgresJsSettings } from './connections.ts'
export type { PostgresOptions } from './options.ts'

/**
 * Opens a realm in a PostgreSQL database (12 or later, encoding UTF8), with any number of other processes.
 *
 * @remarks
 * Commits of a realm are serialized by its locked counter row: strictly serializable, revisions without gaps.
 * Concurrent commits share one transaction. The durability of an acknowledgement depends on the database's settings:
 * with synchronous replication it survives the loss of the primary, without it only the loss of a process. The caller
 * owns the client: closing the store does not end it. A lost connection is re-established for up to `settleMs`: pass
 * {@link postgresJsSettings} to `postgres`, which alone waits up to 20 s, or `connectionTimeoutMillis: 2_000` to `pg`.
 *
 * @throws TypeError when the client is not one of these, or the realm has no name
 * @throws {@link StoreError} of code `unreachable`, `denied`, `foreign`, `wrong_schema` or `unsuitable`
 *
 * @example
 * ```ts
 * import { postgresJsSettings, postgresStore } from 'plinth/store/postgres'
 * import postgres from 'postgres'
 *
 * const sql = postgres('postgres://localhost/plinth', postgresJsSettings())
 * const store = await postgresStore(sql, { realm: 'secrets', onWarning: console.warn })
 * await store.commit([{ id: '1', put: [{ key: 'a', value: { kept: true } }] }]) // [{ ok: true, rev: 1 }]
 * await store.close()
 * await sql.end()
 * ```
 */
export async function postgresStore(client: PostgresClient, options: PostgresOptions): Promise<Store> {
  const connections = checkedConnections(client, options)
  const { schema = 'plinth', prepare = true } = options
  const driver = 'unsafe' in client ? postgresJsDriver(client, prepare) : pgDriver(client, prepare)
  const realm = await openRealm(driver, schema, options).catch((error: unknown) => {
    driver.release()
    throw error
  })
  const session = sessionOf({ driver, connections }, realm, schema, options)
  const { isOpen, isClosed } = session
  const { news } = session
  const { changes, wake, asking } = announcedChanges({
    timers: session.timers,
    pollMs: () => (options.pollMs ?? 25) * (hints.heard() ? 10 : 1),
    isClosed,
    collect: async (since) => {
      isOpen()
      return news.taken(since) ?? collect(session, since)
    },
    head: () => headOf(session),
  })
  const committing = inProgress(session.timers)
  // What several commit in between, a follower takes as one page: that of a commit in progress, if it brings all.
  const ask = atMostEvery(session, async () => {
    await committing.ended()
    if (!news.isNew()) return
    news.passedOn()
    wake()
  })
  const heard = (rev: Rev | undefined) => {
    news.heardOf(rev)
    if (news.isNew()) ask()
  }
  const hints =
    options.notify === false ? noNotifications : await notifications(session, schema, { heard, wake })
  const forget = forgetting(session, options.remember)

  const store: Store = {
    head: async () => {
      isOpen()
      return headOf(session)
    },
    read: async (fn) => {
      isOpen()
      return reading(session, fn)
    },
    commit: async (batch) => {
      isOpen()
      return settlePieces(batch, piecesOf(batch), async (piece) => {
        const answered = asking()
        const verdicts = await committing.during(settle(session, piece))
        const newest = Math.max(...verdicts.map(({ rev }) => rev))
        hints.announce(newest)
        heard(newest)
        if (!news.isNew()) answered(newest)
        forget(piece.commits.length)
        return verdicts
      })
    },
    changes: async (since) => {
      if (since.background === true) news.followed(since)
      return changes(since)
    },
    import: async (entries, head) => {
      isOpen()
      checkHead(head)
      await importAll(session, entries, head)
      wake()
    },
    close: async () => {
      if (isClosed()) return
      session.close()
      wake()
      await hints.end()
      driver.release()
    },
  }
  return coalesced(store)
}

/** Checks the client and the options; returns how many connections the client has. */
function checkedConnections(
  client: PostgresClient,
  options: PostgresOptions,
): ReturnType<typeof connectionsOf> {
  // Programs without types can omit either.
  const fault = clientProblem(client)
  if (fault !== undefined)
    throw new TypeError(
      `client ${fault}: pass the result of postgres(…), or a Pool of pg, as the first argument (npm install postgres, or pg)`,
    )
  checkRealmName(options?.realm)
  checkOptions('postgresStore', options, postgresOptions)
  const { schema = 'plinth', pollMs, settleMs, remember: { commits, seconds } = {} } = options
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    throw new StoreError('invalid', `a schema's name has a-z, 0-9 and _, and at most 51 of them: ${schema}`)
  checkNumbers({ least: 1, unit: 'milliseconds' }, { pollMs, settleMs })
  checkNumbers({ least: 1, unit: 'commits', whole: true }, { 'remember.commits': commits })
  checkNumbers({ least: 1, unit: 'seconds', whole: true }, { 'remember.seconds': seconds })
  const connections = connectionsOf(client)
  if (connections === 1 && options.notify !== false && !('unsafe' in client))
    throw new TypeError(
      'client has one connection, which notifications need: raise max, or set notify: false',
    )
  if (connections === 1)
    options.onWarning?.(
      'the client has one connection: a commit inside a read would wait for that read forever',
    )
  return connections
}
