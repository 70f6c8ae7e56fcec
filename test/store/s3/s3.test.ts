import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCatalog } from '../../../src/catalog/index.ts'
import { unwrap } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { type S3Client, s3Blobs } from '../../../src/store/s3/index.ts'
import { ownedBlobIds } from '../blobs/owned-blob-ids.ts'
import { s3Server } from './s3-server.ts'

const mebibyte = 1024 * 1024
const partBytes = 5 * mebibyte
const image = randomBytes(12 * mebibyte)

let server: Awaited<ReturnType<typeof s3Server>>
beforeAll(async () => {
  server = await s3Server()
})
afterAll(() => server.close())

async function* inChunks(bytes: Buffer, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * The real client, with the calls that it makes. s3rver knows neither `AbortMultipartUpload` nor `ListMultipartUploads`:
 * those two are answered here as S3 documents them.
 */
function recorded(
  left: { readonly Key: string; readonly UploadId: string; readonly Initiated: Date }[] = [],
) {
  const calls: string[] = []
  const { client } = server
  const noted =
    <Input, Output>(name: string, call: (input: Input) => Promise<Output>) =>
    (input: Input) => {
      calls.push(name)
      return call(input)
    }
  const recording: S3Client = {
    putObject: noted('put', (input) => client.putObject(input)),
    getObject: noted('get', (input) => client.getObject(input)),
    headObject: noted('head', (input) => client.headObject(input)),
    deleteObject: noted('delete', (input) => client.deleteObject(input)),
    listObjectsV2: noted('list', (input) => client.listObjectsV2(input)),
    createMultipartUpload: noted('create', (input) => client.createMultipartUpload(input)),
    uploadPart: noted('part', (input) => client.uploadPart(input)),
    completeMultipartUpload: noted('complete', (input) => client.completeMultipartUpload(input)),
    abortMultipartUpload: async ({ Key, UploadId }) => {
      calls.push(left.length === 0 ? 'abort' : `abort ${Key} ${UploadId}`)
    },
    listMultipartUploads: async ({ KeyMarker }) =>
      KeyMarker === undefined
        ? { Uploads: left.slice(0, 1), NextKeyMarker: 'more' }
        : { Uploads: left.slice(1) },
  }
  return { client: recording, calls }
}

describe('blobs in a bucket', () => {
  it('are sent in parts where they are longer than one, and read back in ranges', async () => {
    const { client, calls } = recorded()
    const blobs = await s3Blobs({ client, bucket: server.name, prefix: 'parts/', partBytes })
    const written = await blobs.put('image', inChunks(image), { digests: ['sha256'] })
    expect(written).toEqual({
      ok: true,
      size: image.length,
      digests: { sha256: createHash('sha256').update(image).digest('hex') },
    })
    expect(calls).toEqual(['create', 'part', 'part', 'part', 'complete'])
    const found = await blobs.get('image')
    expect(found?.size).toBe(image.length)
    expect((await buffer(found?.body ?? nothing())).equals(image)).toBe(true)
    const [start, end] = [partBytes - 10, partBytes + 10]
    const part = await blobs.get('image', { start, end })
    expect((await buffer(part?.body ?? nothing())).equals(image.subarray(start, end))).toBe(true)
  })

  it('are not kept, and no part of them, when they are too large or break off', async () => {
    const { client, calls } = recorded()
    const blobs = await s3Blobs({ client, bucket: server.name, prefix: 'broken/', partBytes })
    expect(await blobs.put('image', inChunks(image), { maxBytes: 11 * mebibyte })).toMatchObject({
      ok: false,
    })
    expect(calls).toEqual(['create', 'part', 'part', 'part', 'abort'])
    const broken = async function* () {
      yield* inChunks(image)
      throw new Error('the client went away')
    }
    await expect(blobs.put('image', broken())).rejects.toThrow('the client went away')
    expect(calls.at(-1)).toBe('abort')
    expect(await blobs.get('image')).toBeUndefined()
  })

  it('are not kept when a part cannot be sent', async () => {
    const { client, calls } = recorded()
    const failing: S3Client = {
      ...client,
      uploadPart: async () => Promise.reject(new Error('no connection')),
    }
    const blobs = await s3Blobs({ client: failing, bucket: server.name, prefix: 'failing/', partBytes })
    await expect(blobs.put('image', inChunks(image))).rejects.toThrow('no connection')
    expect(calls).toEqual(['create', 'abort'])
  })

  it('drop on opening what was begun a day ago and never completed', async () => {
    const now = Date.parse('2026-06-02T12:00:00Z')
    const left = ['2026-06-01T11:00:00Z', '2026-06-02T11:00:00Z', '2026-05-01T00:00:00Z'].map(
      (at, number) => ({
        Key: `left/${number}`,
        UploadId: `upload-${number}`,
        Initiated: new Date(at),
      }),
    )
    const { client, calls } = recorded(left)
    await s3Blobs({ client, bucket: server.name, prefix: 'left/', env: () => ({ now, newId: String }) })
    expect(calls).toEqual(['abort left/0 upload-0', 'abort left/2 upload-2'])
  })

  it('name more than a page of them', async () => {
    const blobs = await s3Blobs({ client: recorded().client, bucket: server.name, prefix: 'many/' })
    for (let number = 0; number < 3; number += 1)
      await blobs.put(`blob-${number}`, inChunks(Buffer.from('x')))
    // s3rver breaks down on the token of a second page, so the pages are made of its one list.
    const paged: S3Client = {
      ...recorded().client,
      listObjectsV2: async ({ ContinuationToken, ...input }) => {
        const { Contents = [] } = await server.client.listObjectsV2(input)
        return ContinuationToken === undefined
          ? { Contents: Contents.slice(0, 2), NextContinuationToken: 'more' }
          : { Contents: Contents.slice(2) }
      },
    }
    const ids: string[] = []
    for await (const id of (await s3Blobs({ client: paged, bucket: server.name, prefix: 'many/' })).list())
      ids.push(id)
    expect(ids).toEqual(['blob-0', 'blob-1', 'blob-2'])
  })

  it.each([
    ['it cannot be reached', { attempts: 3 }, 'unreachable'],
    ['it is in trouble', { httpStatusCode: 503 }, 'unreachable'],
    ['it is asked too often', { httpStatusCode: 429 }, 'unreachable'],
    ['the request is wrong', { httpStatusCode: 400 }, undefined],
  ])('say of their store that %s', async (_, $metadata, code) => {
    const { client } = recorded()
    const putObject = () => Promise.reject(Object.assign(new Error('no luck'), { $metadata }))
    const blobs = await s3Blobs({ client: { ...client, putObject }, bucket: server.name })
    const put = blobs.put('a', inChunks(Buffer.from('x')))
    await expect(put).rejects.toMatchObject({
      ...(code && { code }),
      message: expect.stringContaining('no luck'),
    })
  })

  it('say which bucket cannot be used', async () => {
    const blobs = await s3Blobs({ client: recorded().client, bucket: 'other' })
    await expect(blobs.put('a', inChunks(Buffer.from('x')))).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('the bucket other'),
    })
    // @ts-expect-error: the name of an option is misspelt
    await expect(s3Blobs({ client: server.client, buckets: 'x' })).rejects.toThrow('did you mean bucket?')
  })

  it('hold the images of a catalog: uploaded, checked, fetched in ranges, deleted', async () => {
    const blobs = await s3Blobs({
      client: recorded().client,
      bucket: server.name,
      prefix: 'catalog/',
      partBytes,
    })
    const catalog = createCatalog({ store: memoryStore(), blobs })
    unwrap(await catalog.putUser({ username: 'alice' }))
    const alice = catalog.as({ kind: 'user', username: 'alice' })
    const box = { username: 'alice', name: 'base' }
    const version = { ...box, version: '1.0.0' }
    unwrap(await alice.createBox({ ...box, private: false }))
    unwrap(await alice.createVersion(box, { version: '1.0.0' }))
    unwrap(await alice.createProvider(version, { name: 'qemu' }))
    const { secret } = unwrap(await alice.requestUpload(version, { name: 'qemu' }, 'standard'))
    unwrap(await catalog.receiveUpload(secret, inChunks(image)))
    unwrap(await alice.releaseVersion(version))
    const url = 'http://localhost/alice/boxes/base/versions/1.0.0/providers/qemu.box'
    const answer = await catalog.fetch(new Request(url, { headers: { range: 'bytes=5-14' } }))
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(image.subarray(5, 15))]).toEqual([
      206,
      true,
    ])
    unwrap(await alice.deleteBox(box))
    const ids: string[] = []
    for await (const id of ownedBlobIds(blobs)) ids.push(id)
    expect(ids).toEqual([])
    await catalog.close()
  })
})
