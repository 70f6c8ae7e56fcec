import { type ReadonlySignal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Problem } from './call.ts'
import { useResource } from './resource.ts'

/** One page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Where the next page begins; the last page has none. */
  readonly next: string | undefined
  /** The index after which to wait for news; lists without one are read once. */
  readonly index?: number | undefined
}

export type ReadPage<Row> = (asked: {
  readonly cursor: string | undefined
  readonly index: number | undefined
  readonly signal: AbortSignal
}) => Promise<Page<Row>>

export interface CursorList<Row> {
  readonly rows: readonly Row[] | undefined
  readonly isWhole: boolean
  /** Whether the rows are of these inputs; those of earlier ones stay until the answer comes. */
  readonly isCurrent: boolean
  readonly problem: Problem | undefined
  /** Sets the range of visible rows, which are read with the next ones. */
  readonly onView: (first: number, last: number) => void
  readonly reload: () => void
}

interface HeldPage<Row> extends Page<Row> {
  readonly cursor: string | undefined
  /** Something has changed since it was read. */
  readonly isStale: boolean
}

/** Rows that are read before they come into view. */
const ahead = 200
const pauseMs = 1000

/**
 * A list that is read page by page as its rows come into view. After a change the pages in view are read again, and the
 * others when they come into view: a list of any length costs a few pages.
 *
 * @param atLeast - the minimum number of rows to read, even when fewer are in view
 */
export function useCursorList<Row>(
  read: ReadPage<Row>,
  inputs: readonly unknown[],
  atLeast = 0,
): CursorList<Row> {
  const held = useMemo(() => new HeldPages<Row>(), [])
  held.read = read
  held.atLeast = atLeast
  const key = JSON.stringify(inputs)
  const first = useResource(async ({ index, signal: aborted }) => {
    const page = await read({ cursor: undefined, index, signal: aborted })
    if (!aborted.aborted) held.begin(key, page, aborted)
    return { value: key, index: page.index }
  }, inputs)
  const pages = held.pages.value
  const rows = useMemo(() => pages?.flatMap((page) => page.rows), [pages])
  return {
    rows,
    isWhole: pages !== undefined && pages.at(-1)?.next === undefined,
    isCurrent: first.state.value.value === key,
    problem: first.state.value.problem ?? held.problem.value,
    onView: held.see,
    reload: first.reload,
  }
}

class HeldPages<Row> {
  readonly #pages = signal<readonly HeldPage<Row>[] | undefined>(undefined)
  readonly problem = signal<Problem | undefined>(undefined)
  read: ReadPage<Row> | undefined
  #key = ''
  #aborted = AbortSignal.abort()
  #isReading = false
  #view = { first: 0, last: 0 }
  #atLeast = 0

  set atLeast(rows: number) {
    const isMore = rows > this.#atLeast
    this.#atLeast = rows
    if (isMore) void this.#fill()
  }

  get pages(): ReadonlySignal<readonly HeldPage<Row>[] | undefined> {
    return this.#pages
  }

  /** Stores a first page. That of another query replaces the list; otherwise the later pages become stale. */
  begin(key: string, page: Page<Row>, aborted: AbortSignal): void {
    const others = key === this.#key ? (this.#pages.value ?? []).slice(1) : []
    this.#key = key
    this.#aborted = aborted
    this.#pages.value = chained([
      { ...page, cursor: undefined, isStale: false },
      ...others.map((other) => ({ ...other, isStale: true })),
    ])
    void this.#fill()
  }

  readonly see = (first: number, last: number): void => {
    this.#view = { first, last }
    void this.#fill()
  }

  /** Reads the missing pages, one after the other. */
  async #fill(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    while (!this.#aborted.aborted) {
      const aborted = this.#aborted
      const at = this.#wanted()
      const cursor = at === undefined ? undefined : this.#cursorOf(at)
      if (at === undefined || cursor === undefined) break
      try {
        const page = await this.read?.({ cursor, index: undefined, signal: aborted })
        if (!page || aborted.aborted || this.#cursorOf(at) !== cursor) continue
        this.problem.value = undefined
        const pages = [...(this.#pages.value ?? [])]
        pages[at] = { ...page, cursor, isStale: false }
        this.#pages.value = chained(pages)
      } catch (error) {
        if (aborted.aborted) continue
        this.problem.value = error instanceof Problem ? error : new Problem(0, String(error))
        await new Promise((resolve) => setTimeout(resolve, this.problem.value?.retryAfterMs ?? pauseMs))
      }
    }
    this.#isReading = false
  }

  /** The first page in view that is stale or missing. */
  #wanted(): number | undefined {
    const pages = this.#pages.value ?? []
    const isWanted = (begin: number, end: number) =>
      begin < this.#atLeast || (begin <= this.#view.last + ahead && end >= this.#view.first - ahead)
    let begin = 0
    for (const [at, page] of pages.entries()) {
      const end = begin + page.rows.length
      if (page.isStale && isWanted(begin, end)) return at
      begin = end
    }
    return isWanted(begin, Number.POSITIVE_INFINITY) && pages.at(-1)?.next !== undefined
      ? pages.length
      : undefined
  }

  #cursorOf(at: number): string | undefined {
    return this.#pages.value?.[at - 1]?.next
  }
}

/** Consecutive pages: each begins where the one before it ends. */
function chained<Row>(pages: readonly HeldPage<Row>[]): readonly HeldPage<Row>[] {
  const joined: HeldPage<Row>[] = []
  for (const page of pages) {
    const before = joined.at(-1)
    if (before && before.next === undefined) break
    const isMoved = before !== undefined && before.next !== page.cursor
    joined.push(isMoved ? { ...page, cursor: before.next, isStale: true } : page)
  }
  return joined
}
