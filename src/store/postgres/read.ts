import { checkRange } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Entry, Range, View } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'
import { arrayOf } from './arrays.ts'
import type { Query } from './driver.ts'
import { explain } from './errors.ts'
import { withRetries, withTimeout } from './retries.ts'
import type { Session } from './session.ts'
import { entryOf } from './statements.ts'

/** Runs `fn` on one snapshot of the realm; it is retried only until `fn` has begun. */
export async function reading<T>(session: Session, fn: (view: View) => Promise<T>): Promise<T> {
  const { driver, sql, realm } = session
  let outcome: Settled<T> | undefined
  let begun = false
  const attempt = async (limitMs: number): Promise<void> => {
    let lost = false
    let [begin, end] = [() => {}, () => {}]
    const beginning = new Promise<void>((resolve) => {
      begin = resolve
    })
    const ending = new Promise<void>((resolve) => {
      end = resolve
    })
    const transaction = driver.transaction('isolation level repeatable read, read only', async (raw) => {
      const [row] = await raw(sql.begin, [realm], 'begin')
      // Abandoned for another attempt, but answered after all.
      if (lost) throw new StoreError('unreachable', 'the database answered too late')
      begun = true
      begin()
      const within = asked(session, raw)
      const view: View = {
        rev: Number(row?.['rev'] ?? 0),
        get: (keys) => getFrom(within, realm, sql.get, keys),
        scan: (range) => scanFrom(within, session, range),
      }
      session.reads += 1
      outcome = await fn(view).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
      session.reads -= 1
      end()
    })
    try {
      // `fn` may take any time; only the beginning has a time limit.
      await withTimeout(session, limitMs, Promise.race([beginning, transaction]))
    } catch (error) {
      lost = true
      transaction.catch(() => undefined)
      throw error
    }
    // The outcome does not depend on the answer to the commit.
    await Promise.race([ending, transaction])
    transaction.catch(() => undefined)
  }
  try {
    await withRetries(session, attempt, () => !begun)
  } catch (error) {
    // A read that has its answer succeeded, even if the connection breaks at its end.
    if (outcome === undefined) throw error
  }
  return settled(outcome)
}

const asked =
  (session: Session, query: Query): Query =>
  async (text, values, name) => {
    try {
      return await withTimeout(session, session.settleMs, query(text, values, name))
    } catch (error) {
      throw explain(error, 'unreachable')
    }
  }

async function getFrom(
  within: Query,
  realm: number,
  text: string,
  keys: readonly string[],
): Promise<(Entry | undefined)[]> {
  // No key contains U+0000, and the server refuses a text with it.
  const possible = keys.filter((key) => !key.includes('\u0000'))
  if (possible.length === 0) return keys.map(() => undefined)
  const rows = await within(text, [realm, arrayOf(possible)], 'get')
  const found = new Map(rows.map((row) => [String(row['key']), entryOf(row)]))
  return keys.map((key) => found.get(key))
}

async function scanFrom(within: Query, { realm, sql }: Session, range: Range): Promise<Entry[]> {
  checkRange(range)
  const { low, high } = boundsOf(range)
  const up = range.keysOnly === true ? ([sql.scanKeys, 'keys'] as const) : ([sql.scanUp, 'up'] as const)
  const [text, name] = range.reverse === true ? [sql.scanDown, 'down'] : up
  return (await within(text, [realm, low, high ?? null, range.limit ?? null], name)).map(entryOf)
}

type Settled<T> = { readonly value: T } | { readonly error: unknown }

const settled = <T>(outcome: Settled<T> | undefined): T => {
  if (outcome === undefined)
    throw new StoreError('unreachable', 'the client ended a transaction without running it')
  if ('error' in outcome) throw outcome.error
  return outcome.value
}
