import { createDecipheriv, createPublicKey, hkdfSync, verify } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../../../src/kernel/index.ts'
import { devSecrets } from '../../../../src/secrets/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { asking, type Client, client } from '../client.ts'

let world: Client
let ask: Client['ask']

const base64 = (text: string) => Buffer.from(text).toString('base64')
const data = async (path: string, body?: unknown) => {
  const answer = await ask('POST', `/v1/transit/${path}`, body)
  expect([path, answer.status, answer.body?.errors]).toEqual([path, 200, undefined])
  return answer.body.data
}
const refused = async (path: string, body?: unknown) => {
  const { status, body: said } = await ask('POST', `/v1/transit/${path}`, body)
  return [status, said?.errors?.[0]]
}
const encrypt = async (text: string, name = 'orders') =>
  (await data(`encrypt/${name}`, { plaintext: base64(text) })).ciphertext as string

beforeEach(async () => {
  world = await client()
  ask = world.ask
  unwrap(await world.service.mounts.enable({ path: 'transit/', type: 'transit' }))
})

describe('encryption', () => {
  it('is undone by the same key', async () => {
    const { ciphertext, key_version } = await data('encrypt/orders', { plaintext: base64('card') })
    expect([ciphertext, key_version]).toEqual([expect.stringMatching(/^vault:v1:[A-Za-z0-9+/=]+$/), 1])
    expect(await data('decrypt/orders', { ciphertext })).toEqual({ plaintext: base64('card') })
  })
  it('takes bytes of another realm, such as a test environment makes', async () => {
    const { service } = world
    unwrap(await service.transit().createKey('orders', { derived: true }))
    const foreign: Uint8Array = runInNewContext('Uint8Array.of(99, 97)')
    const ciphertext = unwrap(await service.transit().encrypt('orders', foreign, { context: foreign }))
    const own = { context: Uint8Array.from(foreign) }
    expect([...unwrap(await service.transit().decrypt('orders', ciphertext, own))]).toEqual([99, 97])
  })
  it('is AES-256-GCM as others have it: nonce, ciphertext, tag', async () => {
    await data('keys/orders', { exportable: true })
    const sealed = Buffer.from((await encrypt('card')).split(':')[2] ?? '', 'base64')
    const exported = (await ask('GET', '/v1/transit/export/encryption-key/orders')).body.data
    const key = Buffer.from(exported.keys['1'], 'base64')
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAuthTag(
      sealed.subarray(-16),
    )
    expect(decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')).toBe('card')
  })
  it('works across rotations, and rewraps without revealing the plaintext', async () => {
    const old = await encrypt('card')
    await data('keys/orders/rotate')
    const { ciphertext } = await data('rewrap/orders', { ciphertext: old })
    expect(ciphertext).toMatch(/^vault:v2:/)
    for (const each of [old, ciphertext])
      expect(await data('decrypt/orders', { ciphertext: each })).toEqual({ plaintext: base64('card') })
    await data('keys/orders/config', { min_decryption_version: 2 })
    expect(await refused('decrypt/orders', { ciphertext: old })).toEqual([
      400,
      'ciphertext or signature version is disallowed by policy (too old)',
    ])
  })
  it('is not undone as that of another version, nor where a byte was changed', async () => {
    const old = await encrypt('card')
    await data('keys/orders/rotate')
    const bytes = Buffer.from(old.split(':')[2] ?? '', 'base64')
    bytes[14] = (bytes[14] ?? 0) ^ 1
    const forged = [old.replace(':v1:', ':v2:'), `vault:v1:${bytes.toString('base64')}`]
    for (const ciphertext of forged)
      for (const way of ['decrypt', 'rewrap'])
        expect(await refused(`${way}/orders`, { ciphertext })).toEqual([
          400,
          'invalid ciphertext: unable to decrypt',
        ])
  })
  it('binds what is said to belong to it', async () => {
    const bound = { associated_data: base64('row 7') }
    const { ciphertext } = await data('encrypt/orders', { plaintext: base64('card'), ...bound })
    expect(await data('decrypt/orders', { ciphertext, ...bound })).toEqual({ plaintext: base64('card') })
    for (const associated_data of [undefined, base64('row 8')])
      expect(await refused('decrypt/orders', { ciphertext, associated_data })).toEqual([
        400,
        'invalid ciphertext: unable to decrypt',
      ])
  })
  it('works on a batch, each item by itself', async () => {
    const texts = ['a', 'b', 'c']
    const { batch_results: made } = await data('encrypt/orders', {
      batch_input: texts.map((text) => ({ plaintext: base64(text), reference: text })),
    })
    expect(made.map(({ reference }: { reference: string }) => reference)).toEqual(texts)
    const answer = await ask('POST', '/v1/transit/decrypt/orders', {
      batch_input: [...made, { ciphertext: 'vault:v1:AAAA' }],
    })
    expect(answer.status).toBe(400)
    expect(answer.body.data.batch_results).toEqual([
      ...texts.map((text) => ({ plaintext: base64(text), reference: text })),
      { error: 'invalid ciphertext: unable to decrypt' },
    ])
  })
  it('creates a missing key only for callers with create', async () => {
    const { policies, tokens } = world.service
    await policies.write('use', 'path "transit/encrypt/*" { capabilities = ["update"] }')
    await policies.write('make', 'path "transit/encrypt/*" { capabilities = ["create"] }')
    const [use, make] = await Promise.all(
      ['use', 'make'].map(async (name) => {
        const { token } = unwrap(await tokens.create({ policies: [name] }))
        return asking(world.service, token)('POST', `/v1/transit/encrypt/${name}`, { plaintext: '' })
      }),
    )
    expect([use?.status, make?.status]).toEqual([403, 200])
    expect(unwrap(await world.service.transit().listKeys())).toEqual(['make'])
  })
  it.each([
    [
      'a ciphertext of another key',
      async () => ({ ciphertext: await encrypt('x', 'other') }),
      'invalid ciphertext: unable to decrypt',
    ],
    [
      'a version that never was',
      () => ({ ciphertext: 'vault:v9:AAAA' }),
      'invalid ciphertext: version is too new',
    ],
    ['no ciphertext', () => ({}), 'missing ciphertext to decrypt'],
    ['what is no ciphertext', () => ({ ciphertext: 'AAAA' }), 'invalid ciphertext: no prefix'],
    [
      'what is no base64',
      () => ({ ciphertext: 'vault:v1:%%' }),
      'invalid ciphertext: could not decode base64',
    ],
    [
      'a ciphertext cut short',
      () => ({ ciphertext: 'vault:v1:AAAA' }),
      'invalid ciphertext: unable to decrypt',
    ],
    ['an empty batch', () => ({ batch_input: [] }), 'missing batch input to process'],
  ])('refuses %s', async (_what, body, message) => {
    await data('keys/orders')
    expect(await refused('decrypt/orders', await body())).toEqual([400, message])
  })
  it('refuses what it would not do', async () => {
    expect(await refused('decrypt/none', { ciphertext: 'vault:v1:AAAA' })).toEqual([
      400,
      'encryption key not found',
    ])
    expect((await refused('encrypt/orders', { plaintext: '', nonce: base64('n') }))[0]).toBe(400)
    expect((await refused('keys/convergent', { derived: true, convergent_encryption: true }))[0]).toBe(400)
    expect(await refused('keys/derived', { type: 'ed25519', derived: true })).toEqual([
      400,
      'keys of type ed25519 cannot be derived',
    ])
    expect(await refused('encrypt/orders', { plaintext: 'no base64!' })).toEqual([
      400,
      'failed to base64-decode plaintext to encrypt',
    ])
    await data('keys/signer', { type: 'ed25519' })
    expect(await refused('encrypt/signer', { plaintext: '' })).toEqual([
      400,
      'key type ed25519 does not support encryption',
    ])
  })
})

describe('a derived key', () => {
  const [context, other] = [base64('customer 1'), base64('customer 2')]
  const needsContext = [400, "missing 'context' for key derivation: this is a derived key"]

  it('encrypts with a key that HKDF makes of it and the context, as others compute it', async () => {
    await data('keys/orders', { derived: true, exportable: true })
    const { ciphertext } = await data('encrypt/orders', { plaintext: base64('card'), context })
    const { keys } = (await ask('GET', '/v1/transit/export/encryption-key/orders')).body.data
    const key = hkdfSync('sha256', Buffer.from(keys['1'], 'base64'), '', 'customer 1', 32)
    const sealed = Buffer.from(ciphertext.split(':')[2], 'base64')
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), sealed.subarray(0, 12))
    decipher.setAuthTag(sealed.subarray(-16))
    expect(decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')).toBe('card')
  })
  it('decrypts with the same context only, in every operation', async () => {
    await data('keys/orders', { derived: true })
    const { ciphertext } = await data('encrypt/orders', { plaintext: base64('card'), context })
    expect(await data('decrypt/orders', { ciphertext, context })).toEqual({ plaintext: base64('card') })
    expect((await refused('decrypt/orders', { ciphertext, context: other }))[0]).toBe(400)
    for (const [use, body] of [
      ['encrypt/orders', { plaintext: '' }],
      ['decrypt/orders', { ciphertext }],
      ['rewrap/orders', { ciphertext }],
      ['datakey/plaintext/orders', {}],
    ] as const)
      expect(await refused(use, body)).toEqual(needsContext)
    await data('keys/orders/rotate')
    const { ciphertext: again } = await data('rewrap/orders', { ciphertext, context })
    const drawn = await data('datakey/plaintext/orders', { context })
    const batch_input = [
      { ciphertext: again, context },
      { ciphertext: drawn.ciphertext, context, reference: 'drawn' },
    ]
    expect((await data('decrypt/orders', { batch_input })).batch_results).toEqual([
      { plaintext: base64('card') },
      { plaintext: drawn.plaintext, reference: 'drawn' },
    ])
  })
  it('is what encrypting with a context makes, and shows it', async () => {
    await data('encrypt/one', { plaintext: '', context })
    await data('encrypt/two', { batch_input: [{ plaintext: '', context }] })
    for (const name of ['one', 'two'])
      expect((await ask('GET', `/v1/transit/keys/${name}`)).body.data).toMatchObject({
        derived: true,
        kdf: 'hkdf_sha256',
        supports_derivation: true,
      })
    const { ciphertext } = await data('encrypt/plain', { plaintext: base64('a') })
    expect(await data('decrypt/plain', { ciphertext, context })).toEqual({ plaintext: base64('a') })
  })
  it('takes its context as bytes in the methods', async () => {
    const transit = world.service.transit()
    unwrap(await transit.createKey('orders', { derived: true }))
    const context = Uint8Array.of(1)
    const ciphertext = unwrap(await transit.encrypt('orders', Uint8Array.of(7), { context }))
    expect(unwrap(await transit.decrypt('orders', ciphertext, { context }))).toEqual(Uint8Array.of(7))
    expect(await transit.decrypt('orders', ciphertext)).toMatchObject({ ok: false })
  })
})

