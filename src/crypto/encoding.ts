const hexDigits = '0123456789abcdef'

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += (hexDigits[byte >> 4] ?? '') + (hexDigits[byte & 15] ?? '')
  return text
}

/** Decodes a hexadecimal string; `undefined` if it is not valid. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16)
  return bytes
}

/** Node's own codec, which is many times faster; other hosts may lack it. */
interface HostBytes {
  readonly from: {
    (
      bytes: ArrayBufferLike,
      offset: number,
      length: number,
    ): { readonly toString: (encoding: 'base64') => string }
    (text: string, encoding: 'base64'): Uint8Array
  }
}
const hostBytes: HostBytes | undefined = Reflect.get(globalThis, 'Buffer')

/** Standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  if (hostBytes) return hostBytes.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  let binary = ''
  // One call per 8 KiB: more arguments overflow the stack, one call per byte is slow.
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(binary)
}

/** Decodes a standard base64 string (padding optional); `undefined` if it is not valid. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  if (hostBytes) {
    // The host also accepts invalid base64: groups of one digit, and padding that does not fill a group.
    const isWhole = text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1
    return isWhole ? new Uint8Array(hostBytes.from(text, 'base64')) : undefined
  }
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
  return bytes
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes a base32 string (RFC 4648; ignores case, whitespace and padding); `undefined` if it is not valid. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.toUpperCase().replace(/[\s-]/g, '').replace(/=+$/, '')
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8))
  let held = 0
  let bits = 0
  let at = 0
  for (const digit of digits) {
    const value = base32Digits.indexOf(digit)
    if (value < 0) return undefined
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at] = (held >> bits) & 0xff
      at += 1
    }
  }
  return bytes
}

/** Base32 (RFC 4648) without padding, as authenticator apps take secrets. */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += base32Digits[(held >> bits) & 31] ?? ''
    }
  }
  return bits > 0 ? text + (base32Digits[(held << (5 - bits)) & 31] ?? '') : text
}

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * A random string of letters and digits, all equally likely.
 *
 * @param randomBytes - the source of randomness
 */
export function randomBase62(length: number, randomBytes: (length: number) => Uint8Array): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      // 248 = 4 × 62: larger bytes would favour the first digits.
      if (byte < 248 && text.length < length) text += base62Digits[byte % 62] ?? ''
    }
  }
  return text
}
