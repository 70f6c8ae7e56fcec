/**
 * Reads the inside of a double-quoted string by Go's rules: `\n \t \\ \a \b \f \r \v \xHH \ooo \uHHHH \UHHHHHHHH`.
 * `undefined` when it is not one: an unknown escape, or a raw newline.
 */
export function unescapeText(raw: string): string | undefined {
  if (raw.includes('\n')) return undefined
  if (!raw.includes('\\')) return raw
  let text = ''
  // `\x` and octal escapes are bytes, which together spell UTF-8.
  let bytes: number[] = []
  const flush = () => {
    if (bytes.length === 0) return
    text += new TextDecoder().decode(Uint8Array.from(bytes))
    bytes = []
  }
  escapes.lastIndex = 0
  for (let at = 0; at < raw.length; at = escapes.lastIndex) {
    const found = escapes.exec(raw)
    if (found === null) return undefined
    const [, plain, simple, hex, octal, unicode4, unicode8] = found
    const byte = hex ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : undefined
    if (byte !== undefined) {
      if (byte > 255) return undefined
      bytes.push(byte)
      continue
    }
    flush()
    if (plain !== undefined) text += plain
    else if (simple !== undefined) text += simple === '\\' ? simple : String.fromCharCode(controlOf(simple))
    else {
      const point = Number.parseInt(unicode4 ?? unicode8 ?? '', 16)
      if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined
      text += String.fromCodePoint(point)
    }
  }
  flush()
  return text
}

const escapes =
  /([^\\]+)|\\(?:([abfnrtv\\])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/gy

/** The control character that a letter stands for: from 7, the bell, on. */
export const controlOf = (letter: string): number => 7 + 'abtnvfr'.indexOf(letter)

/** The segments of a JSON pointer (`/Own/Name`), or `null` where the text is not shaped like one. */
export function pointerSegments(text: string): readonly string[] | null {
  if (text.charCodeAt(0) !== 0x2f || !pointer.test(text)) return null
  return text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const pointer = /^(?:\/[\p{L}\p{N}\-_.~:|]+)+$/u
