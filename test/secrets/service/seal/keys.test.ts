import { describe, expect, it } from 'vitest'
import { createSecrets, devSecrets } from '../../../../src/secrets/index.ts'
import { memoryStore, type Store } from '../../../../src/store/index.ts'
import { asking, client } from '../client.ts'

/** A store as it looks from afar: without snapshots. */
const afar = ({ head, read, commit, changes, import: load, close }: Store): Store => ({
  head,
  read,
  commit,
  changes,
  import: load,
  close,
})

describe('turning the key ring', () => {
  it('seals with a key of the next term, and reads on what was sealed before, also after a restart', async () => {
    const store = memoryStore()
    const { ask, service, clock, rootToken, unsealKeys } = await client({ store })
    await ask('POST', '/v1/secret/data/old', { data: { a: 1 } })
    const before = (await ask('GET', '/v1/sys/key-status')).body
    expect(before).toMatchObject({ term: 1, install_time: '2026-01-01T00:00:00Z', data: { term: 1 } })
    await clock.advance(60_000)
    expect((await ask('PUT', '/v1/sys/rotate')).status).toBe(204)
    const after = (await ask('GET', '/v1/sys/key-status')).body
    expect(after).toMatchObject({ term: 2, install_time: '2026-01-01T00:01:00Z', data: { encryptions: 0 } })
    await ask('POST', '/v1/secret/data/young', { data: { b: 2 } })
    expect((await ask('GET', '/v1/sys/key-status')).body.encryptions).toBeGreaterThan(0)
    await service.close()
    const again = await devSecrets({ store, rootToken, unsealKeys })
    const asks = asking(again.service, rootToken)
    expect((await asks('GET', '/v1/secret/data/old')).body.data.data).toEqual({ a: 1 })
    expect((await asks('GET', '/v1/secret/data/young')).body.data.data).toEqual({ b: 2 })
    expect((await asks('GET', '/v1/sys/key-status')).body.term).toBe(2)
  })

  it('needs sudo', async () => {
    const { ask, service } = await client()
    await ask('PUT', '/v1/sys/policies/acl/half', { policy: 'path "sys/*" { capabilities = ["update"] }' })
    const made = await service.tokens.create({ policies: ['half'] })
    const asHalf = asking(service, made.ok ? made.value.token : '')
    expect((await asHalf('PUT', '/v1/sys/rotate')).status).toBe(403)
  })

  it.each([
    ['in one process', (store: Store) => store],
    ['in two', afar],
  ])('is noticed by another server on the same store, %s', async (_, seen) => {
    const base = memoryStore()
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const one = await devSecrets({ store: seen(base), onError })
    const two = createSecrets({ store: seen(base), onError })
    for (const key of one.unsealKeys) await two.seal.unseal(key)
    const asOne = asking(one.service, one.rootToken)
    const asTwo = asking(two, one.rootToken)
    await asOne('PUT', '/v1/sys/rotate')
    await asOne('POST', '/v1/secret/data/x', { data: { a: 1 } })
    expect((await asTwo('GET', '/v1/secret/data/x')).body.data.data).toEqual({ a: 1 })
    expect((await asTwo('PUT', '/v1/sys/rotate')).status).toBe(204)
    expect((await asTwo('GET', '/v1/sys/key-status')).body.term).toBe(3)
    await asTwo('POST', '/v1/secret/data/y', { data: { b: 2 } })
    expect((await asOne('GET', '/v1/secret/data/y')).body.data.data).toEqual({ b: 2 })
    await Promise.all([one.service.close(), two.close()])
    expect(errors).toEqual([])
  })
})

