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
import { answerRead, atOnce } from './read.ts'
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
  const select = selector(plan.visible, plan.filter)
  const wanted = call[serialized]
  const question = [plan.question, wanted, perPage, nextToken, reverse, prefix, filter]
  return answerRead<readonly Shown[], 'filter_failed'>(cluster, call, now, question, (snapshot) => {
    try {
      // Small lists give all their rows, whatever the range.
      const page = keysetPage(plan.rows(snapshot, range), plan.keyOf, { perPage, from, reverse }, select)
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
  })
}

/** A page, or why a row could not be judged. */
export type Listed<Shown> = Found<readonly Shown[]> | Refused<'filter_failed'>

function selector<Row>(
  visible: ((row: Row) => boolean) | undefined,
  filter: Filter<Row> | undefined,
): ((rows: readonly Row[]) => readonly Row[]) | undefined {
  if (visible === undefined) return filter && ((rows) => filter.select(rows))
  if (filter === undefined) return (rows) => rows.filter(visible)
  return (rows) => filter.select(rows.filter(visible))
}

/** The beginning shared by the keys that have these parts in front and then one that begins with `start`. */
export const beginning = (parts: readonly string[], start = ''): string => rowKey(...parts, start)

/** Where a token's key lies among the keys of rows; numbers that are none lie before or after all others. */
const bound = (key: KeysetKey): string => rowKey(...key.map(orderedPart))

const orderedPart = (part: string | number): string | number =>
  typeof part === 'string' || (Number.isSafeInteger(part) && part >= 0) ? part : part < 0 ? '' : 'g'
