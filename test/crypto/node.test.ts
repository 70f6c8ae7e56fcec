import { describe, expect, it } from 'vitest'
import { fromHex, nodeCrypto, toHex } from '../../src/crypto/index.ts'

const crypto = nodeCrypto({ scryptLogN: 4 })
const utf8 = new TextEncoder()

describe('digests', () => {
  it('hashes with SHA-256 (FIPS 180-2, "abc")', () => {
    expect(toHex(crypto.sha256('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  it('keys a digest (RFC 4231, case 2)', () => {
    expect(toHex(crypto.hmac('sha256', utf8.encode('Jefe'), 'what do ya want for nothing?'))).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })
})

describe('AES-256-GCM', () => {
  const key = crypto.randomBytes(32)
  const plain = utf8.encode('attack at dawn')
  const bound = utf8.encode('core/keyring')

  it('opens what it sealed', () => {
    expect(crypto.open(key, crypto.seal(key, plain, bound), bound)).toEqual(plain)
    expect(crypto.open(key, crypto.seal(key, new Uint8Array()))).toEqual(new Uint8Array())
  })

  it('opens a published test case (GCM specification, case 14)', () => {
    const sealed = fromHex(
      `${'00'.repeat(12)}cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919`,
    ) as Uint8Array
    expect(crypto.open(new Uint8Array(32), sealed)).toEqual(new Uint8Array(16))
  })

  it('never seals twice alike', () => {
    expect(toHex(crypto.seal(key, plain))).not.toBe(toHex(crypto.seal(key, plain)))
  })

  it('does not open under another key, for another purpose, or with any one bit changed', () => {
    const sealed = crypto.seal(key, plain, bound)
    expect(crypto.open(crypto.randomBytes(32), sealed, bound)).toBeUndefined()
    expect(crypto.open(key, sealed, utf8.encode('core/other'))).toBeUndefined()
    expect(crypto.open(key, sealed)).toBeUndefined()
    for (let at = 0; at < sealed.length; at += 1) {
      const bent = Uint8Array.from(sealed)
      bent[at] = (bent[at] ?? 0) ^ (1 << (at % 8))
      expect(crypto.open(key, bent, bound)).toBeUndefined()
    }
    for (let length = 0; length < sealed.length; length += 1)
      expect(crypto.open(key, sealed.subarray(0, length), bound)).toBeUndefined()
  })
})

describe('passwords', () => {
  it('verifies the password that was hashed and no other', async () => {
    const hash = await crypto.hashPassword('correct horse')
    expect(hash).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$/)
    expect(hash).not.toContain('correct')
    expect(await crypto.verifyPassword('correct horse', hash)).toBe(true)
    expect(await crypto.verifyPassword('Correct horse', hash)).toBe(false)
    expect(await crypto.verifyPassword('', hash)).toBe(false)
  })

  it('salts: the same password hashes differently each time', async () => {
    expect(await crypto.hashPassword('x')).not.toBe(await crypto.hashPassword('x'))
  })

  it('takes the cost from the hash, so that the setting may change later', async () => {
    const hash = await nodeCrypto({ scryptLogN: 5 }).hashPassword('x')
    expect(await crypto.verifyPassword('x', hash)).toBe(true)
  })

  it('knows a password in either Unicode spelling', async () => {
    expect(await crypto.verifyPassword('e\u0301', await crypto.hashPassword('\u00e9'))).toBe(true)
  })

  it('has at most 1,024 characters, so that marks stacked on one letter do not block other work', async () => {
    const longest = 'a'.repeat(1024)
    expect(await crypto.verifyPassword(longest, await crypto.hashPassword(longest))).toBe(true)
    await expect(crypto.hashPassword(`${longest}a`)).rejects.toThrow(
      'a password has at most 1024 characters, not 1025',
    )
    // What normalizing these took was 100 s; a test that hangs has failed.
    const stacked = `a${'\u0315\u0300'.repeat(250_000)}`
    expect(await crypto.verifyPassword(stacked, await crypto.hashPassword('a'))).toBe(false)
  })

  it.each(['', 'plain', '$scrypt$ln=60,r=8,p=1$AAAA$AAAA', '$scrypt$ln=0,r=8,p=1$AAAA$AAAA', '$2b$10$abc'])(
    'verifies nothing against %j',
    async (hash) => {
      expect(await crypto.verifyPassword('x', hash)).toBe(false)
    },
  )

  it.each([0, 21, 14.5, Number.NaN])('makes no hashes of a cost it would not read: %d', (scryptLogN) => {
    expect(() => nodeCrypto({ scryptLogN })).toThrow(/scryptLogN is .*: pass a whole number from 1 to 20/)
  })

  it('derives as RFC 7914 does (second test vector, N = 1024, r = 8, p = 16)', async () => {
    const expected = fromHex(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    ) as Uint8Array
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '')
    const hash = `$scrypt$ln=10,r=8,p=16$${base64(utf8.encode('NaCl'))}$${base64(expected)}`
    expect(await crypto.verifyPassword('password', hash)).toBe(true)
  })
})
