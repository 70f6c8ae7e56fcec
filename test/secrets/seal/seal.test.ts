import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/crypto/index.ts'
import {
  giveShare,
  healthCode,
  noProgress,
  sealLifecycle,
  sealStatus,
  sharesProblem,
} from '../../../src/secrets/seal/index.ts'
import { newKeyring, openKeyring } from '../../../src/secrets/seal/keyring.ts'

const env = { now: 0, newId: (kind: string) => `${kind}-1` }
const seal = { threshold: 2, shareBytes: 2 }

describe('the life of a service', () => {
  it('is one table', () => {
    expect(sealLifecycle).toEqual({
      uninitialized: { initialize: 'sealed' },
      sealed: { unseal: 'unsealed' },
      unsealed: { seal: 'sealed' },
    })
  })
})

describe('splitting a key', () => {
  it.each([
    [1, 1],
    [5, 3],
    [255, 255],
    [2, 2],
  ])('into %d with threshold %d is possible', (shares, threshold) => {
    expect(sharesProblem(shares, threshold)).toBeUndefined()
  })

  it.each([
    [0, 0, 'shares must be at least one'],
    [-1, 1, 'shares must be at least one'],
    [1, 0, 'threshold must be at least one'],
    [3, 1, 'threshold must be greater than one for multiple shares'],
    [256, 2, 'shares must be less than 256'],
    [5, 256, 'threshold must be less than 256'],
    [2, 3, 'threshold cannot be larger than shares'],
  ])('into %d with threshold %d is not: %s', (shares, threshold, message) => {
    expect(sharesProblem(shares, threshold)?.refusal.message).toBe(message)
  })
})

describe('giving shares', () => {
  it('is enough at the threshold', () => {
    const first = giveShare(noProgress, { share: 'aa01' }, env, seal)
    expect(first).toMatchObject({ ok: true, value: { enough: false }, state: { nonce: 'unseal-1' } })
    const second = giveShare(first.ok ? first.state : noProgress, { share: 'BB02' }, env, seal)
    expect(second).toMatchObject({ ok: true, value: { enough: true }, state: { given: ['aa01', 'bb02'] } })
  })

  it('counts the same share once', () => {
    const first = giveShare(noProgress, { share: 'aa01' }, env, seal)
    const again = giveShare(first.ok ? first.state : noProgress, { share: 'AA01' }, env, seal)
    expect(again).toMatchObject({ ok: true, value: { enough: false }, state: { given: ['aa01'] } })
  })

  it.each([
    ['xyz', "'key' must be a valid hex or base64 string"],
    ['', "'key' must be a valid hex or base64 string"],
    ['aa', 'key is shorter than the 2 bytes of a key share'],
    ['aabbcc', 'key is longer than the 2 bytes of a key share'],
  ])('refuses %j', (share, message) => {
    const outcome = giveShare(noProgress, { share }, env, seal)
    expect(outcome.ok || outcome.refusal.message).toBe(message)
    if (share !== '') expect(JSON.stringify(outcome)).not.toContain(`"${share}"`)
  })
})

describe('the status', () => {
  it('shows how far unsealing has come, never a share', () => {
    const status = sealStatus(
      'sealed',
      { shares: 3, threshold: 2, shareBytes: 2, root: 'r', keyring: 'k', clusterId: 'c', createdAt: 0 },
      { nonce: 'n', given: ['aa01'] },
    )
    expect(status).toEqual({
      initialized: true,
      sealed: true,
      shares: 3,
      threshold: 2,
      progress: 1,
      nonce: 'n',
      clusterId: null,
    })
  })
})

