import { compareText } from '../kernel/compare-text.ts'
import type { KeysetKey } from './keyset.ts'

/**
 * The types of the parts of a list's key, in order.
 */
export type KeyShape = readonly ('text' | 'number')[]

/**
 * Writes a key as the token of the next page: its parts joined by dots, safe in a header.
 *
 * @remarks
 * `%`, spaces, control characters and everything beyond ASCII are percent-encoded as UTF-8; all else stays as
 * people know it: `default.web`, `1042.9f3c…`.
 *
 * @example
 * ```ts
 * import { formatPageToken } from 'plinth/paging'
 *
 * formatPageToken(['default', 'web']) // 'default.web'
 * formatPageToken(['naïve']) // 'na%C3%AFve'
 * ```
 */
export const formatPageToken = (key: KeysetKey): string => {
  const token = key.join('.')
  return isPlain.test(token) ? token : token.replace(/[^!-$&-~]+/g, encoded)
}

const isPlain = /^[!-$&-~]*$/

const encoded = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))

/**
 * Parses a page token into the key that the page starts at, for {@link KeysetRequest.from}.
 *
 * @param shape - the parts of the list's keys; every part but the last ends at the next dot
 *
 * @returns the key, which may have fewer parts than the shape and then sorts before every key with that prefix. No
 * token is malformed: it is a bound to compare with, and a part that is not a number sorts as text.
 *
 * @example
 * ```ts
 * import { parsePageToken } from 'plinth/paging'
 *
 * parsePageToken('default.web.v2', ['text', 'text']) // ['default', 'web.v2']
 * parsePageToken('1042.9f3c', ['number', 'text']) // [1042, '9f3c']
 * parsePageToken('na%C3%AFve', ['text']) // ['naïve']
 * ```
 */
export function parsePageToken(token: string, shape: KeyShape): KeysetKey {
  let rest = decoded(token)
  const key: (string | number)[] = []
  for (let at = 0; at < shape.length; at += 1) {
    const dot = at < shape.length - 1 ? rest.indexOf('.') : -1
    const text = dot < 0 ? rest : rest.slice(0, dot)
    key.push(shape[at] === 'number' ? numeric(text) : text)
    if (dot < 0) break
    rest = rest.slice(dot + 1)
  }
  return key
}

/** Clients send the value of the header, or a key that they know. */
function decoded(token: string): string {
  if (!token.includes('%')) return token
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}

/** Digits are a number; any other text sorts before or after all numbers, by its first character. */
const numeric = (text: string): number =>
  /^\d+$/.test(text)
    ? Number(text)
    : compareText(text, ':') < 0
      ? Number.NEGATIVE_INFINITY
      : Number.POSITIVE_INFINITY
