import type { CatalogOptions } from '../../src/catalog/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs } from '../../src/store/index.ts'
import { read, served } from './catalog.ts'

/** Where the provider is, in version 2 of the API. */
export const path = '/api/v2/box/alice/tiny/version/1.0.0/provider/qemu/amd64'

/** A public box with a version and a provider that waits for its image. */
export async function waiting(provider: object = {}, options: Partial<CatalogOptions> = {}) {
  const blobs = memoryBlobs(nodeHashing)
  const world = await served({ blobs, ...options })
  const { alice, catalog } = world
  await alice('POST /api/v2/boxes', { name: 'tiny', is_private: false })
  await alice('POST /api/v2/box/alice/tiny/versions', { version: '1.0.0' })
  await alice('POST /api/v2/box/alice/tiny/version/1.0.0/providers', {
    name: 'qemu',
    architecture: 'amd64',
    ...provider,
  })
  const put = async (url: string, body: string | ReadableStream, headers: Record<string, string> = {}) =>
    read(
      await catalog.fetch(new Request(url, { method: 'PUT', body, headers, duplex: 'half' } as RequestInit)),
    )
  const direct = async () => (await alice(`GET ${path}/upload/direct`)).body
  const standard = async (): Promise<string> => (await alice(`GET ${path}/upload`)).body.upload_path
  const finish = async (callback: string) => alice(`PUT ${new URL(callback).pathname}`)
  const image = async () => {
    const answer = await catalog.fetch(
      new Request('http://service.test/alice/boxes/tiny/versions/1.0.0/providers/qemu/amd64/vagrant.box'),
    )
    return answer.status === 200 ? answer.text() : answer.status
  }
  return { ...world, blobs, put, direct, standard, finish, image }
}
