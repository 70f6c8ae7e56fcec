import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { serve } from '../../src/http/node/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { directoryBlobs } from '../../src/store/blobs/directory.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { type Blobs, type LocalStore, memoryBlobs, memoryStore, StoreError } from '../../src/store/index.ts'
import { path, waiting } from './waiting.ts'

describe('downloading an image', () => {
  const ready = async () => {
    const world = await waiting()
    await world.put(await world.standard(), '0123456789')
    const url = 'http://service.test/alice/boxes/tiny/versions/1.0.0/providers/qemu.box'
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

  it('is no part of what HEAD is answered', async () => {
    const { get } = await ready()
    for (const range of ['bytes=2-4', 'bytes=99-']) {
      const { status, headers } = await get({ range }, 'HEAD')
      expect([status, headers.get('content-length'), headers.get('content-range')]).toEqual([200, '10', null])
    }
  })

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s is outside of it: 416', async (range) => {
    const { get } = await ready()
    const answer = await get({ range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(await answer.json()).toEqual({
      errors: ['The image has 10 bytes: the range is outside of it'],
      success: false,
    })
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

  it.each<[string, Record<string, string>, number]>([
    ['the same bytes, by their tag', { 'if-match': 'TAG' }, 200],
    ['any bytes', { 'if-match': '*' }, 200],
    ['other bytes', { 'if-match': '"other"' }, 412],
    ['the same bytes, by a tag that promises less', { 'if-match': 'W/TAG' }, 412],
    ['bytes no newer than these', { 'if-unmodified-since': 'DATE' }, 200],
    ['older bytes', { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }, 412],
    ['what is newer than these', { 'if-modified-since': 'DATE' }, 304],
    ['what is newer than long ago', { 'if-modified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }, 200],
    ['what is newer than no date', { 'if-modified-since': 'yesterday', 'if-unmodified-since': 'x' }, 200],
    ['other bytes of any date', { 'if-none-match': '"other"', 'if-modified-since': 'DATE' }, 200],
    ['other bytes than the same, by a weak tag', { 'if-none-match': '"other", W/TAG' }, 304],
    ['the rest of other bytes', { 'if-match': '"other"', range: 'bytes=4-' }, 412],
  ])('that asks for %s is answered so', async (_, conditions, status) => {
    const { get, count } = await ready()
    const { headers: now } = await get({}, 'HEAD')
    const actual = (text: string) =>
      text.replace('TAG', now.get('etag') ?? '').replace('DATE', now.get('last-modified') ?? '')
    const headers = Object.fromEntries(Object.entries(conditions).map(([name, text]) => [name, actual(text)]))
    const answer = await get(headers)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('etag')).toBe(now.get('etag'))
    expect(await count()).toBe(status === 200 ? 1 : 0)
    expect((await get(headers, 'HEAD')).status).toBe(status)
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

  it('with a token is not for shared caches', async () => {
    const { get, token, catalog, alice } = await ready()
    expect((await get()).headers.get('cache-control')).toBeNull()
    await alice('PUT /api/v2/box/alice/tiny', { is_private: true })
    const image = '/alice/boxes/tiny/versions/1.0.0/providers/qemu.box'
    const asked: [string, Record<string, string>][] = [
      [image, { authorization: `Bearer ${token}` }],
      [image, { 'x-legacy-token': token }],
      [`${image}?access_token=${token}`, {}],
    ]
    for (const [path, headers] of asked) {
      const answer = await catalog.fetch(new Request(`http://service.test${path}`, { headers }))
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private'])
    }
  })

  it('is counted immediately for readers, and stored with the others of its second', async () => {
    const store = memoryStore()
    const { put, standard, image, alice, catalog, clock } = await waiting({}, { store })
    await put(await standard(), 'image')
    await alice('PUT /api/v2/box/alice/tiny/version/1.0.0/release')
    const before = await store.head()
    await Promise.all([image(), image(), image()])
    const { box } = unwrap(await catalog.readBox({ username: 'alice', name: 'tiny' }))
    await catalog.countDownload(box.id)
    for (const address of ['box/alice/tiny', 'search', 'user/alice']) {
      const { body } = await alice(`GET /api/v2/${address}`)
      expect((body.boxes?.[0] ?? body).downloads).toBe(4)
    }
    expect(await store.head()).toBe(before)
    await clock.advance(1000)
    expect(await store.head()).toBe(before + 1)
    expect((await alice('GET /api/v2/box/alice/tiny')).body.downloads).toBe(4)
  })

  it('is not lost when the catalog is closed, or its box deleted meanwhile', async () => {
    const store = memoryStore()
    const blobs = memoryBlobs(nodeHashing)
    const { put, standard, image, catalog, errors } = await waiting({}, { store, blobs })
    await put(await standard(), 'image')
    await image()
    await catalog.close()
    const again = createCatalog({ store, blobs, onError: (error) => errors.push(error) })
    const count = async () => unwrap(await again.readBox({ username: 'alice', name: 'tiny' })).downloads
    expect(await count()).toBe(1)
    const { box } = unwrap(await again.readBox({ username: 'alice', name: 'tiny' }))
    await again.countDownload(box.id)
    unwrap(await again.deleteBox({ username: 'alice', name: 'tiny' }))
    unwrap(await again.createBox({ username: 'alice', name: 'tiny' }))
    expect(await count()).toBe(0)
    await again.close()
    expect(errors).toEqual([])
  })

  it('succeeds even if it cannot be counted, and reports that', async () => {
    const store = memoryStore()
    let isFull = false
    const full: LocalStore = {
      ...store,
      commit: (batch) =>
        isFull ? Promise.reject(new StoreError('disk_full', 'no space')) : store.commit(batch),
    }
    const { put, standard, image, errors, alice, clock } = await waiting({}, { store: full })
    await put(await standard(), 'image')
    isFull = true
    expect(await image()).toBe('image')
    await clock.advance(1000)
    expect(errors).toEqual([expect.objectContaining({ code: 'disk_full' })])
    isFull = false
    await alice(`PUT ${path}`, { url: 'https://example.com/x.box' })
    isFull = true
    expect(await image()).toBe(302)
  })

  it('is of the image that takes the place of the one that was found', async () => {
    const kept = memoryBlobs(nodeHashing)
    let meanwhile: (() => Promise<unknown>) | undefined
    const blobs: Blobs = {
      ...kept,
      get: async (...asked) => {
        const act = meanwhile
        meanwhile = undefined
        await act?.()
        return kept.get(...asked)
      },
    }
    const { put, standard, image } = await waiting({}, { blobs })
    await put(await standard(), 'first')
    const next = await standard()
    meanwhile = () => put(next, 'second')
    expect(await image()).toBe('second')
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
  })
})
