import { describe, expect, it } from 'vitest'
import { nodeCrypto, totp, verifyTotp } from '../../src/crypto/index.ts'

const crypto = nodeCrypto()
const seed = (length: number) => new TextEncoder().encode('1234567890'.repeat(7).slice(0, length))

describe('time-based one-time passwords', () => {
  // RFC 6238, appendix B.
  it.each([
    [59, '94287082', '46119246', '90693936'],
    [1_111_111_109, '07081804', '68084774', '25091201'],
    [1_111_111_111, '14050471', '67062674', '99943326'],
    [1_234_567_890, '89005924', '91819424', '93441116'],
    [2_000_000_000, '69279037', '90698825', '38618901'],
    [20_000_000_000, '65353130', '77737706', '47863826'],
  ])('at %d s are those of the RFC', (seconds, sha1, sha256, sha512) => {
    const now = seconds * 1000
    expect(totp(crypto, seed(20), now, { digits: 8 })).toBe(sha1)
    expect(totp(crypto, seed(32), now, { digits: 8, algorithm: 'sha256' })).toBe(sha256)
    expect(totp(crypto, seed(64), now, { digits: 8, algorithm: 'sha512' })).toBe(sha512)
  })

  it('are accepted one period early or late, and say which period they belong to', () => {
    const now = 1_234_567_890_000
    const code = totp(crypto, seed(20), now)
    const counter = Math.floor(now / 30_000)
    expect(verifyTotp(crypto, seed(20), code, now)).toBe(counter)
    expect(verifyTotp(crypto, seed(20), code, now + 30_000)).toBe(counter)
    expect(verifyTotp(crypto, seed(20), code, now - 30_000)).toBe(counter)
    expect(verifyTotp(crypto, seed(20), code, now + 60_000)).toBeUndefined()
    expect(verifyTotp(crypto, seed(20), code, now + 30_000, { window: 0 })).toBeUndefined()
  })

  it.each(['', '12345', '1234567', 'abcdef'])('refuse %j', (code) => {
    expect(verifyTotp(crypto, seed(20), code, 59_000)).toBeUndefined()
  })
})
