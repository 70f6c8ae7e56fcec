import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../../src/crypto/index.ts'
import { unwrap } from '../../../../src/kernel/index.ts'
import { createSecrets, type StaticSeal } from '../../../../src/secrets/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const first: StaticSeal = { currentKeyId: '2026-1', currentKey: key(1) }
const rotated: StaticSeal = {
  currentKeyId: '2026-2',
  currentKey: key(2),
  previousKeyId: '2026-1',
  previousKey: key(1),
}
const serviceWith = (store: ReturnType<typeof memoryStore>, staticSeal?: StaticSeal) =>
  createSecrets({ store, staticSeal, crypto: nodeCrypto({ scryptLogN: 4 }) })

/** A store with a secret, in a service that was initialised with these keys. */
const filled = async (staticSeal?: StaticSeal) => {
  const store = memoryStore()
  const service = serviceWith(store, staticSeal)
  const { unsealKeys } = unwrap(await service.seal.initialize({ shares: 1, threshold: 1 }))
  for (const share of unsealKeys) unwrap(await service.seal.unseal(share))
  unwrap(await service.kv().write('app', { password: 'hunter2' }))
  await service.close()
  return { store, unsealKeys }
}
const unsealed = async (store: ReturnType<typeof memoryStore>, staticSeal: StaticSeal) => {
  const service = serviceWith(store, staticSeal)
  const result = await service.seal.unsealStatic()
  const sealed = (await service.seal.status()).sealed
  await service.close()
  return { result, sealed }
}

describe('a static seal', () => {
  it('unseals at the initialisation, and every later start without shares', async () => {
    const service = serviceWith(memoryStore(), first)
    unwrap(await service.seal.initialize({ shares: 3, threshold: 2 }))
    expect((await service.seal.status()).sealed).toBe(false)
    await service.close()
    const { store } = await filled(first)
    expect(await unsealed(store, first)).toEqual({ result: { ok: true, value: true }, sealed: false })
  })

  it('says so in its status, and seals until it is asked again', async () => {
    const { store } = await filled(first)
    const service = serviceWith(store, first)
    unwrap(await service.seal.unsealStatic())
    await service.seal.seal()
    const answer = await service.fetch(new Request('http://localhost/v1/sys/seal-status'))
    expect(await answer.json()).toMatchObject({ type: 'static', recovery_seal: true, sealed: true })
    expect(unwrap(await service.seal.unsealStatic())).toBe(true)
    await service.close()
  })

  it('unseals with a crypto port whose bytes are of another realm', async () => {
    const { store } = await filled(first)
    const crypto = nodeCrypto({ scryptLogN: 4 })
    const foreign: (bytes: Uint8Array) => Uint8Array<ArrayBuffer> = runInNewContext(
      '(bytes) => Uint8Array.from(bytes)',
    )
    const open: typeof crypto.open = (...given) => {
      const opened = crypto.open(...given)
      return opened && foreign(opened)
    }
    const service = createSecrets({ store, staticSeal: first, crypto: { ...crypto, open } })
    expect(await service.seal.unsealStatic()).toEqual({ ok: true, value: true })
    await service.close()
  })

  it('is rotated by the previous key, which is of no use afterwards', async () => {
    const { store } = await filled(first)
    expect((await unsealed(store, { currentKeyId: '2026-2', currentKey: key(2) })).result).toMatchObject({
      refusal: { code: 'static_key_wrong', message: expect.stringContaining('"2026-1"') },
    })
    expect((await unsealed(store, rotated)).sealed).toBe(false)
    expect((await unsealed(store, { currentKeyId: '2026-2', currentKey: key(2) })).sealed).toBe(false)
    expect((await unsealed(store, first)).sealed).toBe(true)
  })

  it('seals data that had key shares only once these unseal it, and leaves the shares valid', async () => {
    const { store, unsealKeys } = await filled()
    expect(await unsealed(store, first)).toEqual({ result: { ok: true, value: false }, sealed: true })
    const service = serviceWith(store, first)
    for (const share of unsealKeys) unwrap(await service.seal.unseal(share))
    await service.close()
    expect((await unsealed(store, first)).sealed).toBe(false)
    const manual = serviceWith(store)
    for (const share of unsealKeys) unwrap(await manual.seal.unseal(share))
    expect((await manual.kv().read('app')).ok).toBe(true)
    await manual.close()
  })

  it('does not open with other bytes of the same name, and no text repeats a key', async () => {
    const { store } = await filled(first)
    const wrong = await unsealed(store, { currentKeyId: '2026-1', currentKey: key(9) })
    expect(wrong.sealed).toBe(true)
    expect(wrong.result).toMatchObject({ refusal: { message: expect.stringContaining('its bytes differ') } })
    expect(JSON.stringify(wrong)).not.toMatch(/CQkJ|0909/)
  })

  it.each([
    [{ currentKeyId: 'a', currentKey: key(1).slice(1) }, /31 bytes/],
    [{ currentKeyId: '', currentKey: key(1) }, /currentKeyId is empty/],
    [{ currentKeyId: 'a', currentKey: key(1), previousKeyId: 'b' }, /set together/],
    [{ ...rotated, previousKeyId: '2026-2' }, /the same id/],
  ])('is refused as %j', (staticSeal, message) => {
    expect(() => createSecrets({ staticSeal })).toThrow(message)
  })
})