describe('a backup of a key', () => {
  const backup = async (name: string): Promise<string> =>
    (await ask('GET', `/v1/transit/backup/${name}`)).body.data.backup

  it.each(['aes256-gcm96', 'ed25519', 'ecdsa-p256'])('of type %s restores all its versions', async (type) => {
    await data('keys/orders', { type, exportable: true, allow_plaintext_backup: true })
    await data('keys/orders/rotate')
    const text = await backup('orders')
    expect((await ask('POST', '/v1/transit/restore/copy', { backup: text })).status).toBe(204)
    const [made, copy] = await Promise.all(
      ['orders', 'copy'].map(async (name) => (await ask('GET', `/v1/transit/keys/${name}`)).body.data),
    )
    expect(copy).toEqual({ ...made, name: 'copy' })
    const input = base64('contract')
    const { hmac } = await data('hmac/orders', { input, key_version: 1 })
    expect(await data('verify/copy', { input, hmac })).toEqual({ valid: true })
  })
  it('takes base64 with its padding only', async () => {
    await data('keys/orders')
    expect((await refused('encrypt/orders', { plaintext: 'YQ' }))[0]).toBe(400)
    expect(await refused('decrypt/orders', { ciphertext: 'vault:v1:bad' })).toEqual([
      400,
      'invalid ciphertext: could not decode base64',
    ])
  })
  it('is made only where the settings of the key allow it, for ever', async () => {
    await data('keys/orders')
    const asked = async () => (await ask('GET', '/v1/transit/backup/orders')).body.errors?.[0]
    expect((await ask('GET', '/v1/transit/backup/orders')).status).toBe(500)
    expect(await asked()).toBe('exporting is disallowed on the policy')
    await data('keys/orders/config', { exportable: true })
    expect(await asked()).toBe('plaintext backup is disallowed on the policy')
    await data('keys/orders/config', { allow_plaintext_backup: true })
    await data('keys/orders/config', { allow_plaintext_backup: false, exportable: false })
    expect(await asked()).toBeUndefined()
    expect((await ask('GET', '/v1/transit/backup/none')).status).toBe(400)
  })
  it('replaces an existing key only by force', async () => {
    await data('keys/orders', { exportable: true, allow_plaintext_backup: true })
    const text = await backup('orders')
    await data('keys/orders/rotate')
    expect(await refused('restore', { backup: text })).toEqual([500, 'key "orders" already exists'])
    expect((await ask('POST', '/v1/transit/restore', { backup: text, force: true })).status).toBe(204)
    expect((await ask('GET', '/v1/transit/keys/orders')).body.data.latest_version).toBe(1)
  })
  it('that was changed is refused, and changes nothing', async () => {
    await data('keys/orders', { type: 'ed25519', exportable: true, allow_plaintext_backup: true })
    const { key } = JSON.parse(Buffer.from(await backup('orders'), 'base64').toString())
    for (const changed of [
      { ...key, latestVersion: 2 },
      { ...key, minAvailableVersion: 2 },
      { ...key, minDecryptionVersion: 9 },
      { ...key, type: 'rsa-4096' },
      { ...key, type: 'aes256-gcm96' },
      { ...key, more: true },
      { ...key, versions: {} },
      { ...key, versions: { 1: { ...key.versions[1], key: 'AAAA' } } },
      { ...key, versions: { 1: { ...key.versions[1], publicKey: null } } },
    ])
      expect((await refused('restore/copy', { backup: base64(JSON.stringify({ key: changed })) }))[0]).toBe(
        400,
      )
    for (const text of [undefined, '', 'no base64!', base64('{}'), base64('null'), base64('{')])
      expect(await refused('restore/other', { backup: text })).toEqual([
        400,
        'the backup is not one of a transit key',
      ])
  })
  it('is text for the methods, too', async () => {
    const transit = world.service.transit()
    unwrap(await transit.createKey('orders', { exportable: true, allowPlaintextBackup: true }))
    const ciphertext = unwrap(await transit.encrypt('orders', Uint8Array.of(7)))
    const text = unwrap(await transit.backupKey('orders'))
    expect(unwrap(await transit.restoreKey(text, { name: 'copy' }))).not.toHaveProperty('versions')
    expect(unwrap(await transit.decrypt('copy', ciphertext))).toEqual(Uint8Array.of(7))
  })
})

