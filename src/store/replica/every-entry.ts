import type { Entry, Snapshot } from '../port/port.ts'

const pageOfEntries = 256

/** The entries below a prefix in key order, page by page: for work in slices, which must not start with a long list. */
export function* everyEntry(now: Snapshot, prefix: string): Generator<Entry, void> {
  for (let after: string | undefined; ; ) {
    const page = now.scan({ prefix, limit: pageOfEntries, ...(after === undefined ? {} : { after }) })
    yield* page
    after = page.at(-1)?.key
    if (page.length < pageOfEntries) return
  }
}
