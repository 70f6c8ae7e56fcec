/**
 * Which bytes of a body a request asks for; `end` is exclusive. A range that cannot be read is no range (RFC 9110,
 * 14.2), and of several only the whole is sent.
 */
export type Slice =
  | { readonly kind: 'whole' | 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'outside' }
  | { readonly kind: 'unchanged' }

/** Reads `If-None-Match`, `If-Range` and `Range`. */
export function sliceFor(
  headers: Headers,
  {
    size,
    etag,
    lastModified,
  }: { readonly size: number; readonly etag: string; readonly lastModified: number },
): Slice {
  const known = headers.get('if-none-match')
  if (known?.split(',').some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim())))
    return { kind: 'unchanged' }
  const whole: Slice = { kind: 'whole', start: 0, end: size }
  const condition = headers.get('if-range')
  if (condition !== null && condition !== etag && !isSameSecond(condition, lastModified)) return whole
  const match = /^bytes=(\d*)-(\d*)$/i.exec(headers.get('range')?.trim() ?? '')
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

const isSameSecond = (date: string, instant: number): boolean =>
  Math.floor(Date.parse(date) / 1000) === Math.floor(instant / 1000)
