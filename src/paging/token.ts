import { type Refused, refuse } from '../kernel/index.ts'
import type { KeysetKey } from './keyset.ts'

/**
 * The types of the parts of a list's key, in order.
 */
export type KeyShape = readonly ('text' | 'number' | 'boolean')[]

/**
 * Writes a key as the token of the next page: its parts joined by dots, safe in a header.
 *
 * @returns the token; {@link parsePageToken} reads the same key from it
 * @throws RangeError if a number is not finite
 *
 * @remarks
 * `%`, spaces, control characters and everything beyond ASCII are percent-encoded as UTF-8, and so is a dot in every
 * part but the last; all else stays as people know it: `default.web.v2`, `1042.9f3c…`. A key that is one empty string
 * is `%`, because an empty token means the first page.
 *
 * @example
 * ```ts
 * import { formatPageToken } from 'plinth/paging'
 *
 * formatPageToken(['default', 'web.v2']) // 'default.web.v2'
 * formatPageToken(['ada.l', 'naïve']) // 'ada%2El.na%C3%AFve'
 * formatPageToken([-1.5, true]) // '-1%2E5.true'
 * ```
 */
export function formatPageToken(key: KeysetKey): string {
  if (key.length === 1 && key[0] === '') return onlyEmpty
  const last = key.length - 1
  return key
    .map((part, at) => {
      const text = typeof part === 'number' ? writtenNumber(part) : encoded(String(part))
      return at < last ? text.replaceAll('.', '%2E') : text
    })
    .join('.')
}

const onlyEmpty = '%'

function writtenNumber(part: number): string {
  if (Number.isFinite(part)) return String(part).replace('+', '')
  throw new RangeError(`A page token cannot hold ${part}: every number of a key must be finite`)
}

const encoded = (text: string): string =>
  isPlain.test(text) ? text : text.replace(/\p{Surrogate}|[^!-$&-~\p{Surrogate}]+/gu, escaped)

/** UTF-8 has no half of a surrogate pair. */
const escaped = (text: string): string =>
  /^\p{Surrogate}$/u.test(text)
    ? `%u${text.charCodeAt(0).toString(16).toUpperCase()}`
    : encodeURIComponent(text)

const isPlain = /^[!-$&-~]*$/

/**
 * Parses a page token into the key that the page starts at, for {@link KeysetRequest.from}.
 *
 * @param shape - the parts of the list's keys; every part but the last ends at the next dot
 *
 * @returns the key, which may have fewer parts than the shape and then sorts before every key with that prefix; or
 * `invalid_page_token` for a token of another list or a damaged one: a part that is not a number or boolean where the
 * shape has one, or a `%` that encodes nothing
 *
 * @example
 * ```ts
 * import { parsePageToken } from 'plinth/paging'
 *
 * parsePageToken('default.web.v2', ['text', 'text']) // { ok: true, value: ['default', 'web.v2'] }
 * parsePageToken('1042.9f3c', ['number', 'text']) // { ok: true, value: [1042, '9f3c'] }
 * const foreign = parsePageToken('web', ['number', 'text'])
 * foreign.ok ? '' : foreign.refusal.message
 * // 'The page token does not belong to this list: part 1 must be a number; start at the first page'
 * ```
 */
export function parsePageToken(
  token: string,
  shape: KeyShape,
): { readonly ok: true; readonly value: KeysetKey } | Refused<'invalid_page_token'> {
  if (token === '') return { ok: true, value: [] }
  const texts = token === onlyEmpty ? [''] : partsOf(token, shape.length)
  const key: (string | number | boolean)[] = []
  for (const [at, text] of texts.entries()) {
    const kind = shape[at] ?? 'text'
    const part = partOf(text, kind)
    if (part === undefined)
      return refuse(
        'invalid_page_token',
        `The page token does not belong to this list: part ${at + 1} must be ${kinds[kind]}; start at the first page`,
        { part: at + 1 },
      )
    key.push(part)
  }
  return { ok: true, value: key }
}

const kinds = {
  text: 'percent-encoded UTF-8',
  number: 'a number',
  boolean: 'true or false',
} as const

/** Splits a token at its first dots. */
function partsOf(token: string, count: number): readonly string[] {
  const parts = token.split('.')
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join('.')]
}

function partOf(text: string, kind: KeyShape[number]): string | number | boolean | undefined {
  const part = decoded(text)
  if (kind === 'text' || part === undefined) return part
  if (kind === 'boolean') return part === 'true' ? true : part === 'false' ? false : undefined
  const number = /^-?\d+(\.\d+)?(e-?\d+)?$/.test(part) ? Number(part) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** Clients send the value of the header, or a key that they know. */
function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return text
      .split(/%u(D[89A-F][0-9A-F]{2})/)
      .map((part, at) =>
        at % 2 === 1 ? String.fromCharCode(Number.parseInt(part, 16)) : decodeURIComponent(part),
      )
      .join('')
  } catch {
    return undefined
  }
}
