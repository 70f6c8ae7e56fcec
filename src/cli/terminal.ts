/** Control characters but tab and newline, and those that reorder text. */
const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

/** A text without what moves the cursor, changes colours or hides characters: each is written as its number. */
export const printable = (text: string): string =>
  text.replace(unsafe, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A text that may control the terminal, as progress bars do: it contains no text of a server. */
export const control = (text: string): Uint8Array => new TextEncoder().encode(text)

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

/** Escapes the control characters of strings that are written to a terminal; bytes pass unchanged. */
export function guardTerminal(stream: Stream): void {
  if (!stream.isTTY) return
  const write = stream.write.bind(stream) as (...given: readonly unknown[]) => boolean
  stream.write = (chunk: unknown, ...more: readonly unknown[]) =>
    write(typeof chunk === 'string' ? printable(chunk) : chunk, ...more)
}
