import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Catalog, createCatalog } from '../../src/catalog/index.ts'
import { type Listening, serve } from '../../src/http/node/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { needing, packer } from '../programs.ts'
import { vagrantHome } from './vagrant-fixture.ts'

const run = promisify(execFile)

/**
 * Drives the real Packer (Debian's, whose post-processor takes 200 only) against a served catalog. It builds no virtual
 * machine: its artifact is a handmade box.
 */
describe(...needing('the real Packer', packer), () => {
  let catalog: Catalog
  let listening: Listening
  let client: Awaited<ReturnType<typeof vagrantHome>>
  let token: string
  const requests: string[] = []

  beforeAll(async () => {
    catalog = createCatalog({ onRequest: ({ route, status }) => requests.push(`${route} ${status}`) })
    unwrap(await catalog.putUser({ username: 'alice', password: 'correct horse' }))
    unwrap(await catalog.createBox({ username: 'alice', name: 'base', private: false }))
    token = unwrap(await catalog.createToken('alice')).token
    listening = await serve({ fetch: catalog.fetch })
    client = await vagrantHome(listening.url)
  })
  afterAll(async () => {
    client.remove()
    await listening.close({ drainMs: 0 })
    await catalog.close()
  })

  /** Publishes a box for a provider as a version. */
  async function build(name: string, version: string, provider: string, more: object = {}) {
    return runPacker(name, [await builder(name, version, provider, more)])
  }

  /** A builder whose box is published with the post-processor `vagrant-cloud`. */
  async function builder(name: string, version: string, provider: string, more: object = {}) {
    const box = await client.makeBox(`${name}.box`, provider)
    const only = [name]
    const cloud = {
      type: 'vagrant-cloud',
      only,
      vagrant_cloud_url: `${listening.url}/api/v1`,
      access_token: token,
      box_tag: 'alice/base',
      version,
      ...more,
    }
    return {
      builds: { type: 'file', name, target: join(client.home, `${name}.txt`), content: name },
      publishes: [{ type: 'artifice', only, files: [box.path] }, cloud],
    }
  }

  /** Runs Packer with a template of these builders; returns what it prints. */
  async function runPacker(
    name: string,
    builders: readonly Awaited<ReturnType<typeof builder>>[],
    ...flags: readonly string[]
  ) {
    const template = join(client.home, `${name}.json`)
    writeFileSync(
      template,
      JSON.stringify({
        builders: builders.map(({ builds }) => builds),
        'post-processors': builders.map(({ publishes }) => publishes),
      }),
    )
    const env = { PATH: process.env['PATH'] ?? '', HOME: client.home, CHECKPOINT_DISABLE: '1' }
    const { stdout } = await run('packer', ['build', '-color=false', ...flags, template], {
      env,
      cwd: client.home,
    }).catch((error: unknown) => {
      throw new Error(String(error instanceof Error && 'stdout' in error ? error.stdout : error))
    })
    return stdout
  }

  const released = async () =>
    unwrap(await catalog.readBox({ username: 'alice', name: 'base' })).versions.map(
      ({ number, status, providers }) => `${number} ${status} ${providers.map(({ name }) => name).sort()}`,
    )

  it('creates the version and the provider, uploads the box and releases it', async () => {
    expect(await build('first', '1.0.0', 'virtualbox')).toContain('Builds finished')
    expect(await released()).toEqual(['1.0.0 active virtualbox'])
    expect(requests.filter((line) => / [45]\d\d$/.test(line) && !line.endsWith(' 404'))).toEqual([])
  })

  it('uploads by the catalog itself, too', async () => {
    await build('second', '1.1.0', 'libvirt', { no_direct_upload: true })
    expect(await released()).toEqual(['1.1.0 active libvirt', '1.0.0 active virtualbox'])
  })

  it('adds the images of several builds to one version, at the same moment', async () => {
    // Packer does not read again when another build creates the version between its look and its creation.
    unwrap(await catalog.createVersion({ username: 'alice', name: 'base' }, { version: '2.0.0' }))
    await Promise.all([
      build('third', '2.0.0', 'virtualbox', { no_release: true }),
      build('fourth', '2.0.0', 'libvirt', { no_release: true }),
    ])
    expect(await released()).toContain('2.0.0 unreleased libvirt,virtualbox')
    await build('fifth', '2.0.0', 'qemu')
    expect(await released()).toContain('2.0.0 active libvirt,qemu,virtualbox')
  })

  it('adds the images of two builders of one template to a new version, one after the other', async () => {
    const builders = [await builder('amd', '2.1.0', 'virtualbox'), await builder('kvm', '2.1.0', 'libvirt')]
    expect(await runPacker('both', builders, '-parallel-builds=1')).toContain('already released')
    expect(await released()).toContain('2.1.0 active libvirt,virtualbox')
  })

  it('is told that a version has the image already, and leaves that as it is', async () => {
    const before = await released()
    await expect(build('sixth', '1.0.0', 'virtualbox')).rejects.toThrow(
      'Metadata provider must be unique for version',
    )
    expect(await released()).toEqual(before)
  })

  it('refers to a box that is elsewhere', async () => {
    await build('seventh', '3.0.0', 'virtualbox', { box_download_url: 'https://example.com/base.box' })
    expect(await released()).toContain('3.0.0 active virtualbox')
  })

  it('describes the version, and is told what it cannot do', async () => {
    await build('eighth', '4.0.0', 'virtualbox', { version_description: 'The *eighth*' })
    const { versions } = unwrap(await catalog.readBox({ username: 'alice', name: 'base' }))
    expect(versions.find(({ number }) => number === '4.0.0')?.description).toBe('The *eighth*')
    await expect(build('ninth', '5.0.0', 'qemu', { box_tag: 'alice/other' })).rejects.toThrow(
      /Resource not found!/,
    )
    await expect(build('tenth', '5.0.0', 'qemu', { access_token: 'wrong' })).rejects.toThrow(
      /401|access token/i,
    )
    expect((await released()).some((line) => line.startsWith('5.0.0'))).toBe(false)
  })
})
