import { expect, it } from 'vitest'
import { createSecrets } from '../../../../src/secrets/index.ts'
import { memoryStore, type Store, StoreError } from '../../../../src/store/index.ts'

/** A store that takes one commit, loses its answer, and cannot be read for a while. */
function losingOneAnswer() {
  const { snapshot: _snapshot, onCommit: _onCommit, ...kept } = memoryStore()
  const failing = { next: true, isDown: false }
  const store: Store = {
    ...kept,
    read: async (fn) => {
      if (failing.isDown) throw new StoreError('unreachable', 'the store is down')
      return kept.read(fn)
    },
    commit: async (batch) => {
      const verdicts = await kept.commit(batch)
      if (!failing.next) return verdicts
      failing.next = false
      failing.isDown = true
      throw new StoreError('unreachable', 'the connection was lost')
    },
  }
  return { store, up: () => Object.assign(failing, { isDown: false }) }
}

const input = { shares: 3, threshold: 2 }

it('returns the keys to the repeated request if the initialisation was stored but not confirmed', async () => {
  const { store, up } = losingOneAnswer()
  const secrets = createSecrets({ store })
  await expect(secrets.seal.initialize(input)).rejects.toMatchObject({ code: 'unreachable' })
  up()
  expect(await secrets.seal.initialize({ ...input, threshold: 3 })).toMatchObject({
    refusal: { code: 'already_initialized' },
  })
  const made = await secrets.seal.initialize(input)
  if (!made.ok) throw new Error(made.refusal.message)
  for (const key of made.value.unsealKeys.slice(0, 2))
    expect(await secrets.seal.unseal(key)).toMatchObject({ ok: true })
  expect(await secrets.seal.status()).toMatchObject({ sealed: false })
  expect(await secrets.tokens.lookup({ token: made.value.rootToken })).toMatchObject({ ok: true })
  // Unsealed, the keys were not lost.
  expect(await secrets.seal.initialize(input)).toMatchObject({ refusal: { code: 'already_initialized' } })
  await secrets.close()
})

it('returns the keys at once if the store can be read again', async () => {
  const { store, up } = losingOneAnswer()
  const { commit } = store
  const secrets = createSecrets({ store: { ...store, commit: (batch) => commit(batch).finally(up) } })
  const made = await secrets.seal.initialize(input)
  if (!made.ok) throw new Error(made.refusal.message)
  for (const key of made.value.unsealKeys.slice(0, 2))
    expect(await secrets.seal.unseal(key)).toMatchObject({ ok: true })
  await secrets.close()
})
