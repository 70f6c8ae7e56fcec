import { toHex } from '../../../crypto/index.ts'

/** Random bytes as a UUID of version 4. */
export function uuidOf(randomBytes: (length: number) => Uint8Array): string {
  const bytes = randomBytes(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
