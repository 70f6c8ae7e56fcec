import { checkImported } from '../port/check.ts'
import type { Entry, Rev } from '../port/port.ts'

/** An imported entry as an engine takes it. */
interface Row {
  /** Its contribution to the size of a transaction. */
  readonly size: number
}

/** Checks imported entries and groups them into transactions, of `most` entries or bytes each. */
export async function* importBatches<Each extends Row>(
  source: AsyncIterable<Entry>,
  head: Rev,
  most: { readonly entries: number; readonly bytes: number },
  rowOf: (entry: Entry) => Each | Promise<Each>,
): AsyncIterable<readonly Each[]> {
  let rows: Each[] = []
  let size = 0
  for await (const entry of source) {
    checkImported(entry, head)
    const row = await rowOf(entry)
    rows.push(row)
    size += row.size
    if (rows.length < most.entries && size < most.bytes) continue
    yield rows
    rows = []
    size = 0
  }
  if (rows.length > 0) yield rows
}