describe('changing the key shares', () => {
  const unsealWith = async (
    service: Awaited<ReturnType<typeof client>>['service'],
    keys: readonly string[],
  ) => {
    for (const key of keys) await service.seal.unseal(key)
    return (await service.seal.status()).sealed
  }

  it('gives new shares for the old ones, which then open nothing', async () => {
    const { ask, service, unsealKeys } = await client()
    await ask('POST', '/v1/secret/data/app', { data: { a: 1 } })
    const anyone = asking(service, undefined)
    const begun = await anyone('PUT', '/v1/sys/rekey/init', { secret_shares: 3, secret_threshold: 2 })
    expect(begun.body).toMatchObject({ started: true, t: 2, n: 3, progress: 0, required: 1 })
    const { nonce } = begun.body
    const done = (await anyone('PUT', '/v1/sys/rekey/update', { key: unsealKeys[0], nonce })).body
    expect(done).toMatchObject({ complete: true, nonce, verification_required: false })
    expect(done.keys).toHaveLength(3)
    expect((await anyone('GET', '/v1/sys/rekey/init')).body).toMatchObject({ started: false, required: 2 })
    expect((await ask('GET', '/v1/secret/data/app')).body.data.data).toEqual({ a: 1 })
    await service.seal.seal()
    expect(await unsealWith(service, unsealKeys)).toBe(true)
    expect(await unsealWith(service, done.keys.slice(1))).toBe(false)
    expect((await ask('GET', '/v1/secret/data/app')).body.data.data).toEqual({ a: 1 })
  })

  it('keeps the old shares until the new ones are proved, where that is asked', async () => {
    const events: string[] = []
    const { service, unsealKeys } = await client({ onEvent: ({ type }) => events.push(type) })
    const anyone = asking(service, undefined)
    const verify = (key: string, nonce: string) => anyone('PUT', '/v1/sys/rekey/verify', { key, nonce })
    const input = { secret_shares: 3, secret_threshold: 2, require_verification: true }
    expect((await anyone('GET', '/v1/sys/rekey/verify')).status).toBe(400)
    const { nonce } = (await anyone('PUT', '/v1/sys/rekey/init', input)).body
    const made = (await anyone('PUT', '/v1/sys/rekey/update', { key: unsealKeys[0], nonce })).body
    expect(made).toMatchObject({ complete: true, verification_required: true })
    expect((await anyone('GET', '/v1/sys/rekey/init')).body).toMatchObject({
      started: true,
      verification_nonce: made.verification_nonce,
    })
    const late = await anyone('PUT', '/v1/sys/rekey/update', { key: unsealKeys[0], nonce })
    expect(late).toMatchObject({ status: 400, body: { errors: [expect.stringContaining('verify them')] } })
    expect(events).not.toContain('seal.rekeyed')

    const [first, second] = made.keys
    expect((await verify(first, made.verification_nonce)).body).toMatchObject({ progress: 1, t: 2, n: 3 })
    expect((await verify(first, made.verification_nonce)).status).toBe(400)
    const foreign = await verify('00'.repeat(33), made.verification_nonce)
    expect(foreign).toMatchObject({ status: 400, body: { errors: [expect.stringContaining('start again')] } })
    const again = (await anyone('DELETE', '/v1/sys/rekey/verify')).body
    expect(again).toMatchObject({ started: true, progress: 0 })
    expect((await verify(first, made.verification_nonce)).body.errors[0]).toMatch(/incorrect nonce/)
    expect((await verify(first, again.nonce)).body.progress).toBe(1)
    expect((await verify(second, again.nonce)).body).toEqual({ complete: true, nonce: again.nonce })
    expect(events).toContain('seal.rekeyed')
    expect((await anyone('GET', '/v1/sys/rekey/init')).body).toMatchObject({ started: false, required: 2 })
    await service.seal.seal()
    expect(await unsealWith(service, unsealKeys)).toBe(true)
    expect(await unsealWith(service, made.keys.slice(1))).toBe(false)
  })

  it('is refused with foreign shares and starts over then', async () => {
    const { service } = await client()
    const anyone = asking(service, undefined)
    const { nonce } = (await anyone('PUT', '/v1/sys/rekey/init', { secret_shares: 1, secret_threshold: 1 }))
      .body
    const wrong = await anyone('PUT', '/v1/sys/rekey/update', { key: '00'.repeat(32), nonce })
    expect(wrong).toMatchObject({ status: 400, body: { errors: [expect.stringContaining('do not fit')] } })
    expect((await anyone('GET', '/v1/sys/rekey/init')).body.started).toBe(false)
  })

  it('is not in the way of keys that are rotated at the same moment, twice even', async () => {
    const { ask, unsealKeys } = await client()
    const { nonce } = (await ask('PUT', '/v1/sys/rekey/init', { secret_shares: 1, secret_threshold: 1 })).body
    const [rekeyed, ...rotated] = await Promise.all([
      ask('PUT', '/v1/sys/rekey/update', { nonce, key: unsealKeys[0] }),
      ask('PUT', '/v1/sys/rotate'),
      ask('PUT', '/v1/sys/rotate'),
    ])
    expect([rekeyed.status, ...rotated.map(({ status }) => status)]).toEqual([200, 204, 204])
    expect((await ask('GET', '/v1/sys/key-status')).body.data.term).toBe(3)
    await ask('POST', '/v1/secret/data/a', { data: { a: 1 } })
    await ask('PUT', '/v1/sys/seal')
    await ask('PUT', '/v1/sys/unseal', { key: rekeyed.body.keys[0] })
    expect((await ask('GET', '/v1/secret/data/a')).body.data.data).toEqual({ a: 1 })
  })

  it('can be given up, and begins once only', async () => {
    const { service, unsealKeys } = await client()
    const anyone = asking(service, undefined)
    const input = { secret_shares: 1, secret_threshold: 1 }
    const { nonce } = (await anyone('PUT', '/v1/sys/rekey/init', input)).body
    expect((await anyone('PUT', '/v1/sys/rekey/init', input)).body.errors).toEqual([
      'rekey already in progress',
    ])
    expect((await anyone('DELETE', '/v1/sys/rekey/init')).status).toBe(204)
    const late = await anyone('PUT', '/v1/sys/rekey/update', { key: unsealKeys[0], nonce })
    expect(late).toMatchObject({ status: 400, body: { errors: ['no rekey in progress'] } })
    expect((await anyone('PUT', '/v1/sys/rekey/init', { ...input, pgp_keys: ['x'] })).status).toBe(400)
    await service.seal.seal()
    expect((await anyone('GET', '/v1/sys/rekey/init')).status).toBe(503)
  })
})

