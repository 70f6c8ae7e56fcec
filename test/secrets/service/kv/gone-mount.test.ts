import { expect, it } from 'vitest'
import { nodeCrypto } from '../../../../src/crypto/index.ts'
import { unwrap } from '../../../../src/kernel/index.ts'
import { createCore, type Place, rootNamespace } from '../../../../src/secrets/service/core/core.ts'
import { plain } from '../../../../src/secrets/service/kv/plain.ts'
import { versioned } from '../../../../src/secrets/service/kv/versioned.ts'

/** What a request holds of a mount that is disabled while the request is on its way. */
const gone: Place = {
  namespace: rootNamespace,
  mount: { id: 'gone', path: 'old/' } as Place['mount'],
}

async function opened() {
  const core = createCore({ crypto: nodeCrypto({ scryptLogN: 4 }) }, {}, [])
  const keys = unwrap(await core.barrier.initialize({ shares: 1, threshold: 1 }, () => {}))
  for (const key of keys) await core.barrier.unseal(key)
  return { kv1: plain(core), kv2: versioned(core, () => {}) }
}
type Engines = Awaited<ReturnType<typeof opened>>

it.each([
  ['a plain secret', ({ kv1 }: Engines) => kv1.read(gone, 'a')],
  ['plain secrets', ({ kv1 }: Engines) => kv1.list(gone, '')],
  ['a versioned secret', ({ kv2 }: Engines) => kv2.read(gone, 'a', 0)],
  ['what is known about a secret', ({ kv2 }: Engines) => kv2.readMetadata(gone, 'a')],
  ['versioned secrets', ({ kv2 }: Engines) => kv2.list(gone, '')],
  ['settings', ({ kv2 }: Engines) => kv2.readConfig(gone)],
])('%s of a mount that went meanwhile are not said to be missing: the mount is', async (_, ask) => {
  expect(await ask(await opened())).toMatchObject({ ok: false, refusal: { code: 'mount_gone' } })
})
