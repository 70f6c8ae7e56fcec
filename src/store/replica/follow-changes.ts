import type { Timers } from '../../kernel/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { isStoreError } from '../port/errors.ts'
import type { Changes, Rev, Store } from '../port/port.ts'

/** How long one call of `changes` waits: long enough to be rare, short enough for idle connections to survive. */
const waitMs = 30_000

/** The longest pause after a failed call. */
const maxPauseMs = 5_000

/** The pause after an answer without changes: rare, unless the store ends its waits early. */
const idleMs = 50

export interface Following {
  readonly store: Store
  readonly prefixes: readonly string[]
  readonly timers: Timers
  readonly signal: AbortSignal
  /** The revision to ask after; asked before every call. */
  after(): Rev
  /** The result of a call, and the revision it started after. */
  page(changes: Changes, after: Rev): void | Promise<void>
  /** The store no longer remembers: read the whole state again. */
  compacted(): Promise<void>
  /** A call failed and will be repeated. */
  failed(error: unknown): void
}

export interface Follower {
  /** Settles once the signal aborted or the store was closed. */
  readonly ended: Promise<void>
  /**
   * Ends the wait of the present call, which is repeated after the revision that is the newest then. Settles once the changes
   * it was reading, if any, are taken in.
   */
  askAnew(): Promise<void>
}

/** Calls `changes` until the signal aborts or the store is closed; retries after errors. */
export function followChanges(following: Following): Follower {
  const { store, prefixes, timers, signal } = following
  let call = new AbortController()
  let asking: Promise<unknown> = Promise.resolve()
  signal.addEventListener('abort', () => call.abort(), { once: true })

  const ask = async (): Promise<void> => {
    const { signal: ended } = call
    const after = following.after()
    const page = await store.changes({
      after,
      prefixes,
      limit: 5_000,
      waitMs,
      signal: ended,
      background: true,
    })
    if (signal.aborted) return
    await following.page(page, after)
    // Other work goes on between two pages, and a store that claims news without having any is not asked at once.
    if (isEmpty(page, after) && !ended.aborted) return pause(timers, idleMs, ended)
  }
  const run = async () => {
    let pauseMs = 0
    while (!signal.aborted) {
      try {
        call = new AbortController()
        const asked = ask()
        asking = asked.catch(() => undefined)
        await asked
        pauseMs = 0
        await nextMacrotask()
      } catch (error) {
        if (signal.aborted || isStoreError(error, 'closed')) return
        try {
          if (!isStoreError(error, 'compacted')) throw error
          await following.compacted()
        } catch (failure) {
          following.failed(failure)
          pauseMs = Math.min(maxPauseMs, Math.max(50, pauseMs * 2))
          await pause(timers, pauseMs, signal)
        }
      }
    }
  }
  return {
    ended: run(),
    askAnew: async () => {
      call.abort()
      await asking
    },
  }
}

const isEmpty = ({ rev, put, gone }: Changes, after: Rev): boolean =>
  rev === after && put.length === 0 && gone.length === 0

const pause = (timers: Timers, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const up = () => {
      cancel()
      signal.removeEventListener('abort', up)
      resolve()
    }
    const cancel = timers.after(ms, up)
    signal.addEventListener('abort', up)
  })
