import { describe, expect, it } from 'vitest'
import { unwrapStep } from '../../../src/kernel/index.ts'
import {
  configureTransitKey,
  createTransitKey,
  readTransitText,
  rotateTransitKey,
  type TransitKey,
  transitDeletionProblem,
  transitText,
  transitVersionLifecycle,
  transitVersionStatus,
  trimTransitKey,
  versionToDecrypt,
  versionToEncrypt,
} from '../../../src/secrets/transit/index.ts'

const env = { now: 0, newId: () => 'i' }
const material = (key: string) => ({ key, hmacKey: `${key}h`, publicKey: null })
const created = (name = 'orders') =>
  unwrapStep(createTransitKey(undefined, { name, material: material('k1') }, env)).state
const rotated = (key: TransitKey) =>
  unwrapStep(rotateTransitKey(key, { material: material(`k${key.latestVersion + 1}`) }, env)).state
const three = rotated(rotated(created()))
const configured = (key: TransitKey, input: Parameters<typeof configureTransitKey>[1]) =>
  unwrapStep(configureTransitKey(key, input)).state

describe('a key', () => {
  it('is created once, and is what it was where it is created again', () => {
    const key = created()
    const again = createTransitKey(key, { name: 'orders', material: material('other') }, env)
    expect(again).toMatchObject({ ok: true, state: key, events: [] })
    const asOther = createTransitKey(
      key,
      { name: 'orders', type: 'ed25519', material: material('other') },
      env,
    )
    expect(asOther).toMatchObject({ ok: false, refusal: { code: 'transit_key_invalid' } })
  })
  it.each(['', 'a/b', '-a', 'a.', 'a b', '../a'])('cannot be called %j', (name) => {
    expect(createTransitKey(undefined, { name, material: material('k') }, env).ok).toBe(false)
  })
  it('encrypts with its latest version, and decrypts with the one that encrypted', () => {
    expect(versionToEncrypt(three)).toMatchObject({ value: { number: 3, version: { key: 'k3' } } })
    expect(versionToDecrypt(three, 1)).toMatchObject({ value: { number: 1, version: { key: 'k1' } } })
    expect(versionToDecrypt(three, 4)).toMatchObject({
      refusal: { message: 'invalid ciphertext: version is too new' },
    })
  })
  it('encrypts with an older version only as far back as its settings go', () => {
    const key = configured(three, { minEncryptionVersion: 2 })
    expect(versionToEncrypt(key, 2).ok).toBe(true)
    expect(versionToEncrypt(key, 1).ok).toBe(false)
    expect(versionToEncrypt(key, 4).ok).toBe(false)
  })
  it('does not decrypt what is older than its settings say', () => {
    const key = configured(three, { minDecryptionVersion: 2 })
    expect(versionToDecrypt(key, 1)).toMatchObject({
      refusal: { message: 'ciphertext or signature version is disallowed by policy (too old)' },
    })
    expect(versionToDecrypt(configured(key, { minDecryptionVersion: 1 }), 1).ok).toBe(true)
  })
  it.each([
    { minDecryptionVersion: 4 },
    { minEncryptionVersion: 4 },
    { minDecryptionVersion: -1 },
    { minEncryptionVersion: -1 },
    { minDecryptionVersion: 3, minEncryptionVersion: 2 },
  ])('refuses %j', (input) => {
    expect(configureTransitKey(three, input)).toMatchObject({
      ok: false,
      refusal: { code: 'transit_version_invalid' },
    })
  })
  it('stays exportable once it is', () => {
    expect(configured(configured(three, { exportable: true }), { exportable: false }).exportable).toBe(true)
  })
  it('is deleted only where that is allowed', () => {
    expect(transitDeletionProblem(three)?.refusal.message).toContain('deletion is not allowed for this key')
    expect(transitDeletionProblem(configured(three, { deletionAllowed: true }))).toBeUndefined()
  })
})

describe('a version of a key', () => {
  it('goes the way of its table', () => {
    const retired = configured(three, { minEncryptionVersion: 2 })
    const forbidden = configured(retired, { minDecryptionVersion: 2 })
    const trimmed = unwrapStep(trimTransitKey(forbidden, { minAvailableVersion: 2 })).state
    expect([three, retired, forbidden, trimmed].map((key) => transitVersionStatus(key, 1))).toEqual([
      'usable',
      transitVersionLifecycle.usable.retire,
      transitVersionLifecycle.decrypting.forbid,
      transitVersionLifecycle.forbidden.trim,
    ])
    expect(Object.keys(trimmed.versions)).toEqual(['2', '3'])
    expect(configureTransitKey(trimmed, { minDecryptionVersion: 1 }).ok).toBe(false)
  })
  it.each([0, 2, 4])('is not trimmed away while it may decrypt (%i)', (minAvailableVersion) => {
    expect(trimTransitKey(three, { minAvailableVersion }).ok).toBe(false)
  })
})

describe('the text that a key makes', () => {
  it('says which version made it', () => {
    expect(readTransitText(transitText(12, 'YQ=='), 'ciphertext')).toEqual({
      ok: true,
      value: { version: 12, base64: 'YQ==' },
    })
  })
  it.each([
    '',
    'v1:YQ==',
    'vault:v1',
    'vault:v0:YQ==',
    'vault:v-1:YQ==',
    'vault:v1e3:YQ==',
    'vault:v99999999999:YQ==',
  ])('is refused as %j, and never repeated', (text) => {
    const read = readTransitText(text, 'ciphertext')
    expect(read).toMatchObject({ ok: false, refusal: { code: 'transit_input_invalid' } })
    expect(JSON.stringify(read)).not.toContain('YQ==')
  })
})
