import type { Timers } from '../../kernel/index.ts'
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

/** The outcome of `work`, or {@link AnswerTimeout} once `ms` have passed without one. */
export const withTimeout = <T>(timers: Timers, ms: number, work: Promise<T>): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const cancel = timers.after(ms, () => reject(new AnswerTimeout(ms)), { hold: true })
    work.then(resolve, reject).finally(cancel)
  })

/**
 * The pauses between attempts. They keep the process alive, unlike the host's timers for waiting: a script must not end
 * in the middle of a commit.
 */
export function pauses(): { readonly waited: () => number; readonly next: () => Promise<void> } {
  let [waited, ms] = [0, 5]
  return {
    waited: () => waited,
    next: () => {
      const now = ms
      waited += now
      ms = Math.min(250, ms * 2)
      return new Promise((resolve) => void setTimeout(resolve, now))
    },
  }
}

/** How long a read waits for an unavailable database, in milliseconds. */
const readRetryMs = 2_000

/** Retries a query while `isSafe` when the connection broke, and once when no answer came. */
export async function withRetries<T>(
  { isClosed }: Session,
  ask: () => Promise<T>,
  isSafe = () => true,
  otherwise: StoreErrorCode = 'unreachable',
): Promise<T> {
  const pause = pauses()
  let silences = 0
  while (true) {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof AnswerTimeout) silences += 1
      const mayPass = isSafe() && (isAmbiguous(error) || isAway(error))
      if (silences > 1 || pause.waited() >= readRetryMs || isClosed() || !mayPass)
        throw explain(error, otherwise)
      await pause.next()
    }
  }
}

/** Runs one query with retries. */
export const questionsOf =
  (session: Session): Query =>
  (text, values, name) =>
    withRetries(session, () =>
      withTimeout(session.timers, session.settleMs, session.driver.query(text, values, name)),
    )