describe('health', () => {
  it.each([
    ['unsealed', 'active', {}, 200],
    ['unsealed', 'standby', {}, 429],
    ['unsealed', 'recovery-secondary', {}, 472],
    ['unsealed', 'performance-standby', {}, 473],
    ['uninitialized', 'active', {}, 501],
    ['uninitialized', 'standby', {}, 501],
    ['sealed', 'active', {}, 503],
    ['sealed', 'standby', {}, 503],
    ['unsealed', 'active', { activecode: '299' }, 299],
    ['unsealed', 'standby', { standbycode: '204' }, 204],
    ['unsealed', 'performance-standby', { performancestandbycode: '204' }, 204],
    ['unsealed', 'recovery-secondary', { drsecondarycode: '204' }, 204],
    ['uninitialized', 'active', { uninitcode: '200' }, 200],
    ['sealed', 'active', { sealedcode: '200' }, 200],
    ['sealed', 'active', { activecode: '299' }, 503],
    ['unsealed', 'standby', { standbyok: 'true' }, 200],
    ['unsealed', 'standby', { standbyok: '' }, 200],
    ['unsealed', 'standby', { standbyok: 'false' }, 429],
    ['unsealed', 'standby', { standbyok: 'true', activecode: '299' }, 299],
    ['unsealed', 'performance-standby', { perfstandbyok: 'true' }, 200],
  ] as const)('%s, %s, %j: %d', (state, role, query, status) => {
    expect(healthCode(state, role, query)).toBe(status)
  })

  it.each(['abc', '99', '600', '', '2e2'])('refuses %j as a status', (activecode) => {
    expect(healthCode('unsealed', 'active', { activecode })).toMatchObject({
      ok: false,
      refusal: { code: 'invalid_health_code' },
    })
  })
})

describe('the key ring', () => {
  const crypto = nodeCrypto()
  const utf8 = new TextEncoder()
  const bound = utf8.encode('kv2/x')

  it('opens with the key it was sealed with, and what it sealed opens again', () => {
    const key = crypto.randomBytes(32)
    const ring = newKeyring(crypto, 0)
    const sealed = ring.seal(utf8.encode('hunter2'), bound)
    const again = openKeyring(crypto, ring.sealedWith(key), key)
    expect(again?.open(sealed, bound)).toEqual(utf8.encode('hunter2'))
    expect(again?.derive('tokens')).toEqual(ring.derive('tokens'))
    expect(ring.derive('tokens')).not.toEqual(ring.derive('others'))
  })

  it('does not open with any other key', () => {
    const sealed = newKeyring(crypto, 0).sealedWith(crypto.randomBytes(32))
    expect(openKeyring(crypto, sealed, crypto.randomBytes(32))).toBeUndefined()
    expect(openKeyring(crypto, sealed, crypto.randomBytes(31))).toBeUndefined()
    expect(openKeyring(crypto, 'AAAA', crypto.randomBytes(32))).toBeUndefined()
  })

  it('does not open what another ring sealed, or what belongs elsewhere', () => {
    const ring = newKeyring(crypto, 0)
    const sealed = ring.seal(utf8.encode('hunter2'), bound)
    expect(newKeyring(crypto, 0).open(sealed, bound)).toBeUndefined()
    expect(ring.open(sealed, utf8.encode('kv2/y'))).toBeUndefined()
    expect(ring.open(new Uint8Array(3), bound)).toBeUndefined()
  })

  it('seals with a new key once it is turned, and opens what the old ones sealed', () => {
    const root = crypto.randomBytes(32)
    const ring = newKeyring(crypto, 1000)
    const old = ring.seal(utf8.encode('before'), bound)
    expect(ring.status()).toEqual({ term: 1, installedAt: 1000, sealedCount: 1 })
    const turned = ring.turnedWith(root, 2000)
    expect(ring.status().term).toBe(1)
    expect(ring.learn(turned, crypto.randomBytes(32))).toBe(false)
    expect(ring.learn(turned, root)).toBe(true)
    expect(ring.status()).toEqual({ term: 2, installedAt: 2000, sealedCount: 0 })
    const young = ring.seal(utf8.encode('after'), bound)
    expect(young.subarray(0, 4)).not.toEqual(old.subarray(0, 4))
    const again = openKeyring(crypto, turned, root)
    for (const each of [ring, again]) {
      expect(each?.open(old, bound)).toEqual(utf8.encode('before'))
      expect(each?.open(young, bound)).toEqual(utf8.encode('after'))
    }
  })

  it('looks once for a term it does not know before it gives up', () => {
    const root = crypto.randomBytes(32)
    const one = newKeyring(crypto, 0)
    const two = openKeyring(crypto, one.sealedWith(root), root)
    const turned = one.turnedWith(root, 1)
    one.learn(turned, root)
    const young = one.seal(utf8.encode('after'), bound)
    expect(two?.open(young, bound)).toBeUndefined()
    two?.whenUnknown(() => two.learn(turned, root))
    expect(two?.open(young, bound)).toEqual(utf8.encode('after'))
  })
})
