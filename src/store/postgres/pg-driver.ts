import { systemTimers } from '../../kernel/index.ts'
import type { PgClient, PgPool } from './client.ts'
import type { Driver, Query, Row } from './driver.ts'
import { isAnswer, sqlState } from './sql-state.ts'

/** The pools that already have a listener. */
const heard = new WeakSet<PgClient>()

/** The number of stores on a pool with a listener. */
const served = new WeakMap<PgPool, number>()

/** The next query detects it. */
const ignoreLoss = () => undefined

/**
 * A pool emits an error when an idle connection breaks, as all do when the server restarts; without a handler, this
 * ends the process. One listener serves all stores of a pool.
 */
function listenForLosses(pool: PgPool): () => void {
  const add = (change: number) => {
    const before = served.get(pool) ?? 0
    served.set(pool, before + change)
    if (before === 0) pool.on?.('error', ignoreLoss)
    if (before + change === 0) pool.off?.('error', ignoreLoss)
  }
  add(1)
  let released = false
  return () => {
    if (!released) add(-1)
    released = true
  }
}

export function pgDriver(pool: PgPool, prepare: boolean): Driver {
  const release = listenForLosses(pool)
  /** The clients that wait for an answer, and since when. */
  const asking = new Map<PgClient, number>()
  const on =
    (client: PgClient): Query =>
    async (text, values = [], name) => {
      const named = prepare && name !== undefined ? { name: `plinth ${name}` } : {}
      asking.set(client, performance.now())
      try {
        const { rows } = await client.query({ text, values: [...values], ...named })
        return rows as readonly Row[]
      } finally {
        asking.delete(client)
      }
    }
  /** The clients that were closed while they waited. */
  const closed = new WeakSet<PgClient>()
  /**
   * When a checked-out client's connection breaks, the process ends unless a handler listens; the query fails either
   * way.
   */
  const connect = async (): Promise<PgClient> => {
    const client = await pool.connect()
    if (!heard.has(client)) client.on('error', () => undefined)
    heard.add(client)
    return client
  }
  const borrow = async <T>(work: (client: PgClient) => Promise<T>): Promise<T> => {
    const client = await connect()
    let broken = true
    try {
      const result = await work(client)
      broken = false
      return result
    } catch (error) {
      // An error answer of the server leaves the connection usable, unless the server closed it.
      broken = !isAnswer(error) || /^(57P|08)/.test(sqlState(error))
      throw error
    } finally {
      if (!closed.has(client)) client.release(broken)
    }
  }
  return {
    query: (text, values, name) => borrow((client) => on(client)(text, values, name)),
    transaction: (mode, work) =>
      borrow(async (client) => {
        const query = on(client)
        await query(`begin ${mode}`)
        try {
          const result = await work(query)
          await query('commit')
          return result
        } catch (error) {
          await query('rollback').catch(() => undefined)
          throw error
        }
      }),
    listen: async (channel, fn, lost) => {
      const client = await connect()
      let given: 'lent' | 'back' = 'lent'
      const giveBack = () => {
        if (given === 'lent' && !closed.has(client)) client.release(true)
        given = 'back'
      }
      client.on('notification', ({ payload }) => fn(payload ?? ''))
      let listening = false
      client.on('error', () => {
        if (given === 'lent' && listening) lost()
        giveBack()
      })
      try {
        await on(client)(`listen "${channel}"`)
      } catch (error) {
        giveBack()
        throw error
      }
      listening = true
      return async () => giveBack()
    },
    closeSilent: (ms) => {
      for (const [client, since] of asking) {
        const close = () => {
          if (asking.get(client) !== since || closed.has(client)) return
          closed.add(client)
          client.release(true)
        }
        // The statement that got no answer was sent a little after its time began: its connection is due soon.
        const leftMs = since + ms - performance.now()
        if (leftMs > 0) systemTimers.after(Math.ceil(leftMs), close)
        else close()
      }
    },
    release,
  }
}
