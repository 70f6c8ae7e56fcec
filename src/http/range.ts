import type { Exchange } from './exchange.ts'

/** The conditions and ranges of a request for bytes. */
interface Kept {
  readonly size: number
  readonly etag: string
  /** Milliseconds since the Unix epoch; headers have whole seconds. */
  readonly lastModified: number
}

/**
 * The result of a caller's conditions (RFC 9110, 13.2.2): not modified, or precondition failed; `undefined` to send the
 * bytes.
 */
export function conditionOf(
  exchange: Pick<Exchange, 'header'>,
  kept: Kept,
): 'unchanged' | 'changed' | undefined {
  const wanted = exchange.header('if-match')
  const isWanted =
    wanted === undefined
      ? isNotNewerThan(exchange.header('if-unmodified-since'), kept) !== false
      : names(wanted, kept.etag)
  if (!isWanted) return 'changed'
  const known = exchange.header('if-none-match')
  const isKnown =
    known === undefined
      ? isNotNewerThan(exchange.header('if-modified-since'), kept) === true
      : names(known, kept.etag) || names(known, `W/${kept.etag}`)
  return isKnown ? 'unchanged' : undefined
}

const names = (tags: string, etag: string): boolean =>
  tags.split(',').some((tag) => [etag, '*'].includes(tag.trim()))

/** `undefined` for an invalid date, which is ignored. */
function isNotNewerThan(date: string | undefined, { lastModified }: Kept): boolean | undefined {
  const instant = Date.parse(date ?? '')
  return Number.isNaN(instant) ? undefined : secondOf(lastModified) <= secondOf(instant)
}

const secondOf = (instant: number): number => Math.floor(instant / 1000)

/**
 * The requested bytes; `end` is exclusive. An invalid range is ignored (RFC 9110, 14.2), and several ranges return the
 * whole.
 */
export type Slice =
  | { readonly kind: 'whole' | 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'outside' }

/** Reads `If-Range` and `Range`, which only `GET` can have. */
export function sliceFor(exchange: Exchange, { size, etag, lastModified }: Kept): Slice {
  const whole: Slice = { kind: 'whole', start: 0, end: size }
  if (exchange.method !== 'GET') return whole
  const condition = exchange.header('if-range')
  if (
    condition !== undefined &&
    condition !== etag &&
    secondOf(Date.parse(condition)) !== secondOf(lastModified)
  )
    return whole
  const match = /^bytes=(\d*)-(\d*)$/i.exec(exchange.header('range')?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return whole
  const [, first = '', last = ''] = match
  if (first === '') {
    const length = Math.min(size, Number(last))
    return length === 0 ? { kind: 'outside' } : { kind: 'part', start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(size, Number(last) + 1)
  if (last !== '' && Number(last) < start) return whole
  return start >= size ? { kind: 'outside' } : { kind: 'part', start, end }
}
