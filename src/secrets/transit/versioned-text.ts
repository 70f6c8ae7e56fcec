import { type Answer, refuse } from '../../kernel/index.ts'

/** The prefix of every text that a key creates, which existing clients expect. */
const prefix = 'vault:v'

/**
 * Formats the result of a key version, such as `vault:v2:BASE64`.
 *
 * @example
 * ```ts
 * import { transitText } from 'plinth/transit'
 *
 * transitText(2, 'aGVsbG8=') // 'vault:v2:aGVsbG8='
 * ```
 */
export const transitText = (version: number, base64: string): string => `${prefix}${version}:${base64}`

/**
 * Reads the text that {@link transitText} wrote.
 *
 * @param what - its name in messages
 * @returns the version and the rest, or `transit_input_invalid`; the text is never quoted
 *
 * @example
 * ```ts
 * import { readTransitText } from 'plinth/transit'
 *
 * const read = readTransitText('vault:v2:aGVsbG8=', 'ciphertext')
 * read.ok && read.value // { version: 2, base64: 'aGVsbG8=' }
 * readTransitText('aGVsbG8=', 'ciphertext').ok // false
 * ```
 */
export function readTransitText(
  text: string,
  what: 'ciphertext' | 'signature' | 'hmac',
): Answer<{ readonly version: number; readonly base64: string }, 'transit_input_invalid'> {
  const no = (message: string) => refuse('transit_input_invalid', `invalid ${what}: ${message}`)
  if (!text.startsWith(prefix)) return no('no prefix')
  const colon = text.indexOf(':', prefix.length)
  if (colon < 0) return no('wrong number of fields')
  const number = text.slice(prefix.length, colon)
  if (!/^[1-9]\d{0,9}$/.test(number)) return no('version number could not be decoded')
  return { ok: true, value: { version: Number(number), base64: text.slice(colon + 1) } }
}