describe('making a root token', () => {
  it('takes enough key shares, and the one-time password to read it', async () => {
    const { service, unsealKeys } = await client()
    const anyone = asking(service, undefined)
    const begun = (await anyone('PUT', '/v1/sys/generate-root/attempt', {})).body
    expect(begun).toMatchObject({ started: true, complete: false, required: 1, otp_length: 28 })
    expect((await anyone('GET', '/v1/sys/generate-root/attempt')).body).toMatchObject({
      otp: '',
      started: true,
    })
    const { nonce, otp } = begun
    const done = (await anyone('PUT', '/v1/sys/generate-root/update', { key: unsealKeys[0], nonce })).body
    expect(done).toMatchObject({ complete: true, progress: 1, otp: '' })
    const hidden = Buffer.from(done.encoded_token, 'base64')
    const text = String.fromCharCode(...hidden.map((byte, at) => byte ^ otp.charCodeAt(at)))
    const asRoot = asking(service, text)
    expect((await asRoot('GET', '/v1/auth/token/lookup-self')).body.data.policies).toEqual(['root'])
    expect((await anyone('GET', '/v1/sys/generate-root/attempt')).body.started).toBe(false)
  })

  it('makes none from foreign shares, twice at once, or after it was given up', async () => {
    const { service, unsealKeys } = await client()
    const anyone = asking(service, undefined)
    const begin = async () => (await anyone('PUT', '/v1/sys/generate-root/attempt')).body
    const give = async (key: string | undefined, nonce: string) =>
      (await anyone('PUT', '/v1/sys/generate-root/update', { key, nonce })).body.errors
    const { nonce } = await begin()
    expect((await begin()).errors).toEqual(['root generation already in progress'])
    expect(await give('00'.repeat(32), nonce)).toEqual([expect.stringContaining('do not fit')])
    const second = await begin()
    expect((await anyone('DELETE', '/v1/sys/generate-root/attempt')).status).toBe(204)
    expect(await give(unsealKeys[0], second.nonce)).toEqual(['no root generation in progress'])
    const short = await anyone('PUT', '/v1/sys/generate-root/attempt', { otp: 'short' })
    expect(short).toMatchObject({ status: 400 })
  })
})
