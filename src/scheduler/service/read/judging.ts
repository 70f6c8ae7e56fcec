import { isOneLook } from '../../../filter/compiling/is-one-look.ts'
import { type Filter, FilterError } from '../../../filter/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'

/** The selection of rows by the rights of the caller and by the filter of the call. */
export interface Judging<Row> {
  readonly select: (rows: readonly Row[]) => readonly Row[]
  /**
   * Runs what selects rows of one snapshot, in slices, so that the process answers others in between. What takes longer
   * than one slice begins again in the next, and knows the rows that were judged before.
   */
  readonly run: <Answer>(work: () => Answer | Promise<Answer>) => Answer | Promise<Answer>
}

/** The longest slice, in milliseconds. */
const sliceMs = 10
/** The maximum time for the rows of one list, in milliseconds; the pauses between its slices do not count. */
const budgetMs = 10_000
/** The maximum number of rows between two reads of the clock. */
const largestBatch = { oneLook: 512, other: 4 }

/** Thrown to leave a slice whose time is up. */
const pause = Symbol('pause')

/** Selects the visible rows that a filter passes: the filter never sees others. */
export function judging<Row>(
  visible: ((row: Row) => boolean) | undefined,
  filter: Filter<Row>,
): Judging<Row> {
  const { slice, leaveIfOver, spentMs } = slices()
  /** The verdicts of earlier slices; a list that needs only one slice stores none. */
  let known: WeakMap<object, boolean> | undefined
  let slow: (row: Row) => boolean = () => true

  const passes = (row: Row): boolean => (visible?.(row) ?? true) && filter.test(row)
  const remembered =
    (before: WeakMap<object, boolean>) =>
    (row: Row): boolean => {
      const key = row as object // rows are records
      const verdict = before.get(key)
      if (verdict !== undefined) return verdict
      leaveIfOver(performance.now())
      const made = passes(row)
      before.set(key, made)
      return made
    }
  const largest = isOneLook(filter) ? largestBatch.oneLook : largestBatch.other
  /** The number of rows until the next read of the clock; it grows while rows take almost no time. */
  let batch = 1
  const select = (rows: readonly Row[]): readonly Row[] => {
    if (known !== undefined) return rows.filter(slow)
    const chosen: Row[] = []
    for (let at = 0; at < rows.length; ) {
      const began = performance.now()
      leaveIfOver(began)
      const some = rows.slice(at, at + batch)
      at += batch
      for (const row of filter.select(visible === undefined ? some : some.filter(visible))) chosen.push(row)
      batch = performance.now() - began < 1 ? Math.min(2 * batch, largest) : Math.max(batch >> 1, 1)
    }
    return chosen
  }
  const inSlices = async <Answer>(work: () => Answer | Promise<Answer>): Promise<Answer> => {
    known ??= new WeakMap()
    slow = remembered(known)
    for (;;) {
      await nextMacrotask()
      const done = slice(work)
      if (done !== undefined) return done.answer
      if (spentMs() > budgetMs) {
        throw new FilterError(
          'limit',
          `the list takes more than ${budgetMs / 1000} seconds to filter; ask for fewer rows with per_page, a prefix or a namespace`,
          filter.source,
          filter.ast,
        )
      }
    }
  }
  return {
    select,
    run: (work) => {
      const done = slice(work)
      return done === undefined ? inSlices(work) : done.answer
    },
  }
}

/** Slices of time for the same work: what takes longer than one leaves it, and begins again in the next. */
function slices() {
  /** When this slice ends; work outside of slices is not interrupted. */
  let ends = Number.POSITIVE_INFINITY
  let spentMs = 0
  return {
    /** Leaves the slice if it is over. */
    leaveIfOver: (now: number): void => {
      if (now > ends) throw pause
    },
    spentMs: (): number => spentMs,
    /** Runs work in a slice; `undefined` if it did not come to its end. */
    slice: <Answer>(work: () => Answer): { readonly answer: Answer } | undefined => {
      const began = performance.now()
      ends = began + sliceMs
      try {
        return { answer: work() }
      } catch (error) {
        if (error !== pause) throw error
        return undefined
      } finally {
        ends = Number.POSITIVE_INFINITY
        spentMs += performance.now() - began
      }
    },
  }
}
