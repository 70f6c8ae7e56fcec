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
import { answerRead, atOnce, mayWait } from './read.ts'
import type { Show } from './stubs.ts'

/**
 * What a list may refuse.
 *
 * @public
 */
export type ListRefusal = 'permission_denied' | 'invalid_filter' | 'filter_failed'

/** How one list is made. */
export interface ListPlan<Row, Shown> {
  /** Names the list, its scope, its caller's rights, and everything that changes what is shown. */
  readonly question: readonly unknown[]
  /** The marks whose newest revision is the list's index. */
  readonly marks: readonly string[]
  /** The rows in order, of a range of their keys. */
  readonly rows: (now: Snapshot, range: RowRange) => Iterable<readonly Row[]>
  /** The beginning that the keys of all rows of the list have in common. */
  readonly within: string
  /** What stands before a page token's key in the keys of the rows. */
  readonly before?: readonly string[]
  /** The parts of the key that page tokens name. */
  readonly shape: KeyShape
  readonly keyOf: (row: Row) => KeysetKey
  /** Leaves out what the caller may not see or did not ask for; the filter only ever meets the rest. */
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
  const from = nextToken === undefined || nextToken === '' ? undefined : parsePageToken(nextToken, plan.shape)
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
      if (error instanceof FilterError) return { ...filterFailed(error), ...atOnce }
      throw error
    }
  }
  const answer = () => answerRead<readonly Shown[], 'filter_failed'>(cluster, call, now, question, look)
  if (judged === undefined) return answer()
  return refusing(() => {
    if (!mayWait(call)) return judged.run(answer)
    // A caller that waits is answered from a look that cannot pause: the rows there are now are judged before it.
    const before = judged.run(() => void pageOf(now))
    return before instanceof Promise ? before.then(answer) : answer()
  })
}

/** Turns the error of a filter into a refusal, whenever it comes. */
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

/** A page, or why a row could not be judged. */
export type Listed<Shown> = Found<readonly Shown[]> | Refused<'filter_failed'>

/** The beginning shared by the keys that have these parts in front and then one that begins with `start`. */
export const beginning = (parts: readonly string[], start = ''): string => rowKey(...parts, start)

/** Where a token's key lies among the keys of rows; numbers that are none lie before or after all others. */
const bound = (key: KeysetKey): string => rowKey(...key.map(orderedPart))

const orderedPart = (part: string | number): string | number =>
  typeof part === 'string' || (Number.isSafeInteger(part) && part >= 0) ? part : part < 0 ? '' : 'g'
