import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { type Blobs, memoryBlobs } from '../../src/store/index.ts'
import { ownedBlobIds } from '../store/blobs/owned-blob-ids.ts'
import { digestOf } from './catalog.ts'
import { path, waiting } from './waiting.ts'

const idsOf = async (blobs: Blobs) => {
  const ids: string[] = []
  for await (const id of ownedBlobIds(blobs)) ids.push(id)
  return ids
}

describe('uploading an image', () => {
  it('through the service becomes the image immediately', async () => {
    const { put, standard, image } = await waiting()
    expect(await image()).toBe(404)
    expect((await put(await standard(), 'bytes')).status).toBe(200)
    expect(await image()).toBe('bytes')
  })

  it('needs no configuration of blobs while everything is in memory', async () => {
    await using catalog = createCatalog()
    const version = { username: 'alice', name: 'tiny', version: '1.0' }
    unwrap(await catalog.putUser({ username: 'alice' }))
    unwrap(await catalog.createBox(version))
    unwrap(await catalog.createVersion(version, version))
    unwrap(await catalog.createProvider(version, { name: 'qemu' }))
    const { secret } = unwrap(await catalog.requestUpload(version, { name: 'qemu' }, 'standard'))
    unwrap(await catalog.receiveUpload(secret, new Blob(['bytes']).stream()))
    const { image } = unwrap(await catalog.findImage(version, { name: 'qemu' }))
    expect(image.kind === 'hosted' && (await new Response(await image.open()).text())).toBe('bytes')
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

  it('takes raw bytes with any Content-Type, in chunks without a length, with any token', async () => {
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

  it('is trusted if the catalog is configured to, and refused if it is too large', async () => {
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
    expect((await put('http://service.test/api/upload/guess', 'x')).status).toBe(404)
    await clock.advance(3600_000)
    const late = await put(upload, 'x')
    expect([late.status, late.body.errors[0]]).toEqual([404, expect.stringMatching(/expired/)])
    expect((await put(await standard(), 'x')).status).toBe(200)
    const gone = await standard()
    await alice('DELETE /api/v2/box/alice/tiny/version/1.0.0')
    expect((await put(gone, 'x')).status).toBe(404)
  })

  it('is refused when it is only the rest of an interrupted upload', async () => {
    const { put, standard, image } = await waiting()
    const upload = await standard()
    await put(upload, 'whole')
    const rest = await put(upload, 'le', { 'content-range': 'bytes 3-4/5' })
    expect([rest.status, rest.body.errors[0]]).toEqual([422, expect.stringMatching(/^Only whole images/)])
    expect(await image()).toBe('whole')
  })

  it('that is interrupted changes nothing and keeps nothing', async () => {
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

  /** Sends an upload; its end waits for `finish`. */
  const slowly = async (put: Awaited<ReturnType<typeof waiting>>['put'], url: string) => {
    const body = new TransformStream<Uint8Array, Uint8Array>({}, undefined, { highWaterMark: 0 })
    const writer = body.writable.getWriter()
    const answer = put(url, body.readable)
    await writer.ready
    return async (bytes: string) => {
      await writer.write(new TextEncoder().encode(bytes))
      await writer.close()
      return answer
    }
  }

  it('is refused, and keeps nothing, when its token is revoked meanwhile', async () => {
    const { put, direct, alice, blobs } = await waiting()
    const [{ id }] = (await alice('GET /plinth/v1/tokens')).body.tokens
    const finish = await slowly(put, (await direct()).upload_path)
    expect((await alice(`DELETE /plinth/v1/tokens/${id}`)).status).toBe(204)
    expect((await finish('bytes')).status).toBe(404)
    expect(await idsOf(blobs)).toEqual([])
  })

  const version = '/api/v2/box/alice/tiny/version/1.0.0'
  const link = { name: 'kvm', url: 'https://elsewhere.example/x.box' }

  it.each([['release'], ['release', 'revoke']])(
    'goes on to its end when the %s of its version happens meanwhile, if it replaces no image',
    async (...verbs) => {
      const { put, direct, standard, finish, alice, image } = await waiting()
      await alice(`POST ${version}/providers`, link)
      const { upload_path, callback } = await direct()
      const [rest, other] = [await slowly(put, upload_path), await slowly(put, await standard())]
      for (const verb of verbs) expect((await alice(`PUT ${version}/${verb}`)).status).toBe(200)
      expect((await rest('direct')).status).toBe(200)
      expect((await finish(callback)).status).toBe(200)
      expect(await image()).toBe('direct')
      // The answer of the callback may have been lost.
      expect((await finish(callback)).status).toBe(200)
      // By now there is an image.
      const refused = await other('standard')
      expect([refused.status, refused.body.errors[0]]).toEqual([
        422,
        expect.stringMatching(verbs.includes('revoke') ? /was revoked/ : /was released .* has an image/),
      ])
      expect(await image()).toBe('direct')
    },
  )

  it.each(['release', 'revoke'])(
    'is refused with the reason after the %s of its version, if it would replace an image',
    async (verb) => {
      const { put, direct, standard, finish, alice, image, blobs } = await waiting()
      await put(await standard(), 'first')
      if (verb === 'revoke') await alice(`PUT ${version}/release`)
      const { upload_path, callback } = await direct()
      const rest = await slowly(put, await standard())
      await put(upload_path, 'second')
      await alice(`PUT ${version}/${verb}`)
      const reason = verb === 'revoke' ? /was revoked/ : /was released .* request the upload endpoint again/
      for (const { status, body } of [
        await rest('third'),
        await finish(callback),
        await put(upload_path, 'x'),
      ])
        expect([status, body.errors[0]]).toEqual([422, expect.stringMatching(reason)])
      expect(await image()).toBe('first')
      const again = await alice(`GET ${path}/upload`)
      expect(again.status).toBe(verb === 'revoke' ? 422 : 200)
      expect(verb === 'revoke' || (await put(again.body.upload_path, 'third')).status === 200).toBe(true)
      expect(await idsOf(blobs)).toHaveLength(1)
    },
  )

  it('takes the same bytes again after the release, and no others', async () => {
    const { put, standard, alice, image } = await waiting()
    const upload = await standard()
    await put(upload, 'bytes')
    await alice(`PUT ${version}/release`)
    expect((await put(upload, 'bytes')).status).toBe(200)
    expect((await put(upload, 'other')).status).toBe(422)
    expect(await image()).toBe('bytes')
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
    const moved = 'http://service.test/alice/boxes/other/versions/2.0/providers/kvm/arm64/vagrant.box'
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

  it('leaves bytes that cannot be deleted now to a sweep a day later, and says so', async () => {
    const blobs = memoryBlobs(nodeHashing)
    let broken = false
    const remove: Blobs['delete'] = async (id) => {
      if (broken) throw new Error('the disk is read-only')
      return blobs.delete(id)
    }
    const { put, standard, alice, clock, errors } = await waiting({}, { blobs: { ...blobs, delete: remove } })
    await put(await standard(), 'bytes')
    broken = true
    expect((await alice('DELETE /api/v2/box/alice/tiny')).status).toBe(200)
    await clock.advance(25 * 3_600_000)
    expect(errors.map(String)).toEqual(['Error: the disk is read-only', 'Error: the disk is read-only'])
    expect(await idsOf(blobs)).toHaveLength(1)
    broken = false
    await clock.advance(25 * 3_600_000)
    expect(await idsOf(blobs)).toEqual([])
  })

  it('that was not finalized is swept with its bytes a day after it expired, and so are unreferenced bytes', async () => {
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
