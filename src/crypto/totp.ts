import { equalTexts } from './compare.ts'
import type { CryptoPort, HmacAlgorithm } from './port.ts'

/**
 * How an authenticator generates its codes. The defaults are those of every authenticator app.
 */
export interface TotpSettings {
  /** Length of a code; 6 by default. */
  readonly digits?: number | undefined
  /** The period of a code, in seconds; 30 by default. */
  readonly periodSeconds?: number | undefined
  /** `sha1` by default. */
  readonly algorithm?: HmacAlgorithm | undefined
}

/**
 * The time-based one-time password of an instant (RFC 6238).
 *
 * @param secret - the shared secret, decoded (apps show it in base32)
 * @param now - milliseconds since the Unix epoch
 *
 * @example
 * ```ts
 * import { nodeCrypto, totp } from 'plinth/secrets'
 *
 * const secret = new TextEncoder().encode('12345678901234567890')
 * totp(nodeCrypto(), secret, 59_000, { digits: 8 }) // '94287082'
 * ```
 */
export const totp = (
  crypto: Pick<CryptoPort, 'hmac'>,
  secret: Uint8Array,
  now: number,
  settings: TotpSettings = {},
): string => codeOf(crypto, secret, counterOf(now, settings), settings)

/**
 * Checks a one-time password, allowing clocks to differ by `window` periods either way.
 *
 * @returns the counter of the period of the code, or `undefined` if it belongs to none nearby. To accept each code only
 * once, store the last counter and refuse any that is not larger.
 *
 * @example
 * ```ts
 * import { nodeCrypto, totp, verifyTotp } from 'plinth/secrets'
 *
 * const secret = new TextEncoder().encode('12345678901234567890')
 * const now = Date.UTC(2026, 0, 1)
 * const code = totp(nodeCrypto(), secret, now)
 * verifyTotp(nodeCrypto(), secret, code, now + 30_000, { window: 1 }) !== undefined // true
 * verifyTotp(nodeCrypto(), secret, code, now + 3_600_000, { window: 1 }) // undefined
 * ```
 */
export function verifyTotp(
  crypto: Pick<CryptoPort, 'hmac'>,
  secret: Uint8Array,
  code: string,
  now: number,
  settings: TotpSettings & { readonly window?: number | undefined } = {},
): number | undefined {
  const present = counterOf(now, settings)
  const window = settings.window ?? 1
  let found: number | undefined
  for (let counter = Math.max(0, present - window); counter <= present + window; counter += 1)
    if (equalTexts(codeOf(crypto, secret, counter, settings), code)) found = counter
  return found
}

const counterOf = (now: number, { periodSeconds = 30 }: TotpSettings): number =>
  Math.floor(now / 1000 / periodSeconds)

function codeOf(
  { hmac }: Pick<CryptoPort, 'hmac'>,
  secret: Uint8Array,
  counter: number,
  { digits = 6, algorithm = 'sha1' }: TotpSettings,
): string {
  const message = new Uint8Array(8)
  new DataView(message.buffer).setBigUint64(0, BigInt(counter))
  const digest = hmac(algorithm, secret, message)
  // RFC 4226 §5.3: the last nibble is the offset of the 31 bits of the code.
  const offset = (digest[digest.length - 1] ?? 0) & 15
  const bits = new DataView(digest.buffer, digest.byteOffset).getUint32(offset) & 0x7fff_ffff
  return String(bits % 10 ** digits).padStart(digits, '0')
}
