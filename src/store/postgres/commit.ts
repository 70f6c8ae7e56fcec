import { StoreError } from '../errors.ts'
import type { Commit, Verdict } from '../port.ts'
import { parametersOf, runsOf } from './batch.ts'
import type { Query } from './client.ts'
import { bare, explain, isAmbiguous, isAway, isRolledBack } from './errors.ts'
import { answered, pauses, Silence } from './patience.ts'
import type { Session } from './session.ts'
import { verdictOf } from './statements.ts'

/** Submits a batch until its outcome is known: the ids make it safe to ask again. */
export async function settle(session: Session, batch: readonly Commit[]): Promise<Verdict[]> {
  const { timers, settleMs } = session
  const pause = pauses()
  let again = false
  let silences = 0
  while (true) {
    try {
      return await answered(timers, settleMs, submit(session, batch, again))
    } catch (error) {
      again ||= isAmbiguous(error)
      if (error instanceof Silence) silences += 1
      const mayPass = again || isAway(error) || isRolledBack(error)
      const isOver = silences > 1 || pause.waited() >= settleMs
      // Once an outcome was lost, no failure to ask again makes it known.
      if (isOver && again)
        throw new StoreError(
          'unknown',
          'the database went away while committing: submit the same ids again',
          bare(error),
        )
      if (isOver || session.isClosed() || !mayPass) throw explain(error, 'unsuitable')
      await pause.next()
    }
  }
}

async function submit(
  { driver, realm, sql }: Session,
  batch: readonly Commit[],
  again: boolean,
): Promise<Verdict[]> {
  const runs = runsOf(batch)
  const judge = async (query: Query): Promise<Verdict[]> => {
    const verdicts: Verdict[] = []
    for (const run of runs) {
      const rows = await query(sql.commit, [realm, ...parametersOf(run, again)], 'commit')
      verdicts.push(...rows.map(verdictOf))
    }
    return verdicts
  }
  return runs.length === 1 ? judge(driver.query) : driver.transaction('isolation level read committed', judge)
}

/** Has old commits forgotten now and then, behind the commits that cause it. */
export function forgetting(
  { driver, realm, sql }: Session,
  remember: { readonly commits?: number; readonly seconds?: number } = {},
): (commits: number) => void {
  const { commits: keep = 1_000_000, seconds = 3600 } = remember
  let since = 0
  return (commits) => {
    since += commits
    if (since < 500) return
    const atMost = since * 4
    since = 0
    // What is not forgotten now is forgotten next time.
    driver.query(sql.forget, [realm, keep, `${seconds} seconds`, atMost]).catch(() => undefined)
  }
}
