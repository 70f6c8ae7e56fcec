import { expect, it } from 'vitest'
import { nodeCrypto } from '../../../../src/crypto/index.ts'
import { unwrap } from '../../../../src/kernel/index.ts'
import { concepts } from '../../../../src/secrets/service/concepts.ts'
import { type Place, rootNamespace } from '../../../../src/secrets/service/core/core.ts'
import { createCore } from '../../../../src/secrets/service/core/create-core.ts'
import { listPlain, readPlain } from '../../../../src/secrets/service/kv/plain.ts'
import {
  listSecrets,
  readConfig,
  readMetadata,
  readVersion,
} from '../../../../src/secrets/service/kv/versioned-reads.ts'

/** What a request holds of a mount that is disabled while the request is on its way. */
const mount = { id: 'gone', path: 'old/' } as Place['mount']

async function opened() {
  const core = createCore({ crypto: nodeCrypto({ scryptLogN: 4 }) }, {}, concepts, () => {
    throw new Error('not served')
  })
  const request = { shares: 1, threshold: 1, rootToken: 'root', sameAs: '', keepFirst: async () => {} }
  const { unsealKeys } = unwrap(await core.barrier.initialize(request, () => {}))
  for (const key of unsealKeys) await core.barrier.unseal(key)
  return { core, namespace: rootNamespace, mount }
}
type Gone = Awaited<ReturnType<typeof opened>>

it.each([
  ['a plain secret', (gone: Gone) => readPlain(gone, 'a')],
  ['plain secrets', (gone: Gone) => listPlain(gone, '')],
  ['a versioned secret', (gone: Gone) => readVersion(gone, 'a', 0)],
  ['what is known about a secret', (gone: Gone) => readMetadata(gone, 'a')],
  ['versioned secrets', (gone: Gone) => listSecrets(gone, '')],
  ['settings', (gone: Gone) => readConfig(gone)],
])('%s of a mount that went meanwhile are not said to be missing: the mount is', async (_, ask) => {
  expect(await ask(await opened())).toMatchObject({ ok: false, refusal: { code: 'mount_gone' } })
})
