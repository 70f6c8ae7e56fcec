import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type CatalogOptions, createCatalog } from '../../src/catalog/index.ts'
import { serve } from '../../src/http/node/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { directoryBlobs, nodeHashing } from '../../src/store/blobs/directory.ts'
import { type Blobs, memoryBlobs, memoryStore } from '../../src/store/index.ts'
import { digestOf, read, served } from './catalog.ts'

const path = '/api/v2/box/alice/tiny/version/1.0.0/provider/qemu/amd64'

/** A public box with a version and a provider that waits for its image. */
async function waiting(provider: object = {}, options: Partial<CatalogOptions> = {}) {
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
      new Request('http://catalog.test/alice/boxes/tiny/versions/1.0.0/providers/qemu/amd64/vagrant.box'),
    )
    return answer.status === 200 ? answer.text() : answer.status
  }
  return { ...world, blobs, put, direct, standard, finish, image }
}

const idsOf = async (blobs: Blobs) => {
  const ids: string[] = []
  for await (const id of blobs.list()) ids.push(id)
  return ids
}

describe('uploading an image', () => {
  it('through the service makes it the image at once', async () => {
    const { put, standard, image } = await waiting()
    expect(await image()).toBe(404)
    expect((await put(await standard(), 'bytes')).status).toBe(200)
    expect(await image()).toBe('bytes')
  })

  it('directly makes it the image with the callback, which may come twice', async () => {
    const { put, direct, finish, image, ask } = await waiting()
    const { upload_path, callback } = await direct()
    expect(new URL(callback).search).toBe('')
    expect((await finish(callback)).body.errors[0]).toMatch(/No bytes have been uploaded yet/)
    expect((await put(upload_path, 'bytes')).status).toBe(200)
    expect(await image()).toBe(404)
    expect((await ask(`PUT ${new URL(callback).pathname}`)).status).toBe(401)
    expect((await finish(callback)).status).toBe(200)
    expect((await finish(callback)).status).toBe(200)
    expect(await image()).toBe('bytes')
  })

  it('takes raw bytes whatever their type claims to be, in chunks without a length, with any token', async () => {
    const { put, standard, image } = await waiting()
    const chunks = new ReadableStream({
      start: (controller) => {
        for (const chunk of ['{"not":', ' json']) controller.enqueue(new TextEncoder().encode(chunk))
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json', authorization: 'Bearer stale' }
    expect((await put(await standard(), chunks, headers)).status).toBe(200)
    expect(await image()).toBe('{"not": json')
  })

  it('may be repeated: the last bytes count, and no others are kept', async () => {
    const { put, standard, direct, finish, image, blobs } = await waiting()
    const once = await standard()
    await put(once, 'first')
    await put(once, 'second')
    expect(await image()).toBe('second')
    const { upload_path, callback } = await direct()
    await put(upload_path, 'third')
    await put(upload_path, 'fourth')
    expect(await image()).toBe('second')
    await finish(callback)
    expect(await image()).toBe('fourth')
    expect(await idsOf(blobs)).toHaveLength(1)
  })

  it.each(['md5', 'sha1', 'sha256', 'sha384', 'sha512'])(
    'is refused when its %s is wrong, and kept when it is right',
    async (type) => {
      const checksum = digestOf(type, 'right').toUpperCase()
      const { put, standard, image, blobs } = await waiting({ checksum, checksum_type: type })
      const upload = await standard()
      const wrong = await put(upload, 'wrong')
      expect([wrong.status, wrong.body.success]).toEqual([422, false])
      expect(wrong.body.errors[0]).toContain(digestOf(type, 'wrong'))
      expect(await idsOf(blobs)).toEqual([])
      expect((await put(upload, 'right')).status).toBe(200)
      expect(await image()).toBe('right')
    },
  )

  it('is trusted where the catalog is told to, and refused where it is larger than it may be', async () => {
    const checksum = { checksum: digestOf('md5', 'right'), checksum_type: 'md5' }
    const trusting = await waiting(checksum, { verifyChecksums: false })
    expect((await trusting.put(await trusting.standard(), 'wrong')).status).toBe(200)
    expect(await trusting.image()).toBe('wrong')
    const small = await waiting({}, { maxImageBytes: 4 })
    expect((await small.put(await small.standard(), 'five!')).status).toBe(413)
    expect([await small.image(), await idsOf(small.blobs)]).toEqual([404, []])
  })

  it('is refused when it is empty, unknown or late', async () => {
    const { put, standard, clock, alice } = await waiting()
    const upload = await standard()
    expect((await put(upload, '')).body.errors[0]).toMatch(/is empty/)
    expect((await put('http://catalog.test/api/upload/guess', 'x')).status).toBe(404)
    await clock.advance(3600_000)
    const late = await put(upload, 'x')
    expect([late.status, late.body.errors[0]]).toEqual([404, expect.stringMatching(/expired/)])
    expect((await put(await standard(), 'x')).status).toBe(200)
    const gone = await standard()
    await alice('DELETE /api/v2/box/alice/tiny/version/1.0.0')
    expect((await put(gone, 'x')).status).toBe(404)
  })

  it('that breaks off changes nothing and keeps nothing', async () => {
    const { catalog, standard, image, blobs } = await waiting()
    const upload = await standard()
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('the line went dead')),
    })
    const request = new Request(upload, { method: 'PUT', body: broken, duplex: 'half' } as RequestInit)
    expect((await catalog.fetch(request)).status).toBe(422)
    expect(await image()).toBe(404)
    expect(await idsOf(blobs)).toEqual([])
  })

  it('survives renaming the version, the box and the provider meanwhile', async () => {
    const { put, standard, alice, catalog } = await waiting()
    const upload = await standard()
    await alice('PUT /api/v2/box/alice/tiny', { name: 'other' })
    await alice('PUT /api/v2/box/alice/other/version/1.0.0', { version: '2.0' })
    await alice('PUT /api/v2/box/alice/other/version/2.0/provider/qemu/amd64', {
      name: 'kvm',
      architecture: 'arm64',
    })
    expect((await put(upload, 'bytes')).status).toBe(200)
    const moved = 'http://catalog.test/alice/boxes/other/versions/2.0/providers/kvm/arm64/vagrant.box'
    expect(await (await catalog.fetch(new Request(moved))).text()).toBe('bytes')
  })

  it('leaves no bytes behind when its provider, version or box is deleted, or gets a url', async () => {
    for (const line of [
      `DELETE ${path}`,
      'DELETE /api/v2/box/alice/tiny/version/1.0.0',
      'DELETE /api/v1/box/alice/tiny',
    ]) {
      const { put, standard, alice, blobs } = await waiting()
      await put(await standard(), 'bytes')
      expect(await idsOf(blobs)).toHaveLength(1)
      expect((await alice(line)).status).toBe(200)
      expect(await idsOf(blobs)).toEqual([])
    }
    const { put, standard, alice, blobs, image } = await waiting()
    await put(await standard(), 'bytes')
    await alice(`PUT ${path}`, { url: 'https://example.com/x.box' })
    expect([await idsOf(blobs), await image()]).toEqual([[], 302])
  })

  it('that nobody finalized is swept with its bytes a day after it expired, and so are bytes nobody names', async () => {
    const { put, direct, clock, catalog, blobs, finish } = await waiting()
    const { upload_path, callback } = await direct()
    await put(upload_path, 'bytes')
    await blobs.put('left-by-a-crash', new Blob(['x']).stream())
    await clock.advance(47 * 3_600_000)
    expect(await idsOf(blobs)).toHaveLength(2)
    await clock.advance(2 * 3_600_000)
    expect(await idsOf(blobs)).toEqual(['left-by-a-crash'])
    expect((await finish(callback)).status).toBe(404)
    expect(await catalog.sweepBlobs()).toBe(1)
    expect(await idsOf(blobs)).toEqual([])
  })
})

