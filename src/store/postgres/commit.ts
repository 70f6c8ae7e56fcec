import { StoreError } from '../port/errors.ts'
import type { Commit, Json, Rev, Verdict } from '../port/port.ts'
import { type Piece, parametersOf, parametersOfOne } from './batch.ts'
import { changesIn } from './changes.ts'
import { bare, explain, isAmbiguous, isAway, isRolledBack } from './errors.ts'
import { AnswerTimeout, attemptsWithin, withTimeout } from './retries.ts'
import type { Session } from './session.ts'
import { verdictsOf } from './statements.ts'

/** The throughput per millisecond of a slow network and a busy server: a large statement gets more time. */
const bytesPerMs = 2_000

/** Submits some commits until their outcome is known: the ids make it safe to repeat them. */
export async function settle(session: Session, piece: Piece): Promise<Verdict[]> {
  const { settleMs } = session
  const attempts = attemptsWithin(settleMs + Math.floor(piece.bytes / bytesPerMs), settleMs)
  let again = false
  while (true) {
    try {
      return await withTimeout(session, attempts.limitMs(), submit(session, piece, again))
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
  { driver, realm, sql, news }: Session,
  { commits, bytes }: Piece,
  again: boolean,
): Promise<Verdict[]> {
  const [only] = commits
  const wanted = news.wanted(bytes)
  const brought = [wanted?.after ?? null, wanted?.limit ?? null, wanted?.prefixes ?? null]
  const rows =
    commits.length === 1 && only !== undefined
      ? await driver.query(sql.commitOne, [realm, ...parametersOfOne(only, again), ...brought], 'commit one')
      : await driver.query(
          sql.commitRuns,
          [realm, ...parametersOf(commits, again), ...brought],
          'commit runs',
        )
  const verdicts = verdictsOf(rows[0], commits.length)
  const changes = wanted && changesIn(rows, wanted.after, valuesOf(commits, verdicts))
  if (wanted !== undefined && changes !== undefined) news.answered(wanted, changes)
  return verdicts
}

/** Finds what accepted commits wrote, by key and revision. */
function valuesOf(commits: readonly Commit[], verdicts: readonly Verdict[]): (key: string, rev: Rev) => Json {
  const byRev = new Map<Rev, Commit>()
  for (const [at, commit] of commits.entries()) {
    const verdict = verdicts[at]
    if (verdict?.ok === true) byRev.set(verdict.rev, commit)
  }
  // A mark has none.
  return (key, rev) => byRev.get(rev)?.put?.find((each) => each.key === key)?.value ?? null
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
