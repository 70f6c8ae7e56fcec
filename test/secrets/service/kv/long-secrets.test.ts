import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../../src/kernel/index.ts'
import { createSecrets } from '../../../../src/secrets/index.ts'
import { textPieces, unfinishedTexts } from '../../../../src/secrets/service/kv/records.ts'
import { coalesced, memoryStore, type Store, StoreError } from '../../../../src/store/index.ts'
import { asking, client } from '../client.ts'
import { secretsFaults } from '../whole.ts'

const minute = 60_000

/** Longer than two pieces, with a surrogate pair where the second begins. */
const long = (mark: string) => `${mark}${'x'.repeat(512 * 1024 - 7)}😀${'y'.repeat(600 * 1024)}`

/** A store that counts records, and refuses commits once it was told to. */
function watched() {
  const kept = memoryStore()
  let fails: (keys: readonly string[]) => boolean = () => false
  const store: Store = {
    ...kept,
    commit: async (batch) => {
      if (fails(batch.flatMap(({ put = [] }) => put.map(({ key }) => key))))
        throw new StoreError('unreachable', 'away')
      return kept.commit(batch)
    },
  }
  return {
    store,
    count: ({ prefix }: { readonly prefix: string }) => kept.snapshot().scan({ prefix }).length,
    failWhen: (test: typeof fails) => {
      fails = test
    },
  }
}

async function opened() {
  const { store, count, failWhen } = watched()
  const made = await client({ store })
  await made.ask('POST', '/v1/sys/mounts/plain', { type: 'kv', options: { version: '1' } })
  const { service } = made
  return { ...made, store, count, failWhen, kv: service.kv(), plain: service.kv1('plain') }
}

