import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  equalBytes,
  equalTexts,
  fromBase32,
  fromBase64,
  fromHex,
  nodeCrypto,
  randomBase62,
  toBase32,
  toBase64,
  toHex,
} from '../../src/crypto/index.ts'

const bytes = fc.uint8Array({ maxLength: 100 })

describe('encodings', () => {
  it('come back as they went, and agree with the host', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        expect(toHex(data)).toBe(Buffer.from(data).toString('hex'))
        expect(toBase64(data)).toBe(Buffer.from(data).toString('base64'))
        expect(fromHex(toHex(data))).toEqual(data)
        expect(fromBase64(toBase64(data))).toEqual(data)
        expect(fromBase32(toBase32(data))).toEqual(data)
      }),
    )
  })

  it('spell base32 as RFC 4648 does', () => {
    expect(toBase32(new TextEncoder().encode('foobar'))).toBe('MZXW6YTBOI')
    expect(fromBase32('mzxw 6ytb oi======')).toEqual(new TextEncoder().encode('foobar'))
  })

  it('carry a megabyte', () => {
    const large = new Uint8Array(1_000_003).fill(200)
    expect(Buffer.compare(fromBase64(toBase64(large)) as Uint8Array, large)).toBe(0)
  })

  it.each(['0', 'zz', 'a b'])('%j is not hexadecimal', (text) => {
    expect(fromHex(text)).toBeUndefined()
  })

  it.each(['a', 'a*bc', '====', 'ab=c'])('%j is not base64', (text) => {
    expect(fromBase64(text)).toBeUndefined()
  })

  it.each(['1', 'A!'])('%j is not base32', (text) => {
    expect(fromBase32(text)).toBeUndefined()
  })
})

describe('random texts', () => {
  it('have the asked length and only letters and digits', () => {
    for (const length of [0, 1, 24, 95]) {
      const text = randomBase62(length, nodeCrypto().randomBytes)
      expect(text).toHaveLength(length)
      expect(text).toMatch(/^[0-9A-Za-z]*$/)
    }
  })

  it('favour no digit: bytes that would are drawn again', () => {
    const draws = [Uint8Array.from([255, 248, 0]), Uint8Array.from([247, 61])]
    expect(randomBase62(3, () => draws.shift() ?? new Uint8Array())).toBe('0zz')
  })
})

describe('comparison', () => {
  it('agrees with equality', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(equalBytes(a, Uint8Array.from(a))).toBe(true)
        expect(equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0)
      }),
    )
    expect(equalTexts('s.secret', 's.secret')).toBe(true)
    expect(equalTexts('s.secret', 's.secreT')).toBe(false)
    expect(equalTexts('', 'x')).toBe(false)
  })
})
