import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { systemTimers } from '../../src/index.ts'
import { claimsProblem, identityProvider } from '../../src/oidc/index.ts'
import { isDeeperThan, longestToken, readToken } from '../../src/oidc/read-token.ts'
import {
  jwkOf,
  pemOf,
  providerKey,
  signToken,
  signWithSecret,
  unsignedToken,
} from '../support/identity-provider.ts'

const every = ['RS256', 'RS384', 'RS512', 'PS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const
const now = 1_800_000_000_000
const claims = { sub: 'ada', exp: now / 1000 + 60 }
const host = {
  crypto: nodeCrypto(),
  env: () => ({ now }),
  timers: systemTimers,
  fetch: () => Promise.reject(new Error('nothing is fetched')),
}
const verifying = (...keys: readonly Parameters<typeof pemOf>[0][]) =>
  identityProvider({ publicKeys: keys.map(pemOf) }, host)
const refused = (message: RegExp | string) => ({
  ok: false,
  refusal: { code: 'token_refused', message: expect.stringMatching(message) },
})

describe('a token is accepted', () => {
  it.each(every)('if a known key signed it with %s', async (alg) => {
    const key = providerKey('one', alg)
    expect(await verifying(key).verify(signToken(key, claims), every)).toEqual({ ok: true, value: claims })
  })
  it('from a key set by any of the keys, also without the name of a key', async () => {
    const [first, second] = [providerKey('one'), providerKey('two')]
    const keys = { keys: [jwkOf(first), jwkOf(second)] }
    const provider = identityProvider(
      { jwksUrl: 'https://id.test/keys' },
      { ...host, fetch: async () => Response.json(keys) },
    )
    expect((await provider.verify(signToken(second, claims), every)).ok).toBe(true)
    expect((await provider.verify(signToken(second, claims, { kid: undefined }), every)).ok).toBe(true)
    // The name of another key of the set.
    expect(await provider.verify(signToken(second, claims, { kid: 'one' }), every)).toEqual(
      refused(/no known key/),
    )
  })
})

describe('a token is refused', () => {
  const key = providerKey('one', 'RS256')
  const good = signToken(key, claims)
  const [head = '', body = '', tail = ''] = good.split('.')
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  it.each<[string, string, RegExp]>([
    ['without a signature', unsignedToken(claims), /signed with "none": accepted are/],
    ['signed with the public key as a secret', signWithSecret(pemOf(key), claims), /signed with "HS256"/],
    [
      'of an algorithm that is not accepted',
      signToken(providerKey('one', 'PS256'), claims),
      /signed with "PS256"/,
    ],
    ['of another key', signToken(providerKey('other', 'RS256'), claims), /no known key signed/],
    ['with other claims', `${head}.${encoded({ ...claims, sub: 'root' })}.${tail}`, /no known key signed/],
    ['with another header', `${encoded({ alg: 'RS256', kid: 'x' })}.${body}.${tail}`, /no known key signed/],
    ['with a cut signature', good.slice(0, -8), /no known key signed/],
    ['with an empty signature', `${head}.${body}.`, /no known key signed/],
    [
      'whose algorithm fits no key',
      signToken(providerKey('one'), claims, { alg: 'RS256' }),
      /no known key signed/,
    ],
    [
      'with a key of its own',
      signToken(providerKey('mine', 'RS256'), claims, { jwk: jwkOf(providerKey('mine', 'RS256')) }),
      /no known key/,
    ],
    [
      'with critical extensions',
      signToken(key, claims, { crit: ['b64'], b64: false }),
      /critical extensions/,
    ],
    ['whose key ID is an object', signToken(key, claims, { kid: {} }), /other than a string/],
    ['without an algorithm', `${encoded({})}.${body}.${tail}`, /names no algorithm/],
    ['in two parts', `${head}.${body}`, /three parts/],
    ['in four parts', `${good}.x`, /three parts/],
    ['that is encrypted', `${good}.x.y`, /encrypted/],
    ['with padding', `${head}=.${body}.${tail}`, /base64url/],
    ['whose claims are a list', `${head}.${encoded([1])}.${tail}`, /JSON objects/],
    ['of a megabyte', `${head}.${'A'.repeat(1_000_000)}.${tail}`, /1\d{6} characters: at most 65536/],
    [
      'that nests deeply',
      `${head}.${Buffer.from(`{"a":${'['.repeat(20_000)}`).toString('base64url')}.${tail}`,
      /JSON objects/,
    ],
    ['that is empty', '', /three parts/],
  ])('%s', async (_title, token, message) => {
    expect(await verifying(key).verify(token, ['RS256'])).toEqual(refused(message))
  })

  it('if anything of it was changed (property)', async () => {
    const short = providerKey('one', 'EdDSA')
    const whole = signToken(short, claims)
    const provider = verifying(short)
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.constantFrom(...'AZaz09-_.'), async (at, char) => {
        const changed = whole.slice(0, at) + char + whole.slice(at + 1)
        // The last digit of base64 has bits that say nothing.
        fc.pre(changed !== whole && at % whole.length !== whole.length - 1)
        expect((await provider.verify(changed, every)).ok).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
  it('whatever text it is (property)', () => {
    fc.assert(fc.property(fc.string(), (text) => 'ok' in readToken(text)))
  })
  it('at the size limit in linear time', () => {
    for (const char of ['"', '\\', '[', '{"a":', '\\"']) {
      const token = char.repeat(longestToken / char.length)
      expect(isDeeperThan(token, 16)).toBe(char === '[' || char === '{"a":')
    }
  })
})

describe('the keys of a set', () => {
  const verifies = async (jwk: object) => {
    const key = providerKey('one', 'RS256')
    const fetch = async () => Response.json({ keys: [{ ...jwkOf(key), ...jwk }] })
    const provider = identityProvider({ jwksUrl: 'https://id.test/keys' }, { ...host, fetch })
    return (await provider.verify(signToken(key, claims), every)).ok
  }
  it.each([
    [{}, true],
    [{ use: undefined, alg: undefined, kid: undefined }, true],
    [{ key_ops: ['verify'] }, true],
    [{ use: 'enc' }, false],
    [{ key_ops: ['encrypt'] }, false],
    [{ alg: 'RS512' }, false],
    [{ kty: 'oct', k: 'c2VjcmV0' }, false],
    [{ n: 'AQAB' }, false],
    [{ n: undefined }, false],
    [{ n: 7 }, false],
  ])('with %j can verify: %s', async (jwk, expected) => {
    expect(await verifies(jwk)).toBe(expected)
  })
})

describe('the claims of a token', () => {
  const at = now / 1000
  it.each<[object, object, string | undefined]>([
    [{ exp: at + 60 }, {}, undefined],
    [{ exp: at - 59 }, {}, undefined],
    [{ exp: at - 61 }, {}, 'invalid expiration time (exp) claim: token is expired'],
    [{ exp: at - 1 }, { clockSkewSeconds: 0 }, 'invalid expiration time (exp) claim: token is expired'],
    [{ exp: at + 600, nbf: at + 59 }, {}, undefined],
    [{ exp: at + 600, nbf: at + 61 }, {}, 'invalid not before (nbf) claim: token not yet valid'],
    [
      { exp: at + 600, iat: at + 61, nbf: at },
      {},
      'invalid issued at (iat) claim: token issued in the future',
    ],
    [{}, {}, 'no issued at (iat), not before (nbf), or expiration time (exp) claims in token'],
    [
      { exp: 0, nbf: 0, iat: 0 },
      {},
      'no issued at (iat), not before (nbf), or expiration time (exp) claims in token',
    ],
    // Without an end, a token ends some time after its beginning.
    [{ iat: at - 200 }, {}, undefined],
    [{ iat: at - 211 }, {}, 'invalid expiration time (exp) claim: token is expired'],
    [
      { iat: at - 61 },
      { expirationLeewaySeconds: 0 },
      'invalid expiration time (exp) claim: token is expired',
    ],
    // Without a beginning, it begins some time before its end.
    [{ exp: at + 209 }, {}, undefined],
    [{ exp: at + 211 }, {}, 'invalid not before (nbf) claim: token not yet valid'],
    [{ exp: 'tomorrow' }, {}, 'the exp claim is not a time in seconds'],
    [{ exp: at + 9, nbf: null }, {}, 'the nbf claim is not a time in seconds'],
    [{ exp: at + 9, iss: 'a' }, { issuer: 'a' }, undefined],
    [{ exp: at + 9, iss: 'a' }, { issuer: 'b' }, 'invalid issuer (iss) claim'],
    [{ exp: at + 9 }, { issuer: 'b' }, 'invalid issuer (iss) claim'],
    [{ exp: at + 9, sub: 'ada' }, { subject: 'eve' }, 'invalid subject (sub) claim'],
    [{ exp: at + 9, aud: 'a' }, { audiences: ['b', 'a'] }, undefined],
    [{ exp: at + 9, aud: ['c', 'b'] }, { audiences: ['b', 'a'] }, undefined],
    [
      { exp: at + 9, aud: ['c', 7] },
      { audiences: ['a'] },
      'invalid audience (aud) claim: audience claim does not match any bound audience',
    ],
    [
      { exp: at + 9 },
      { audiences: ['a'] },
      'invalid audience (aud) claim: audience claim does not match any bound audience',
    ],
  ])('%j with %j: %s', (given, expected, message) => {
    expect(claimsProblem({ ...given }, expected, now)?.refusal.message).toBe(message)
  })
})