describe('a data key', () => {
  it.each([
    [undefined, 32],
    [128, 16],
    [512, 64],
  ])('of %s bits is shown once, and decrypts to what was shown', async (bits, length) => {
    await data('keys/orders')
    const { plaintext, ciphertext } = await data('datakey/plaintext/orders', { bits })
    expect(Buffer.from(plaintext, 'base64')).toHaveLength(length)
    expect(await data('decrypt/orders', { ciphertext })).toEqual({ plaintext })
    expect(await data('datakey/wrapped/orders', { bits })).not.toHaveProperty('plaintext')
  })
})

describe('signatures', () => {
  it.each([
    ['ed25519', {}, null],
    ['ecdsa-p256', {}, 'sha256'],
    ['ecdsa-p256', { hash_algorithm: 'sha2-512' }, 'sha512'],
    ['ecdsa-p256', { marshaling_algorithm: 'jws' }, 'sha256'],
  ])('of %s %j are verified here and elsewhere', async (type, form, digest) => {
    await data('keys/signer', { type })
    const input = base64('contract')
    const { signature } = await data('sign/signer', { input, ...form })
    expect(await data('verify/signer', { input, signature, ...form })).toEqual({ valid: true })
    expect(await data('verify/signer', { input: base64('other'), signature, ...form })).toEqual({
      valid: false,
    })
    const { keys } = (await ask('GET', '/v1/transit/keys/signer')).body.data
    const text: string = keys['1'].public_key
    const key =
      type === 'ed25519'
        ? createPublicKey({
            key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(text, 'base64').toString('base64url') },
            format: 'jwk',
          })
        : createPublicKey(text)
    const jws = 'marshaling_algorithm' in form
    const bytes = Buffer.from(signature.split(':')[2], jws ? 'base64url' : 'base64')
    const dsaEncoding = jws ? 'ieee-p1363' : 'der'
    expect(verify(digest, Buffer.from('contract'), { key, dsaEncoding }, bytes)).toBe(true)
  })
  it('take their algorithm in the path as well', async () => {
    await data('keys/signer', { type: 'ecdsa-p256' })
    const input = base64('contract')
    const { signature } = await data('sign/signer/sha2-384', { input })
    expect(await data('verify/signer/sha2-384', { input, signature })).toEqual({ valid: true })
    expect(await data('verify/signer', { input, signature })).toEqual({ valid: false })
    expect(await refused('sign/signer/md5', { input })).toEqual([400, 'unsupported algorithm "md5"'])
  })
  it('are not what a key for encryption makes', async () => {
    await data('keys/orders')
    expect(await refused('sign/orders', { input: '' })).toEqual([
      400,
      'key type aes256-gcm96 does not support signing',
    ])
  })
})

