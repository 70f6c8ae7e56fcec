import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Catalog, createCatalog } from '../../src/catalog/index.ts'
import { type Listening, serve } from '../../src/http/node/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { directoryBlobs } from '../../src/store/blobs/directory.ts'
import { memoryStore } from '../../src/store/index.ts'
import { needing, vagrant } from '../programs.ts'
import { vagrantHome } from './vagrant-fixture.ts'

/**
 * Drives the real client (Debian's `vagrant`) against a served catalog. It needs no hypervisor: the boxes are
 * handmade, and only commands that move boxes about are run. The tests go on from one another, like a day at work.
 */
describe(...needing('the real vagrant client', vagrant), () => {
  let catalog: Catalog
  let listening: Listening
  let client: Awaited<ReturnType<typeof vagrantHome>>
  let token: string
  let blobs: string

  beforeAll(async () => {
    blobs = mkdtempSync(join(tmpdir(), 'plinth-blobs-'))
    catalog = createCatalog({ store: memoryStore(), blobs: await directoryBlobs(blobs) })
    unwrap(await catalog.putUser({ username: 'alice', password: 'correct horse' }))
    unwrap(await catalog.putUser({ username: 'bob', password: 'battery staple' }))
    token = unwrap(await catalog.createToken('alice')).token
    listening = await serve({ fetch: catalog.fetch })
    client = await vagrantHome(listening.url)
  })
  afterAll(async () => {
    client.remove()
    await listening.close({ drainMs: 0 })
    await catalog.close()
    rmSync(blobs, { recursive: true, force: true })
  })

  const current = async () =>
    unwrap(await catalog.readBox({ username: 'alice', name: 'tiny' })).current?.number

  it('logs in with a token and reads its user', async () => {
    const login = await client.vagrant(undefined, 'cloud', 'auth', 'login', '--token', token)
    expect(login).toMatchObject({ code: 0 })
    const who = await client.vagrant(token, 'cloud', 'auth', 'whoami')
    expect(who.out).toContain('Currently logged in as alice')
    const wrong = await client.vagrant('nonsense', 'cloud', 'auth', 'whoami')
    expect(wrong.code).not.toBe(0)
    expect(await client.vagrant(undefined, 'cloud', 'auth', 'logout')).toMatchObject({ code: 0 })
  })

  it('publishes a box in one command, with a direct upload and a checksum', async () => {
    const box = await client.makeBox('one.box', 'virtualbox')
    const published = await client.vagrant(
      token,
      ...['cloud', 'publish', '--force', '--release', '--no-private', 'alice/tiny', '1.0.0', 'virtualbox'],
      ...[box.path, '--checksum', box.sha256, '--checksum-type', 'sha256'],
      ...['--short-description', 'A very tiny box', '--version-description', 'The *first* one'],
    )
    expect(published).toMatchObject({
      code: 0,
      out: expect.stringContaining('Complete! Published alice/tiny'),
    })
    expect(await current()).toBe('1.0.0')
  })

  it('shows and finds the box', async () => {
    const shown = await client.vagrant(token, 'cloud', 'box', 'show', 'alice/tiny')
    expect(shown.out).toMatch(/Box:\s+alice\/tiny/)
    expect(shown.out).toMatch(/Current Version:\s+1\.0\.0/)
    const found = await client.vagrant(token, 'cloud', 'search', 'tiny', '--json')
    expect(found.code).toBe(0)
    expect(JSON.parse(found.out.slice(found.out.indexOf('[')))).toEqual([
      { name: 'alice/tiny', version: '1.0.0', downloads: '0', providers: 'virtualbox' },
    ])
    expect((await client.vagrant(undefined, 'cloud', 'search', 'nothing-like-it')).out).toContain(
      'No results',
    )
  })

  it('adds the box, checksum verified, and says that it is up to date', async () => {
    const added = await client.vagrant(undefined, 'box', 'add', 'alice/tiny', '--provider', 'virtualbox')
    expect(added).toMatchObject({ code: 0 })
    expect(added.out).toContain("Successfully added box 'alice/tiny' (v1.0.0) for 'virtualbox'!")
    const list = await client.vagrant(undefined, 'box', 'list')
    expect(list.out).toContain('alice/tiny (virtualbox, 1.0.0)')
    const outdated = await client.vagrant(undefined, 'box', 'outdated', '--global')
    expect(outdated.out).toContain("'alice/tiny' for 'virtualbox' (v1.0.0) is up to date")
    expect(unwrap(await catalog.readBox({ username: 'alice', name: 'tiny' })).downloads).toBe(1)
  })

  it('builds a second version step by step, uploading through the service', async () => {
    const box = await client.makeBox('two.box', 'virtualbox')
    const at = ['alice/tiny', '1.10.0'] as const
    const steps = [
      ['version', 'create', ...at, '--description', 'The second one'],
      ['provider', 'create', 'alice/tiny', 'virtualbox', '1.10.0'],
      ['provider', 'upload', '--no-direct', 'alice/tiny', 'virtualbox', '1.10.0', box.path],
      ['version', 'update', ...at, '--description', 'Better words'],
      ['version', 'release', '--force', ...at],
    ]
    for (const step of steps)
      expect(await client.vagrant(token, 'cloud', ...step), step.join(' ')).toMatchObject({ code: 0 })
    expect(await current()).toBe('1.10.0')
  })

  it('learns of the newer version and updates to it', async () => {
    const outdated = await client.vagrant(undefined, 'box', 'outdated', '--global')
    expect(outdated.out).toContain(
      "'alice/tiny' for 'virtualbox' is outdated! Current: 1.0.0. Latest: 1.10.0",
    )
    const updated = await client.vagrant(undefined, 'box', 'update', '--box', 'alice/tiny')
    expect(updated.out).toContain("Successfully added box 'alice/tiny' (v1.10.0) for 'virtualbox'!")
  })

  it('is told what is wrong in the words scripts look for', async () => {
    const taken = await client.vagrant(token, 'cloud', 'box', 'create', 'alice/tiny')
    expect(taken).toMatchObject({
      code: 1,
      out: expect.stringContaining('Box with name tiny already exists'),
    })
    const badNumber = await client.vagrant(token, 'cloud', 'version', 'create', 'alice/tiny', 'v3')
    expect(badNumber).toMatchObject({ code: 1, out: expect.stringContaining('is invalid') })
    const duplicate = await client.vagrant(token, 'cloud', 'version', 'create', 'alice/tiny', '1.10')
    expect(duplicate).toMatchObject({
      code: 1,
      out: expect.stringContaining('Version has already been taken'),
    })
  })

  it('revokes a version, which no client can add any more', async () => {
    const revoked = await client.vagrant(
      token,
      'cloud',
      'version',
      'revoke',
      '--force',
      'alice/tiny',
      '1.10.0',
    )
    expect(revoked).toMatchObject({ code: 0 })
    expect(await current()).toBe('1.0.0')
    const again = await client.vagrant(
      undefined,
      ...['box', 'add', 'alice/tiny', '--force', '--provider', 'virtualbox', '--box-version', '1.10.0'],
    )
    expect(again.code).toBe(1)
  })

  it('hides a private box from anonymous callers and serves it to its owner', async () => {
    const box = await client.makeBox('secret.box', 'qemu')
    const published = await client.vagrant(
      token,
      ...['cloud', 'publish', '--force', '--release', '--private', 'alice/secret', '0.1.0', 'qemu', box.path],
    )
    expect(published.code).toBe(0)
    const refused = await client.vagrant(undefined, 'box', 'add', 'alice/secret', '--provider', 'qemu')
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('could not be found or') })
    const mine = await client.vagrant(token, 'box', 'add', 'alice/secret', '--provider', 'qemu')
    expect(mine.out).toContain("Successfully added box 'alice/secret' (v0.1.0) for 'qemu'!")
  })

  it('changes and deletes providers, versions and boxes', async () => {
    const steps = [
      ['provider', 'create', 'alice/tiny', 'libvirt', '1.0.0', 'http://example.com/tiny.box'],
      ['provider', 'update', 'alice/tiny', 'libvirt', '1.0.0', 'http://example.com/other.box'],
      ['provider', 'delete', '--force', 'alice/tiny', 'libvirt', '1.0.0'],
      ['version', 'delete', '--force', 'alice/tiny', '1.10.0'],
      ['box', 'update', 'alice/tiny', '--short-description', 'Tinier still'],
      ['box', 'delete', '--force', 'alice/secret'],
    ]
    for (const step of steps)
      expect(await client.vagrant(token, 'cloud', ...step), step.join(' ')).toMatchObject({ code: 0 })
    const { box, versions } = unwrap(await catalog.readBox({ username: 'alice', name: 'tiny' }))
    expect(box.shortDescription).toBe('Tinier still')
    expect(versions.map(({ number, providers }) => [number, providers.length])).toEqual([['1.0.0', 1]])
  })

  it('logs in with a password, at a terminal', async () => {
    const login = await client.atTerminal('correct horse', 'cloud', 'auth', 'login', '--username', 'alice')
    expect(login).toMatchObject({ code: 0, out: expect.stringContaining('You are now logged in') })
    const who = await client.vagrant(undefined, 'cloud', 'auth', 'whoami')
    expect(who.out).toContain('Currently logged in as alice')
    expect(await client.vagrant(undefined, 'cloud', 'auth', 'login', '--check')).toMatchObject({ code: 0 })
    expect(await client.vagrant(undefined, 'cloud', 'auth', 'logout')).toMatchObject({ code: 0 })
  })

  it('republishes a changed image with its checksum, and publishes one that is elsewhere', async () => {
    const publish = [
      'cloud',
      'publish',
      '--force',
      '--release',
      '--no-private',
      'alice/again',
      '1.0.0',
    ] as const
    const [first, second] = [await client.makeBox('a.box', 'qemu'), await client.makeBox('b.box', 'qemu')]
    for (const { path, sha256 } of [first, second])
      expect(
        await client.vagrant(
          token,
          ...publish,
          'qemu',
          path,
          '--checksum',
          sha256,
          '--checksum-type',
          'sha256',
        ),
      ).toMatchObject({ code: 0 })
    const url = `${listening.url}/alice/boxes/again/versions/1.0.0/providers/qemu.box`
    expect((await client.vagrant(token, ...publish, 'libvirt', '--url', url)).code).toBe(0)
    expect((await client.vagrant(undefined, 'box', 'add', 'alice/again', '--provider', 'qemu')).code).toBe(0)
    const wrong = ['--checksum', first.sha256, '--checksum-type', 'sha256']
    expect((await client.vagrant(token, ...publish, 'hyperv', second.path, ...wrong)).code).toBe(1)
  })

  it('searches by provider, order and page, in every format', async () => {
    const search = async (...options: string[]) =>
      (await client.vagrant(token, 'cloud', 'search', 'alice', ...options)).out.trim()
    expect(await search('--short', '--provider', 'libvirt')).toBe('alice/again')
    expect(await search('--short', '--sort-by', 'created', '--order', 'asc')).toBe('alice/tiny\nalice/again')
    expect(
      await search('--short', '--sort-by', 'created', '--order', 'asc', '--limit', '1', '--page', '2'),
    ).toBe('alice/again')
    expect(await search('--no-auth')).toMatch(/alice\/again\s+\| 1\.0\.0/)
  })

  it('adds boxes by constraint, address and file, and removes them', async () => {
    const image = `${listening.url}/alice/boxes/tiny/versions/1.0.0/providers/virtualbox.box`
    const steps = [
      ['add', 'alice/tiny', '--provider', 'virtualbox', '--box-version', '~> 1.0', '--force', '--clean'],
      ['add', `${listening.url}/alice/again`, '--provider', 'qemu', '--force', '--location-trusted'],
      ['add', image, '--name', 'direct'],
      ['prune', '--force', '--keep-active-boxes', '--name', 'alice/tiny'],
      ['repackage', 'direct', 'virtualbox', '0'],
      ['remove', 'direct', '--force'],
      ['remove', 'alice/again', '--all', '--force', '--provider', 'qemu'],
    ]
    for (const step of steps)
      expect(await client.vagrant(undefined, 'box', ...step), step.join(' ')).toMatchObject({ code: 0 })
    const constraint = ['--provider', 'virtualbox', '--box-version', '> 9', '--force']
    expect((await client.vagrant(undefined, 'box', 'add', 'alice/tiny', ...constraint)).code).toBe(1)
  })
})
