import { describe, expect, it } from 'vitest'
import { type CatalogOptions, createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs, memoryStore } from '../../src/store/index.ts'
import { asking, elsewhere, served } from './catalog.ts'

/** alice has a box, and may make only so much. */
async function bounded(limits: CatalogOptions['limits']) {
  const world = await served({ limits })
  await world.alice('POST /api/v2/boxes', { name: 'tiny', is_private: false })
  const version = (number: string, length = 0) =>
    world.alice('POST /api/v2/box/alice/tiny/versions', {
      version: number,
      description: 'a'.repeat(length),
    })
  const provider = (name: string, length = 0) =>
    world.alice('POST /api/v2/box/alice/tiny/version/1.0/providers', {
      name,
      architecture: 'amd64',
      url: `https://example.com/${'a'.repeat(length)}`,
    })
  return { ...world, version, provider }
}

describe('an owner', () => {
  it('has a maximum number of boxes, however they are created', async () => {
    const { alice } = await bounded({ boxesPerOwner: 3 })
    const made = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => alice('POST /api/v1/boxes', { name })),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422, 422])
    expect(made.find(({ status }) => status === 422)?.body).toEqual({
      errors: [
        'alice has 3 boxes, and may have 3: delete what is no longer needed, or ask an administrator to raise the quota',
      ],
      success: false,
    })
    await alice('DELETE /api/v2/box/alice/tiny')
    expect((await alice('POST /api/v2/boxes', { name: 'tiny' })).status).toBe(200)
    expect((await alice('POST /api/v2/boxes', { name: 'more' })).status).toBe(422)
  })

  it('has the same limit as the others, counted separately', async () => {
    const { alice, catalog } = await bounded({ boxesPerOwner: 1 })
    expect((await alice('POST /api/v2/boxes', { name: 'more' })).status).toBe(422)
    unwrap(await catalog.putUser({ username: 'alicent' }))
    const other = asking(catalog, unwrap(await catalog.createToken('alicent')).token)
    expect((await other('POST /api/v2/boxes', { name: 'tiny' })).status).toBe(200)
  })

  it('is told of the name before the number', async () => {
    const { alice } = await bounded({ boxesPerOwner: 1 })
    expect((await alice('POST /api/v2/boxes', { name: 'Tiny' })).body.errors).toEqual([
      'Type has already been taken',
    ])
  })
})

describe('a version', () => {
  it('is so large at most, with its providers', async () => {
    const { alice, version, provider } = await bounded({ charactersPerVersion: 2000 })
    expect((await version('2.0', 2000)).body.errors[0]).toMatch(
      /^Version 2\.0 is too large: with its providers it would have 2\d{3} characters of JSON, and the maximum is 2000$/,
    )
    expect((await version('1.0', 1000)).status).toBe(200)
    expect((await provider('qemu')).status).toBe(200)
    expect((await provider('other', 1000)).status).toBe(422)
    const at = '/api/v2/box/alice/tiny/version/1.0'
    const url = `https://example.com/${'a'.repeat(1000)}`
    expect((await alice(`PUT ${at}/provider/qemu/amd64`, { url })).status).toBe(422)
    expect((await alice(`PUT ${at}`, { description: 'a'.repeat(1900) })).status).toBe(422)
    expect((await alice(`PUT ${at}`, { description: 'short' })).status).toBe(200)
    expect((await alice(`PUT ${at}/provider/qemu/amd64`, { url })).status).toBe(200)
    for (const verb of ['release', 'revoke']) expect((await alice(`PUT ${at}/${verb}`)).status).toBe(200)
  })
})

describe('a box', () => {
  it('has a maximum size with all its versions, however they are created', async () => {
    const { alice, version } = await bounded({ charactersPerBox: 4000 })
    const made = await Promise.all([1, 2, 3, 4, 5].map((number) => version(`${number}.0`, 1000)))
    expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422, 422])
    expect(made.find(({ status }) => status === 422)?.body.errors[0]).toMatch(
      /^Box is too large: its versions would have \d{4} characters of JSON, and the maximum is 4000: delete old ones first$/,
    )
    const [first] = (await alice('GET /api/v2/box/alice/tiny')).body.versions
    await alice(`DELETE /api/v2/box/alice/tiny/version/${first.number}`)
    expect((await version('6.0', 1000)).status).toBe(200)
    expect((await version('7.0', 1000)).status).toBe(422)
  })

  it('is measured across processes', async () => {
    const store = memoryStore()
    const blobs = memoryBlobs(nodeHashing)
    const limits = { charactersPerBox: 4000 }
    const two = [store, elsewhere(store)].map((each) => createCatalog({ store: each, blobs, limits }))
    const [one] = two
    const box = { username: 'alice', name: 'tiny' }
    await one?.putUser({ username: 'alice' })
    await one?.createBox(box)
    const made = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) =>
        two[number % 2]?.createVersion(box, { version: `${number}`, description: 'a'.repeat(1000) }),
      ),
    )
    expect(made.filter((answer) => answer?.ok)).toHaveLength(3)
    await Promise.all(two.map((each) => each.close()))
  })

  it('that was loaded larger stays unchanged, and can be made smaller', async () => {
    const { catalog } = await served({ limits: { charactersPerBox: 1000, charactersPerVersion: 500 } })
    const description = 'a'.repeat(900)
    const loaded = {
      tag: 'bob/big',
      versions: [
        { version: '1.0', description },
        { version: '2.0', description },
      ],
    }
    unwrap(await catalog.load({ boxes: [loaded] }))
    const version = { username: 'bob', name: 'big', version: '1.0' }
    expect(await catalog.createVersion(version, { version: '3.0' })).toMatchObject({
      refusal: { code: 'box_too_large' },
    })
    expect(await catalog.updateVersion(version, { description: 'b'.repeat(900) })).toMatchObject({ ok: true })
    expect(await catalog.updateVersion(version, { description: `${description}b` })).toMatchObject({
      refusal: { code: 'version_too_large' },
    })
    expect(await catalog.updateVersion(version, { description: 'b' })).toMatchObject({ ok: true })
  })
})

it.each([
  [{ boxesPerOwner: 0 }, 'limits.boxesPerOwner is 0: pass a number of boxes, 1 or more'],
  [{ charactersPerBox: -1 }, 'limits.charactersPerBox is -1: pass a number of characters, 1 or more'],
])('limits of %j are a mistake of the program', (limits, message) => {
  expect(() => createCatalog({ limits })).toThrow(message)
})
