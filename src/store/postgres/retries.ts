import type { StoreErrorCode } from '../port/errors.ts'
import type { Query } from './driver.ts'
import { explain, isAmbiguous, isAway } from './errors.ts'
import type { Session } from './session.ts'

/**
 * No answer within the time limit. The `postgres` client has ways never to settle a query, such as a server that stops
 * while the connection is opened (porsager/postgres issues 1193 and 1223): the caller then treats the answer as lost.
 */
export class AnswerTimeout extends Error {
  constructor(ms: number) {
    super(`the database did not answer within ${ms / 1000} s`)
  }
}

/**
 * The outcome of `work`, or {@link AnswerTimeout} once `ms` have passed without one: then connections that were silent
 * for as long are replaced.
 */
export const withTimeout = <T>(
  { timers, driver }: Pick<Session, 'timers' | 'driver'>,
  ms: number,
  work: Promise<T>,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const giveUp = () => {
      reject(new AnswerTimeout(ms))
      driver.closeSilent(ms)
    }
    const cancel = timers.after(ms, giveUp, { hold: true })
    work.then(resolve, reject).finally(cancel)
  })

/** The attempts of one call. */
export interface Attempts {
  /** How long the next one may take. */
  limitMs(): number
  /** Whether the failed one was the last. */
  isOver(error: unknown): boolean
  /** Waits before the next one. */
  pause(): Promise<void>
}

/**
 * Attempts that end together within twice `limitMs`. A second one follows the first that got no answer; after other errors,
 * they go on for `retryMs`. Their pauses keep the process alive, unlike the host's timers for waiting: a script must
 * not end in the middle of a commit.
 */
export function attemptsWithin(limitMs: number, retryMs: number): Attempts {
  const began = performance.now()
  const elapsed = () => performance.now() - began
  let [silences, pauseMs] = [0, 5]
  return {
    limitMs: () => Math.max(1, Math.min(limitMs, 2 * limitMs - elapsed())),
    isOver: (error) => {
      if (error instanceof AnswerTimeout) silences += 1
      return silences > 1 || elapsed() >= (silences === 0 ? retryMs : 2 * limitMs)
    },
    pause: () => {
      const now = pauseMs
      pauseMs = Math.min(250, pauseMs * 2)
      return new Promise((resolve) => void setTimeout(resolve, now))
    },
  }
}

/** How long a read waits for an unavailable database, in milliseconds. */
const readRetryMs = 2_000

/** Retries a query while `isSafe` when the connection broke, and once when no answer came. */
export async function withRetries<T>(
  { isClosed, settleMs }: Session,
  ask: (limitMs: number) => Promise<T>,
  isSafe = () => true,
  otherwise: (error: unknown) => StoreErrorCode = () => 'unreachable',
): Promise<T> {
  const attempts = attemptsWithin(settleMs, readRetryMs)
  while (true) {
    try {
      return await ask(attempts.limitMs())
    } catch (error) {
      const mayPass = isSafe() && (isAmbiguous(error) || isAway(error))
      if (attempts.isOver(error) || isClosed() || !mayPass) throw explain(error, otherwise(error))
      await attempts.pause()
    }
  }
}

/** Runs one query with retries. */
export const questionsOf =
  (session: Session): Query =>
  (text, values, name) =>
    withRetries(session, (limitMs) => withTimeout(session, limitMs, session.driver.query(text, values, name)))
