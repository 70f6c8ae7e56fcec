import { describe, expect, it } from 'vitest'
import { ownedBlobIds } from '../store/blobs/owned-blob-ids.ts'
import { digestOf } from './catalog.ts'
import { path, waiting } from './waiting.ts'

const sha256 = (bytes: string) => ({ checksum: digestOf('sha256', bytes), checksum_type: 'sha256' })

/** A released version with the image `old`, which declares its checksum. */
async function published() {
  const world = await waiting(sha256('old'))
  const { put, standard, alice } = world
  await put(await standard(), 'old')
  await alice('PUT /api/v2/box/alice/tiny/version/1.0.0/release')
  /** The image and its checksum, as clients see them. */
  const offered = async () => {
    const [{ providers }] = (await alice('GET /alice/tiny')).body.versions
    const { checksum } = (await alice(`GET ${path}`)).body
    expect(providers).toMatchObject([{ checksum }])
    return [await world.image(), checksum]
  }
  return { ...world, offered }
}
const old = ['old', digestOf('sha256', 'old')]

describe('republishing an image of a released version', () => {
  it('announces it by its checksum; until its bytes have arrived, the old image and its checksum are served', async () => {
    const { put, direct, finish, alice, offered } = await published()
    expect((await alice(`PUT ${path}`, sha256('new'))).status).toBe(200)
    expect(await offered()).toEqual(old)
    const { upload_path, callback } = await direct()
    await put(upload_path, 'new')
    expect(await offered()).toEqual(old)
    expect((await finish(callback)).body).toMatchObject(sha256('new'))
    expect(await offered()).toEqual(['new', digestOf('sha256', 'new')])
  })

  it('works through version 1, and with a checksum of another type', async () => {
    const { put, alice, offered } = await published()
    const v1 = '/api/v1/box/alice/tiny/version/1.0.0/provider/qemu'
    const md5 = { checksum: digestOf('md5', 'new'), checksum_type: 'md5' }
    await alice(`PUT ${v1}`, { provider: { ...md5, url: null } })
    expect(await offered()).toEqual(old)
    const { upload_path } = (await alice(`GET ${v1}/upload`)).body
    expect((await put(upload_path, 'new')).status).toBe(200)
    expect(await offered()).toEqual(['new', md5.checksum])
  })

  it.each(['standard', 'direct'] as const)(
    'refuses and drops other bytes of a %s upload than the announced ones, and takes these afterwards',
    async (mode) => {
      const { put, direct, standard, finish, alice, offered, blobs } = await published()
      await alice(`PUT ${path}`, sha256('new'))
      const asked =
        mode === 'direct' ? await direct() : { upload_path: await standard(), callback: undefined }
      const send = async (bytes: string) => {
        const sent = await put(asked.upload_path, bytes)
        const kept: string[] = []
        for await (const id of ownedBlobIds(blobs)) kept.push(id)
        expect(kept).toHaveLength(mode === 'direct' && bytes === 'new' ? 2 : 1)
        return asked.callback === undefined ? sent : finish(asked.callback)
      }
      for (const bytes of ['wrong', 'old']) {
        const refused = await send(bytes)
        expect([refused.status, refused.body.errors[0]]).toEqual([
          422,
          expect.stringContaining(digestOf('sha256', bytes)),
        ])
        expect(await offered()).toEqual(old)
      }
      expect((await send('new')).status).toBe(200)
      expect(await offered()).toEqual(['new', digestOf('sha256', 'new')])
    },
  )

  it('is withdrawn with the checksum of the old image', async () => {
    const { put, standard, alice, offered } = await published()
    await alice(`PUT ${path}`, sha256('new'))
    await alice(`PUT ${path}`, sha256('old'))
    expect((await put(await standard(), 'new')).status).toBe(422)
    expect((await put(await standard(), 'old')).status).toBe(200)
    expect(await offered()).toEqual(old)
  })

  it('takes any bytes once the checksum is cleared', async () => {
    const { put, standard, alice, offered } = await published()
    await alice(`PUT ${path}`, sha256('new'))
    await alice(`PUT ${path}`, { checksum: '', checksum_type: '' })
    expect((await put(await standard(), 'other')).status).toBe(200)
    expect(await offered()).toEqual(['other', digestOf('sha256', 'other')])
  })

  it('checks bytes that are on their way by what was announced meanwhile', async () => {
    const { put, direct, finish, alice, offered } = await published()
    const { upload_path, callback } = await direct()
    await put(upload_path, 'old')
    await alice(`PUT ${path}`, sha256('new'))
    expect((await finish(callback)).status).toBe(422)
    expect((await put(upload_path, 'new')).status).toBe(200)
    expect((await finish(callback)).status).toBe(200)
    expect(await offered()).toEqual(['new', digestOf('sha256', 'new')])
  })

  it('is refused for a revoked version, whose checksum can still be written again', async () => {
    const { alice } = await published()
    await alice('PUT /api/v2/box/alice/tiny/version/1.0.0/revoke')
    const refused = await alice(`PUT ${path}`, sha256('new'))
    expect([refused.status, refused.body.errors[0]]).toEqual([422, expect.stringContaining('was revoked')])
    expect((await alice(`PUT ${path}`, sha256('old'))).status).toBe(200)
  })
})
