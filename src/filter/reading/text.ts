/**
 * Reads the inside of a double-quoted string by Go's rules: `\n \t \\ \a \b \f \r \v \xHH \ooo \uHHHH \UHHHHHHHH`.
 * `undefined` if it is invalid: an unknown escape, or a raw newline.
 */
export function unescapeText(raw: string): string | undefined {
  if (!raw.includes('\\') && !raw.includes('\n')) return raw
  let known = true
  const text = raw.replace(
    escapes,
    (_, bytes?: string, control?: string, unicode4?: string, unicode8?: string) => {
      if (bytes !== undefined) return textOfBytes(bytes)
      if (control !== undefined) return control === '\\' ? control : String.fromCharCode(controlOf(control))
      const point = Number.parseInt(unicode4 ?? unicode8 ?? '', 16)
      known &&= point < 0xd800 || (point > 0xdfff && point <= 0x10ffff)
      return known ? String.fromCodePoint(point) : ''
    },
  )
  return known ? text : undefined
}

/**
 * Consecutive bytes, which together spell UTF-8; or one other escape; or something invalid: a backslash, a raw newline.
 */
const escapes =
  /((?:\\(?:x[0-9a-fA-F]{2}|[0-3][0-7]{2}))+)|\\(?:([abfnrtv\\])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|)|\n/g

const textOfBytes = (escaped: string): string => {
  const bytes = escaped.slice(1).split('\\')
  const codes = bytes.map((byte) => Number(byte.startsWith('x') ? `0${byte}` : `0o${byte}`))
  return new TextDecoder().decode(Uint8Array.from(codes))
}

/** The control character of an escape letter: from 7, the bell, on. */
export const controlOf = (letter: string): number => 7 + 'abtnvfr'.indexOf(letter)

/** The segments of a JSON pointer (`/Own/Name`), or `null` if the text does not have that form. */
export function pointerSegments(text: string): readonly string[] | null {
  if (!pointer.test(text)) return null
  return text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const pointer = /^(\/[\p{L}\p{N}\-_.~:|]+)+$/u