describe('a keyed digest', () => {
  it('is the same each time, and another one for another key', async () => {
    await data('keys/orders')
    await data('keys/other')
    const input = base64('card')
    const first = await data('hmac/orders', { input })
    expect(await data('hmac/orders', { input })).toEqual(first)
    expect(await data('hmac/other', { input })).not.toEqual(first)
    expect(await data('verify/orders', { input, hmac: first.hmac })).toEqual({ valid: true })
    expect(await data('verify/other', { input, hmac: first.hmac })).toEqual({ valid: false })
    expect((await data('hmac/orders/sha2-512', { input })).hmac.length).toBeGreaterThan(first.hmac.length)
  })
})

describe('a key', () => {
  it('is read without its material', async () => {
    await data('keys/orders', { type: 'aes256-gcm96' })
    const { body } = await ask('GET', '/v1/transit/keys/orders')
    expect(body.data).toMatchObject({
      type: 'aes256-gcm96',
      latest_version: 1,
      min_available_version: 0,
      supports_encryption: true,
      supports_signing: false,
      keys: { 1: Math.floor(world.clock.now() / 1000) },
    })
    expect((await ask('GET', '/v1/transit/keys/none')).status).toBe(404)
    expect((await ask('LIST', '/v1/transit/keys')).body.data).toEqual({ keys: ['orders'] })
  })
  it('is exported only where it was made to be', async () => {
    await data('keys/orders')
    const { status, body } = await ask('GET', '/v1/transit/export/hmac-key/orders')
    expect([status, body.errors]).toEqual([400, ['private key material is not exportable']])
    await data('keys/open', { exportable: true })
    expect((await ask('GET', '/v1/transit/export/hmac-key/open/latest')).body.data.keys).toHaveProperty('1')
  })
  it('loses its old versions permanently, once they may no longer decrypt', async () => {
    await data('keys/orders')
    await data('keys/orders/rotate')
    await data('keys/orders/config', { min_decryption_version: 2, min_encryption_version: 2 })
    await data('keys/orders/trim', { min_available_version: 2 })
    expect((await ask('GET', '/v1/transit/keys/orders')).body.data).toMatchObject({
      min_available_version: 2,
      keys: { 2: expect.any(Number) },
    })
    expect((await refused('keys/orders/config', { min_decryption_version: 1 }))[0]).toBe(400)
  })
  it('is deleted only where its settings allow it', async () => {
    await data('keys/orders')
    expect((await ask('DELETE', '/v1/transit/keys/orders')).status).toBe(400)
    await data('keys/orders/config', { deletion_allowed: true })
    expect((await ask('DELETE', '/v1/transit/keys/orders')).status).toBe(204)
    expect((await ask('GET', '/v1/transit/keys/orders')).status).toBe(404)
  })
  it('is in the store after a restart, and nowhere in the clear', async () => {
    const store = memoryStore()
    const first = await devSecrets({ store })
    unwrap(await first.service.mounts.enable({ path: 'transit/', type: 'transit' }))
    unwrap(await first.service.transit().createKey('orders'))
    const plain = new TextEncoder().encode('card')
    const ciphertext = unwrap(await first.service.transit().encrypt('orders', plain))
    await first.service.close()
    const stored = await store.read((view) => view.scan({ prefix: '' }))
    expect(JSON.stringify(stored)).not.toContain('hmacKey')
    const { rootToken, unsealKeys } = first
    const second = await devSecrets({ store, rootToken, unsealKeys })
    expect(unwrap(await second.service.transit().decrypt('orders', ciphertext))).toEqual(plain)
    await second.service.close()
  })
  it('goes with its mount', async () => {
    const ciphertext = await encrypt('card')
    await ask('DELETE', '/v1/sys/mounts/transit')
    unwrap(await world.service.mounts.enable({ path: 'transit/', type: 'transit' }))
    expect(unwrap(await world.service.transit().listKeys())).toEqual([])
    await data('keys/orders')
    expect((await refused('decrypt/orders', { ciphertext }))[1]).toBe('invalid ciphertext: unable to decrypt')
  })
})

it('random bytes and digests are there as they are below sys/tools', async () => {
  expect(Buffer.from((await data('random/16')).random_bytes, 'base64')).toHaveLength(16)
  expect((await data('hash/sha2-256', { input: base64('a') })).sum).toHaveLength(64)
})
