import { lifecycle } from '../kernel/index.ts'

/**
 * The states of a worker's channel to its upstream: state → verb → state.
 *
 * @remarks
 * `CONNECTING` waits for name resolution or the connection, `READY` communicates, `TRANSIENT_FAILURE` had a time-out or
 * a socket error and retries automatically, `IDLE` does not try because there are no calls, `SHUTDOWN` is final.
 */
export const connectionLifecycle = lifecycle({
  IDLE: { connect: 'CONNECTING', shutdown: 'SHUTDOWN' },
  CONNECTING: { succeed: 'READY', fail: 'TRANSIENT_FAILURE', shutdown: 'SHUTDOWN' },
  READY: { fail: 'TRANSIENT_FAILURE', rest: 'IDLE', shutdown: 'SHUTDOWN' },
  TRANSIENT_FAILURE: { retry: 'CONNECTING', shutdown: 'SHUTDOWN' },
  SHUTDOWN: {},
})

/**
 * The state of a worker's channel.
 */
export type ConnectionState = keyof typeof connectionLifecycle

/**
 * The events of a worker's channel.
 */
export type ConnectionVerb = 'connect' | 'succeed' | 'fail' | 'rest' | 'retry' | 'shutdown'

/** The pauses between attempts: the first, the growth factor, and the maximum. */
export const backoff = { firstMs: 1000, factor: 1.6, longestMs: 120_000 } as const

/**
 * The delay before the next attempt after a number of failures in a row: 1 s, growing by 1.6 to 2 minutes.
 *
 * @example
 * ```ts
 * import { retryDelayMs } from 'plinth/gateway'
 *
 * retryDelayMs(1) // 1000
 * retryDelayMs(3) // 2560
 * retryDelayMs(99) // 120_000
 * ```
 */
export const retryDelayMs = (failures: number): number =>
  Math.round(Math.min(backoff.longestMs, backoff.firstMs * backoff.factor ** Math.max(0, failures - 1)))
