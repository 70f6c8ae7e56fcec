import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import type { FetchHandler } from '../../src/http/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { testClock } from '../../src/testing/index.ts'

/** Asks for an answer as it comes, and as it comes compressed. */
const bothOf = async (fetch: FetchHandler, path: string, headers: Record<string, string> = {}) => {
  const ask = (more: Record<string, string>) =>
    fetch(new Request(`http://s.test${path}`, { headers: { ...headers, ...more } }))
  const [plain, packed] = [await ask({}), await ask({ 'accept-encoding': 'gzip' })]
  const bytes = Buffer.from(await packed.arrayBuffer())
  const isPacked = packed.headers.get('content-encoding') === 'gzip'
  const vary = [plain.headers.get('vary'), packed.headers.get('vary')]
  return { isPacked, vary, same: (isPacked ? gunzipSync(bytes) : bytes).toString() === (await plain.text()) }
}
const packed = { isPacked: true, vary: ['Accept-Encoding', 'Accept-Encoding'], same: true }
/** What a browser is shown as a page. */
const shown = { isPacked: true, vary: ['Accept, Accept-Encoding', 'Accept, Accept-Encoding'], same: true }
const plain = { isPacked: false, vary: [null, null], same: true }

const many = Array.from({ length: 20 }, (_, at) => `1.${at}.0`)
const source = 'https://example.com/vpc.zip'

describe('for clients that accept it', () => {
  it('the registry compresses its lists and details, and no small answer', async () => {
    const registry = createRegistry()
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    unwrap(await registry.publishModule(vpc))
    const root = { readme: 'About the network. '.repeat(99) }
    for (const version of many) unwrap(await registry.publishVersion(vpc, { version, source, root }))
    expect(await bothOf(registry.fetch, '/v1/modules/acme/vpc/aws/versions')).toEqual(packed)
    expect(await bothOf(registry.fetch, '/v1/modules/acme/vpc/aws')).toEqual(shown)
    for (const path of ['/v1/modules', '/v1/modules/acme/vpc/aws/1.0.0/download'])
      expect(await bothOf(registry.fetch, path)).toEqual(plain)
    const small = { isPacked: false, vary: ['Accept', 'Accept'], same: true }
    expect(await bothOf(registry.fetch, '/v1/modules/no/such/one')).toEqual(small)
    await registry.close()
  })

  it('the catalog compresses what it says of boxes, and never their images', async () => {
    const catalog = createCatalog()
    const tiny = { username: 'acme', name: 'tiny' }
    unwrap(await catalog.putUser({ username: 'acme' }))
    unwrap(await catalog.createBox({ ...tiny, private: false }))
    for (const version of many) {
      unwrap(await catalog.createVersion(tiny, { version }))
      unwrap(await catalog.createProvider({ ...tiny, version }, { name: 'qemu' }))
      const { secret } = unwrap(
        await catalog.requestUpload({ ...tiny, version }, { name: 'qemu' }, 'standard'),
      )
      unwrap(await catalog.receiveUpload(secret, new Blob(['image '.repeat(999)]).stream()))
      unwrap(await catalog.releaseVersion({ ...tiny, version }))
    }
    expect(await bothOf(catalog.fetch, '/api/v2/box/acme/tiny')).toEqual(packed)
    expect(await bothOf(catalog.fetch, '/acme/tiny')).toEqual(shown)
    for (const path of ['/acme/boxes/tiny/versions/1.0.0/providers/qemu.box', '/api/v2/box/no/such'])
      expect(await bothOf(catalog.fetch, path)).toEqual(plain)
    await catalog.close()
  })
})

it('secrets are never compressed: their length would tell what else is in the answer', async () => {
  const { service, rootToken } = await devSecrets(testClock())
  const headers = { 'X-Secrets-Token': rootToken }
  const data = { note: 'text of another user '.repeat(99) }
  await service.fetch(
    new Request('http://s.test/v1/secret/data/app', {
      method: 'POST',
      headers,
      body: JSON.stringify({ data }),
    }),
  )
  expect(await bothOf(service.fetch, '/v1/secret/data/app', headers)).toMatchObject({
    isPacked: false,
    vary: [null, null],
  })
  await service.close()
})
