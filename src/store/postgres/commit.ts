import { StoreError } from '../port/errors.ts'
import type { Commit, Verdict } from '../port/port.ts'
import { type Piece, parametersOf, parametersOfOne } from './batch.ts'
import { bare, explain, isAmbiguous, isAway, isRolledBack } from './errors.ts'
import { AnswerTimeout, attemptsWithin, withTimeout } from './retries.ts'
import type { Session } from './session.ts'
import { verdictsOf } from './statements.ts'

/** The throughput per millisecond of a slow network and a busy server: a large statement gets more time. */
const bytesPerMs = 2_000

/** Submits some commits until their outcome is known: the ids make it safe to repeat them. */
export async function settle(session: Session, { commits, bytes }: Piece): Promise<Verdict[]> {
  const { settleMs } = session
  const attempts = attemptsWithin(settleMs + Math.floor(bytes / bytesPerMs), settleMs)
  let again = false
  while (true) {
    try {
      return await withTimeout(session, attempts.limitMs(), submit(session, commits, again))
    } catch (error) {
      again ||= isAmbiguous(error)
      const mayPass = again || isAway(error) || isRolledBack(error)
      const isOver = attempts.isOver(error)
      // Once an outcome is unknown, a failed repetition does not reveal it.
      if (isOver && again)
        throw new StoreError('unknown', `${whyLost(session, error)}: submit the same ids again`, bare(error))
      if (isOver || session.isClosed() || !mayPass) throw explain(error, 'unsuitable')
      await attempts.pause()
    }
  }
}

/** A commit inside a read waits for a connection until that read ends, which waits for the commit. */
const whyLost = ({ connections, reads }: Session, error: unknown): string =>
  error instanceof AnswerTimeout && connections !== undefined && reads >= connections
    ? `a commit timed out because reads held all ${connections} connections of the client; commit after reads, or raise the limit`
    : 'the connection to the database was lost during the commit'

/** Everything is one statement, and so one transaction and one round trip. */
async function submit(
  { driver, realm, sql }: Session,
  batch: readonly Commit[],
  again: boolean,
): Promise<Verdict[]> {
  const [only] = batch
  const [row] =
    batch.length === 1 && only !== undefined
      ? await driver.query(sql.commitOne, [realm, ...parametersOfOne(only, again)], 'commit one')
      : await driver.query(sql.commitRuns, [realm, ...parametersOf(batch, again)], 'commit runs')
  return verdictsOf(row, batch.length)
}

/** Deletes old commits from the log now and then, after the commits that cause it. */
export function forgetting(
  { driver, realm, sql }: Session,
  remember: { readonly commits?: number | undefined; readonly seconds?: number | undefined } = {},
): (commits: number) => void {
  const { commits: keep = 1_000_000, seconds = 3600 } = remember
  let since = 0
  return (commits) => {
    since += commits
    if (since < 500) return
    const atMost = since * 4
    since = 0
    // The next cleanup makes up for a failed one.
    driver.query(sql.forget, [realm, keep, `${seconds} seconds`, atMost]).catch(() => undefined)
  }
}
