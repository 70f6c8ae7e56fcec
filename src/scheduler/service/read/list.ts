import { type Filter, FilterError } from '../../../filter/index.ts'
import type { Refused } from '../../../kernel/index.ts'
import {
  formatPageToken,
  type KeyShape,
  type KeysetKey,
  keysetPage,
  parsePageToken,
} from '../../../paging/index.ts'
import { type RowRange, rowKey, type Snapshot } from '../../../store/index.ts'
import { type MayWantSerialized, serialized } from '../../wire/serialized-list.ts'
import type { Found, ListCall } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { filterFailed } from './filter.ts'
import { judging } from './judging.ts'
import { answerRead, mayWait, withoutWaiting } from './read.ts'
import type { Show } from './stubs.ts'

/**
 * The refusals of a list.
 */
export type ListRefusal = 'permission_denied' | 'invalid_filter' | 'filter_failed' | 'invalid_page_token'

/** For the operations that list. */
export const listRefusals = [
  'permission_denied',
  'invalid_filter',
  'filter_failed',
  'invalid_page_token',
] as const satisfies readonly ListRefusal[]

/** The definition of one list. */
export interface ListPlan<Row, Shown> {
  /** Identifies the list, its scope, its caller's rights, and everything else that affects the answer. */
  readonly question: readonly unknown[]
  /** The marks whose newest revision is the list's index. */
  readonly marks: readonly string[]
  /** The rows in order, of a range of their keys. */
  readonly rows: (now: Snapshot, range: RowRange) => Iterable<readonly Row[]>
  /** The common prefix of the keys of all rows. */
  readonly within: string
  /** The parts before a page token's key in the keys of rows. */
  readonly before?: readonly string[]
  /** The parts of the key that page tokens name. */
  readonly shape: KeyShape
  readonly keyOf: (row: Row) => KeysetKey
  /** Hides rows that the caller cannot read or did not ask for; the filter never sees them. */
  readonly visible?: ((row: Row) => boolean) | undefined
  readonly filter: Filter<Row> | undefined
  readonly show: Show<Row, Shown>
}

/** Answers a list call: one page, its index and the token of the next. */
export function answerList<Row, Shown>(
  cluster: Cluster,
  call: ListCall & MayWantSerialized,
  now: Snapshot,
  plan: ListPlan<Row, Shown>,
): Listed<Shown> | Promise<Listed<Shown>> {
  const { perPage = 0, nextToken, reverse = false, prefix, filter } = call
  const token =
    nextToken === undefined || nextToken === '' ? undefined : parsePageToken(nextToken, plan.shape)
  if (token?.ok === false) return token
  const from = token?.value
  const range: RowRange = {
    prefix: plan.within,
    reverse,
    from: from && bound(plan.before === undefined ? from : [...plan.before, ...from]),
  }
  const { visible } = plan
  const judged = plan.filter && judging(visible, plan.filter)
  const select = judged?.select ?? (visible && ((rows: readonly Row[]) => rows.filter(visible)))
  const pageOf = (snapshot: Snapshot) =>
    // Small lists return all their rows and ignore the range.
    keysetPage(plan.rows(snapshot, range), plan.keyOf, { perPage, from, reverse }, select)
  const wanted = call[serialized]
  const question = [plan.question, wanted, perPage, nextToken, reverse, prefix, filter]
  const look = (snapshot: Snapshot) => {
    try {
      const page = pageOf(snapshot)
      const shown = plan.show(page.rows)
      return {
        value: wanted ? [] : shown.list(),
        written: wanted ? shown : undefined,
        index: indexOf(snapshot, plan.marks),
        keys: plan.marks,
        nextToken: page.next && formatPageToken(page.next),
      }
    } catch (error) {
      if (error instanceof FilterError) return { ...filterFailed(error), ...withoutWaiting }
      throw error
    }
  }
  const answer = () => answerRead<readonly Shown[], 'filter_failed'>(cluster, call, now, question, look)
  if (judged === undefined) return answer()
  return refusing(() => {
    if (!mayWait(call)) return judged.run(answer)
    // The answer to a waiting caller is computed without a pause: the present rows are judged before.
    const before = judged.run(() => void pageOf(now))
    return before instanceof Promise ? before.then(answer) : answer()
  })
}

/** Turns the error of a filter into a refusal. */
function refusing<Shown>(
  run: () => Listed<Shown> | Promise<Listed<Shown>>,
): Listed<Shown> | Promise<Listed<Shown>> {
  const failed = (error: unknown): Listed<Shown> => {
    if (error instanceof FilterError) return filterFailed(error)
    throw error
  }
  try {
    const answer = run()
    return answer instanceof Promise ? answer.catch(failed) : answer
  } catch (error) {
    return failed(error)
  }
}

/** A page, or the refusal of a filter that failed. */
export type Listed<Shown> = Found<readonly Shown[]> | Refused<'filter_failed' | 'invalid_page_token'>

/** The common prefix of keys with these first parts, and a next part that begins with `start`. */
export const beginning = (parts: readonly string[], start = ''): string => rowKey(...parts, start)

/** The position of a page token's key among the keys of rows; other numbers than theirs sort before or after them. */
const bound = (key: KeysetKey): string => rowKey(...key.map(orderedPart))

const orderedPart = (part: KeysetKey[number]): string | number => {
  if (typeof part !== 'number') return String(part)
  return Number.isSafeInteger(part) && part >= 0 ? part : part < 0 ? '' : 'g'
}