describe('downloading an image', () => {
  const ready = async () => {
    const world = await waiting()
    await world.put(await world.standard(), '0123456789')
    const url = 'http://catalog.test/alice/boxes/tiny/versions/1.0.0/providers/qemu.box'
    const get = async (headers: Record<string, string> = {}, method = 'GET') =>
      world.catalog.fetch(new Request(url, { method, headers }))
    const count = async () =>
      unwrap(await world.catalog.readBox({ username: 'alice', name: 'tiny' })).downloads
    return { ...world, get, count }
  }

  it.each<[string, number, string, string | null]>([
    ['bytes=0-', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['Bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=0-0,2-3', 200, '0123456789', null],
    ['bytes=4-2', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
  ])('%s gives %i %s', async (range, status, text, contentRange) => {
    const { get } = await ready()
    const answer = await get({ range })
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ])
    expect(answer.headers.get('content-length')).toBe(String(text.length))
    expect(answer.headers.get('accept-ranges')).toBe('bytes')
  })

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s is outside of it: 416', async (range) => {
    const { get } = await ready()
    const answer = await get({ range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  })

  it('honours what the client has already', async () => {
    const { get } = await ready()
    const whole = await get()
    const etag = whole.headers.get('etag') ?? ''
    const date = whole.headers.get('last-modified') ?? ''
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
    expect((await get({ 'if-range': etag, range: 'bytes=1-1' })).status).toBe(206)
    expect((await get({ 'if-range': date, range: 'bytes=1-1' })).status).toBe(206)
    expect((await get({ 'if-range': '"other"', range: 'bytes=1-1' })).status).toBe(200)
  })

  it('counts fetches from the first byte, neither looks at the headers nor the rest of a download', async () => {
    const { get, count } = await ready()
    const head = await get({}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
    await get({ range: 'bytes=5-' })
    await get({ range: 'bytes=10-' })
    expect(await count()).toBe(0)
    await get()
    await get({ range: 'bytes=0-3' })
    expect(await count()).toBe(2)
  })

  it('sends the caller to images hosted elsewhere, and counts', async () => {
    const { alice, get, count } = await ready()
    await alice(`PUT ${path}`, { url: 'https://example.com/x.box' })
    const answer = await get()
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://example.com/x.box'])
    expect(await count()).toBe(1)
  })

  it('spells where images are in a way that headers can hold', async () => {
    const { alice, get } = await ready()
    const url = 'https://example.com/箱 1.box'
    expect((await alice(`PUT ${path}`, { url })).body.original_url).toBe(url)
    expect((await get()).headers.get('location')).toBe('https://example.com/%E7%AE%B1%201.box')
  })
})

describe('over a socket, into a directory', () => {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })

  it('a large image passes through without filling the memory, asked for first as curl asks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-upload-'))
    folders.push(folder)
    const catalog = createCatalog({ store: memoryStore(), blobs: await directoryBlobs(folder) })
    unwrap(await catalog.putUser({ username: 'alice' }))
    const box = { username: 'alice', name: 'tiny' }
    const version = { ...box, version: '1' }
    unwrap(await catalog.createBox({ ...box, private: false }))
    unwrap(await catalog.createVersion(box, { version: '1' }))
    unwrap(await catalog.createProvider(version, { name: 'qemu' }))
    const { secret } = unwrap(await catalog.requestUpload(version, { name: 'qemu' }, 'standard'))
    const listening = await serve({ fetch: catalog.fetch })

    const chunk = Buffer.alloc(1024 * 1024, 7)
    const chunks = 256
    global.gc?.()
    const before = process.memoryUsage().rss
    let highest = before
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss)
    }, 20)
    const status = await new Promise<number>((resolve, reject) => {
      const sending = httpRequest(`${listening.url}/api/upload/${secret}`, {
        method: 'PUT',
        headers: { 'content-length': chunks * chunk.length, expect: '100-continue' },
      })
      sending.on('response', (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      sending.on('error', reject)
      sending.on('continue', async () => {
        for (let sent = 0; sent < chunks; sent += 1)
          if (!sending.write(chunk)) await new Promise((drained) => sending.once('drain', drained))
        sending.end()
      })
    })
    expect(status).toBe(200)

    let received = 0
    const download = await fetch(`${listening.url}/alice/boxes/tiny/versions/1/providers/qemu.box`)
    for await (const part of download.body ?? []) received += part.byteLength
    clearInterval(watch)
    expect(received).toBe(chunks * chunk.length)
    // A quarter of what went through, twice: buffers of the platform, not the image.
    expect(highest - before).toBeLessThan(128 * 1024 * 1024)
    await listening.close({ drainMs: 0 })
    await catalog.close()
  }, 60_000)
})
