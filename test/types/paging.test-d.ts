import { type KeysetKey, keysetPage, numberedPage, offsetPage, readPage } from 'plinth/paging'
import { expectError, expectType } from 'tsd'

interface Row {
  readonly id: string
}
declare const rows: readonly Row[]

// A page's rows are the list's rows, and its next key is a key or nothing.
const page = keysetPage([rows], ({ id }) => [id], { perPage: 2 })
expectType<readonly Row[]>(page.rows)
expectType<KeysetKey | undefined>(page.next)

// Keys are made of texts and numbers, and a page needs a size.
expectError(keysetPage([rows], (row) => [row], { perPage: 2 }))
expectError(keysetPage([rows], ({ id }) => [id], {}))

// What follows an offset is a number only where there is more.
expectType<number | undefined>(offsetPage(rows, { offset: 0, limit: 1 }).meta.nextOffset)

// However a list is cut, a page has rows.
expectType<readonly Row[]>(offsetPage(rows, { offset: 0, limit: 1 }).rows)
expectType<readonly Row[]>(numberedPage(rows, { page: 1, limit: 1 }).rows)

// A numbered page is asked for, or refused with one code.
const read = readPage({}, { defaultLimit: 10, maxLimit: 100 })
if (!read.ok) expectType<'invalid_page'>(read.refusal.code)
