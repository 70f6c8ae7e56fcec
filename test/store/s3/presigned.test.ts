import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCatalog } from '../../../src/catalog/index.ts'
import { unwrap } from '../../../src/kernel/index.ts'
import { createRegistry } from '../../../src/registry/index.ts'
import { type Blobs, memoryStore } from '../../../src/store/index.ts'
import { type S3Client, s3Blobs } from '../../../src/store/s3/index.ts'
import { testClock } from '../../../src/testing/index.ts'
import { ask, read } from '../../client.ts'
import { tarGz } from '../../registry/archive/archives.ts'
import { ownedBlobIds } from '../blobs/owned-blob-ids.ts'
import { s3Server } from './s3-server.ts'

let server: Awaited<ReturnType<typeof s3Server>>
beforeAll(async () => {
  server = await s3Server()
})
afterAll(() => server.close())

let prefixes = 0
async function bucket() {
  prefixes += 1
  // s3rver knows no list of uploads in parts.
  const client: S3Client = Object.assign(Object.create(server.client), {
    listMultipartUploads: async () => ({}),
  })
  return s3Blobs({ client, bucket: server.name, prefix: `p${prefixes}/`, presign: server.presign })
}

async function idsOf(blobs: Blobs): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const id of ownedBlobIds(blobs)) ids.push(id)
  return ids
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const [image, other] = [randomBytes(300_000), randomBytes(300_000)]
const put = (url: string, bytes: Buffer) => fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })

/** A catalog over a bucket that clients reach, with a provider that waits for its image. */
async function cataloged(checksum?: string) {
  const clock = testClock()
  const blobs = await bucket()
  const catalog = createCatalog({ store: memoryStore(), blobs, env: clock.env, timers: clock.timers })
  unwrap(await catalog.putUser({ username: 'alice' }))
  const { token } = unwrap(await catalog.createToken('alice'))
  const alice = catalog.as({ kind: 'user', username: 'alice' })
  const box = { username: 'alice', name: 'base' }
  const version = { ...box, version: '1.0.0' }
  unwrap(await alice.createBox({ ...box, private: false }))
  unwrap(await alice.createVersion(box, { version: '1.0.0' }))
  unwrap(
    await alice.createProvider(version, {
      name: 'qemu',
      architecture: 'amd64',
      ...(checksum === undefined ? {} : { checksum, checksumType: 'sha256' }),
    }),
  )
  const headers = { authorization: `Bearer ${token}` }
  const provider = '/api/v2/box/alice/base/version/1.0.0/provider/qemu/amd64'
  const leave = async () => (await ask(catalog, `GET ${provider}/upload/direct`, { headers })).body
  const callBack = ({ callback }: { callback: string }) =>
    ask(catalog, `PUT ${new URL(callback).pathname}`, { headers })
  const release = () => alice.releaseVersion(version)
  const fetched = async (init: { headers?: Record<string, string>; method?: string } = {}) =>
    ask(
      catalog,
      `${init.method ?? 'GET'} /alice/boxes/base/versions/1.0.0/providers/qemu/amd64/vagrant.box`,
      init.headers ? { headers: init.headers } : {},
    )
  const downloads = async () => (await ask(catalog, 'GET /api/v2/box/alice/base', { headers })).body.downloads
  return { clock, blobs, catalog, alice, box, leave, callBack, release, fetched, downloads }
}