describe('a secret that is longer than one commit should be', () => {
  it('is read as it was written, in both engines, also after a restart', async () => {
    const { kv, plain, store, service, unsealKeys } = await opened()
    const data = { text: long('a'), other: 1 }
    unwrap(await kv.write('app', data))
    unwrap(await plain.write('app', data))
    await service.close()
    const next = createSecrets({ store })
    for (const key of unsealKeys) await next.seal.unseal(key)
    expect(await next.kv().read('app')).toMatchObject({ value: { data } })
    expect(await next.kv1('plain').read('app')).toMatchObject({ value: { data } })
    await next.close()
  })

  it('leaves nothing when a check-and-set refuses it', async () => {
    const { kv, count, service } = await opened()
    unwrap(await kv.write('app', { small: 1 }))
    const late = await kv.write('app', { text: long('a') }, { cas: 0 })
    expect(late).toMatchObject({ ok: false, refusal: { code: 'cas_mismatch' } })
    expect(await kv.read('app')).toMatchObject({ value: { data: { small: 1 } } })
    await service.sweep()
    expect([textPieces, unfinishedTexts].map(count)).toEqual([0, 0])
  })

  it('leaves nothing when its server ends between its pieces and its decision', async () => {
    const { kv, count, failWhen, clock, service, store, unsealKeys } = await opened()
    failWhen((keys) => keys.some((key) => key.startsWith('kv2')))
    await expect(kv.write('app', { text: long('a') })).rejects.toThrow('away')
    failWhen(() => false)
    await service.close()
    const next = createSecrets({ store, env: clock.env, timers: clock.timers })
    for (const key of unsealKeys) await next.seal.unseal(key)
    await next.sweep()
    // Its server may be at work still.
    expect([textPieces, unfinishedTexts].map(count)).toEqual([3, 1])
    await clock.advance(11 * minute)
    expect([textPieces, unfinishedTexts].map(count)).toEqual([0, 0])
    await next.close()
    expect(await secretsFaults(store, unsealKeys)).toEqual([])
  })

  it('is refused, not stored without its text, when the sweeper of another server was faster', async () => {
    const { kv, count, failWhen, clock, service, store, unsealKeys } = await opened()
    const other = createSecrets({ store, env: clock.env, timers: clock.timers })
    for (const key of unsealKeys) await other.seal.unseal(key)
    let swept: Promise<unknown> | undefined
    const { commit } = store
    Object.assign(store, {
      commit: async (batch: Parameters<Store['commit']>[0]) => {
        const isLast = batch.some(({ put = [] }) => put.some(({ key }) => key.startsWith('kv2')))
        if (isLast) swept ??= clock.advance(11 * minute).then(() => other.sweep())
        await (isLast ? swept : undefined)
        return commit(batch)
      },
    })
    await expect(kv.write('app', { text: long('a') })).rejects.toThrow('within ten minutes')
    failWhen(() => false)
    expect(await kv.read('app')).toMatchObject({ value: { kind: 'absent' } })
    expect([textPieces, unfinishedTexts].map(count)).toEqual([0, 0])
    unwrap(await kv.write('app', { text: long('b') }))
    expect(await other.kv().read('app')).toMatchObject({ value: { data: { text: long('b') } } })
    await other.close()
    await service.close()
  })

  it('is deleted, undeleted, patched and destroyed like any other', async () => {
    const { kv, count, service } = await opened()
    unwrap(await kv.write('app', { text: long('a'), n: 1 }))
    unwrap(await kv.delete('app', [1]))
    expect(await kv.read('app')).toMatchObject({ value: { kind: 'gone' } })
    unwrap(await kv.undelete('app', [1]))
    expect(unwrap(await kv.patch('app', { n: 2 })).version).toBe(2)
    expect(await kv.read('app')).toMatchObject({ value: { data: { text: long('a'), n: 2 } } })
    expect(unwrap(await kv.patch('app', { text: null })).version).toBe(3)
    expect(await kv.read('app')).toMatchObject({ value: { data: { n: 2 } } })
    expect(await kv.patch('app', { text: long('b') }, { cas: 1 })).toMatchObject({ ok: false })
    expect(unwrap(await kv.destroy('app', [1]))).toEqual([1])
    await service.sweep()
    expect(count(textPieces)).toBe(3)
    expect(await kv.read('app', 2)).toMatchObject({ value: { data: { text: long('a') } } })
  })

  it('goes with its version when that is pruned, with its secret, its replacement and its mount', async () => {
    const { kv, plain, ask, count, service, store, unsealKeys } = await opened()
    const swept = async () => {
      await service.sweep()
      return [textPieces, unfinishedTexts].map(count)
    }
    unwrap(await kv.writeMetadata('app', { maxVersions: 2 }))
    for (const mark of ['a', 'b', 'c']) unwrap(await kv.write('app', { text: long(mark) }))
    expect(await swept()).toEqual([6, 0])
    unwrap(await kv.remove('app'))
    expect(await swept()).toEqual([0, 0])
    for (const mark of ['a', 'b']) unwrap(await plain.write('app', { text: long(mark) }))
    expect(await swept()).toEqual([3, 0])
    unwrap(await plain.write('app', { small: 1 }))
    expect(await swept()).toEqual([0, 0])
    for (const engine of [kv, plain]) unwrap(await engine.write('app', { text: long('a') }))
    expect(await swept()).toEqual([6, 0])
    expect(await secretsFaults(store, unsealKeys)).toEqual([])
    for (const mount of ['secret', 'plain']) await ask('DELETE', `/v1/sys/mounts/${mount}`)
    expect(await swept()).toEqual([0, 0])
  })

  it('keeps its text when its mount gets versions', async () => {
    const { plain, ask, count, service } = await opened()
    unwrap(await plain.write('app', { text: long('a') }))
    await ask('POST', '/v1/sys/mounts/plain/tune', { options: { version: '2' } })
    await expect
      .poll(() => service.kv('plain').read('app'))
      .toMatchObject({ value: { data: { text: long('a') } } })
    unwrap(await service.kv('plain').remove('app'))
    await service.sweep()
    expect(count(textPieces)).toBe(0)
  })

  it('is read by another server while it is replaced', async () => {
    const store: Store = coalesced(memoryStore())
    const { service, unsealKeys, clock } = await client({ store })
    const other = createSecrets({ store, env: clock.env, timers: clock.timers })
    for (const key of unsealKeys) await other.seal.unseal(key)
    const ask = asking(other, 'root')
    for (const mark of ['a', 'b', 'c']) {
      unwrap(await service.kv().write('app', { text: long(mark) }))
      const [{ body }] = await Promise.all([
        ask('GET', '/v1/secret/data/app'),
        service.kv().write('app', { text: long('z') }),
      ])
      expect([long(mark), long('z')]).toContain(body.data.data.text)
    }
    await other.close()
  })
})

it('a short secret has no pieces', async () => {
  const { kv, plain, count } = await opened()
  for (const engine of [kv, plain]) unwrap(await engine.write('app', { text: 'x'.repeat(400_000) }))
  expect([textPieces, unfinishedTexts].map(count)).toEqual([0, 0])
})