describe('a direct upload to a bucket', () => {
  it('is sent to the bucket, checked at the callback, and fetched from the bucket', async () => {
    const { leave, callBack, release, fetched, blobs, catalog } = await cataloged(sha256(image))
    const given = await leave()
    expect(given.upload_path).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/plinth\/p\d+\/.*X-Amz-Expires=3600/)
    expect((await callBack(given)).status).toBe(422)
    expect((await put(given.upload_path, image)).status).toBe(200)
    expect(await callBack(given)).toMatchObject({ status: 200, body: { checksum: sha256(image) } })
    expect(await idsOf(blobs)).toHaveLength(1)
    await release()
    const sent = await fetched()
    expect(sent.status).toBe(302)
    const got = await fetch(sent.headers.get('location') ?? '')
    expect(got.headers.get('content-disposition')).toBe('attachment')
    expect(Buffer.from(await got.arrayBuffer()).equals(image)).toBe(true)
    const part = await fetch(sent.headers.get('location') ?? '', { headers: { range: 'bytes=5-14' } })
    expect(Buffer.from(await part.arrayBuffer()).equals(image.subarray(5, 15))).toBe(true)
    const head = await fetched({ method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000'])
    const etag = head.headers.get('etag') ?? ''
    expect((await fetched({ headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await fetched({ headers: { range: 'bytes=300000-' } })).status).toBe(416)
    await catalog.close()
  })

  it('is refused at the callback with other bytes than its provider promises, and dropped', async () => {
    const { leave, callBack, blobs, catalog } = await cataloged(sha256(image))
    const given = await leave()
    await put(given.upload_path, other)
    const answer = await callBack(given)
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(sha256(other))])
    expect(await idsOf(blobs)).toEqual([])
    await put(given.upload_path, image)
    expect((await callBack(given)).status).toBe(200)
    await catalog.close()
  })

  it('takes no other bytes once it is finalized, however long its address works', async () => {
    const { leave, callBack, release, fetched, blobs, clock, catalog } = await cataloged()
    const given = await leave()
    await put(given.upload_path, image)
    expect((await callBack(given)).status).toBe(200)
    await release()
    expect((await put(given.upload_path, other)).status).toBe(200)
    expect((await callBack(given)).body.checksum).toBe(sha256(image))
    const location = (await fetched()).headers.get('location') ?? ''
    expect(Buffer.from(await (await fetch(location)).arrayBuffer()).equals(image)).toBe(true)
    // What was sent there in vain goes when the upload does.
    expect(await idsOf(blobs)).toHaveLength(2)
    await clock.advance(26 * 3_600_000)
    await expect.poll(() => idsOf(blobs)).toHaveLength(1)
    await catalog.close()
  })

  it('becomes no image after the version is released, and leaves nothing behind', async () => {
    const { leave, callBack, release, blobs, clock, catalog } = await cataloged()
    const [first, late] = [await leave(), await leave()]
    await put(first.upload_path, image)
    expect((await callBack(first)).status).toBe(200)
    await release()
    await put(late.upload_path, other)
    expect((await callBack(late)).status).toBeGreaterThanOrEqual(400)
    await clock.advance(26 * 3_600_000)
    await expect.poll(() => idsOf(blobs)).toHaveLength(1)
    await catalog.close()
  })

  it('leaves no body open at a callback that is refused before a byte is read', async () => {
    const { leave, callBack, release, blobs, catalog } = await cataloged()
    const [first, late] = [await leave(), await leave()]
    await put(first.upload_path, image)
    expect((await callBack(first)).status).toBe(200)
    await release()
    await put(late.upload_path, other)
    const opened: ReadableStream<Uint8Array>[] = []
    const { get } = blobs
    blobs.get = async (...asked) => {
      const found = await get(...asked)
      if (found) opened.push(found.body)
      return found
    }
    expect((await callBack(late)).status).toBeGreaterThanOrEqual(400)
    expect(opened).toHaveLength(1)
    for (const body of opened) expect(await body.getReader().read()).toMatchObject({ done: true })
    await catalog.close()
  })

  it('becomes one image with two concurrent callbacks', async () => {
    const { leave, callBack, blobs, catalog } = await cataloged()
    const given = await leave()
    await put(given.upload_path, image)
    const both = await Promise.all([callBack(given), callBack(given)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await idsOf(blobs)).toHaveLength(1)
    await catalog.close()
  })

  it('counts a download where it begins', async () => {
    const { leave, callBack, release, fetched, downloads, catalog } = await cataloged()
    const given = await leave()
    await put(given.upload_path, image)
    await callBack(given)
    await release()
    await fetched()
    await fetched({ headers: { range: 'bytes=10-' } })
    await fetched({ method: 'HEAD' })
    expect(await downloads()).toBe(1)
    await catalog.close()
  })
})

describe('the archive of a module in a bucket', () => {
  it('is fetched from the bucket, byte for byte', async () => {
    const registry = createRegistry({ store: memoryStore(), blobs: await bucket() })
    const archive = tarGz({ path: 'main.tf', text: 'variable "a" {}\n' })
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    unwrap(
      await registry.publishArchive(vpc, { version: '1.0.0' }, new Blob([new Uint8Array(archive)]).stream()),
    )
    const path = '/v1/modules/acme/vpc/aws/1.0.0/archive'
    const sent = await ask(registry, `GET ${path}`)
    expect(sent.status).toBe(302)
    const got = await fetch(sent.headers.get('location') ?? '')
    expect(got.headers.get('content-type')).toBe('application/gzip')
    expect(Buffer.from(await got.arrayBuffer()).equals(archive)).toBe(true)
    const head = await ask(registry, `HEAD ${path}`)
    expect([head.status, head.headers.get('etag')]).toEqual([200, `"${sha256(archive)}"`])
    unwrap(await registry.removeVersion(vpc, '1.0.0'))
    expect((await read(await fetch(sent.headers.get('location') ?? ''))).status).toBe(404)
    await registry.close()
  })
})
