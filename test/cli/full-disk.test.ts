import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ownerBlob } from '../../src/store/blobs/owned-blobs.ts'
import { tarGz } from '../registry/archive/archives.ts'
import { anyPort, cleanUp, folder, plinth, ready, type Server } from './server.ts'

afterAll(cleanUp)

const mebibyte = 1024 * 1024
const [large, small] = [randomBytes(12 * mebibyte), randomBytes(mebibyte)]
/** A module that is longer than the disk takes. */
const archive = tarGz({ path: 'main.tf', text: 'variable "a" {}\n' }, { path: 'data.bin', text: large })

/** A server none of whose files may grow past 8 MiB: the kernel breaks its writes off in the middle, as on a full disk. */
const limited = (home: string): Promise<Server> =>
  ready(
    plinth(
      ['serve', '--json', ...anyPort, '--only=catalog,registry', '--data', home],
      {},
      "trap '' XFSZ && ulimit -f 16384",
    ),
  )

const filesBelow = (path: string): readonly string[] =>
  existsSync(path)
    ? readdirSync(path, { withFileTypes: true, recursive: true }).flatMap((entry) =>
        entry.isFile() && entry.name !== ownerBlob ? [entry.name] : [],
      )
    : []

describe('a disk that is full in the middle', () => {
  it('refuses an image and an archive with 507, shows and keeps nothing of them, and takes what fits', async () => {
    const home = folder()
    const { ready: at, stop } = await limited(home)
    const api = `${at.catalog.url}/api/v2`
    const headers = {
      authorization: `Bearer ${at.catalog.tokens['admin']}`,
      'content-type': 'application/json',
    }
    const post = (path: string, body: unknown) =>
      fetch(`${api}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    await post('boxes', { box: { username: 'admin', name: 'base', is_private: false } })
    await post('box/admin/base/versions', { version: { version: '1.0.0' } })
    await post('box/admin/base/version/1.0.0/providers', { provider: { name: 'qemu' } })
    const provider = `${api}/box/admin/base/version/1.0.0/provider/qemu/unknown`
    const upload = async (bytes: Buffer, direct = '') => {
      const leave = (await (await fetch(`${provider}/upload${direct}`, { headers })).json()) as {
        upload_path: string
      }
      return fetch(leave.upload_path, { method: 'PUT', body: new Uint8Array(bytes) })
    }
    expect((await upload(large)).status).toBe(507)
    expect((await upload(large, '/direct')).status).toBe(507)
    const publish = (bytes: Buffer) =>
      fetch(`${at.registry.modulesUrl}acme/vpc/aws/1.0.0`, {
        method: 'POST',
        headers: { authorization: `Bearer ${at.registry.token}`, 'content-type': 'application/gzip' },
        body: new Uint8Array(bytes),
      })
    const refused = await publish(archive)
    expect([refused.status, await refused.text()]).toEqual([507, expect.stringContaining('space')])
    const image = `${at.catalog.url}/admin/boxes/base/versions/1.0.0/providers/qemu.box`
    expect((await fetch(image, { headers })).status).toBe(404)
    expect((await fetch(`${at.registry.modulesUrl}acme/vpc/aws/1.0.0`)).status).toBe(404)
    expect((await fetch(`${at.registry.modulesUrl}acme`)).status).toBe(200)
    expect(filesBelow(join(home, 'blobs'))).toEqual([])
    expect((await upload(small)).status).toBe(200)
    expect((await fetch(image, { headers })).status).toBe(200)
    expect(filesBelow(join(home, 'blobs'))).toHaveLength(1)
    expect(await stop()).toBe(0)
  })
})

describe('a server that is killed in the middle', () => {
  it('shows nothing of an upload and of a publish that were under way, and clears them at its next start', async () => {
    const home = folder()
    const flags = ['serve', '--json', ...anyPort, '--only=catalog,registry', '--data', home]
    const first = await ready(plinth(flags))
    const { catalog, registry } = first.ready
    const headers = { authorization: `Bearer ${catalog.tokens['admin']}`, 'content-type': 'application/json' }
    const post = (path: string, body: unknown) =>
      fetch(`${catalog.url}/api/v2/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    await post('boxes', { box: { username: 'admin', name: 'base', is_private: false } })
    await post('box/admin/base/versions', { version: { version: '1.0.0' } })
    await post('box/admin/base/version/1.0.0/providers', { provider: { name: 'qemu' } })
    const leave = await fetch(
      `${catalog.url}/api/v2/box/admin/base/version/1.0.0/provider/qemu/unknown/upload`,
      {
        headers,
      },
    )
    const { upload_path: path } = (await leave.json()) as { upload_path: string }
    /** Sends most of a body, and never its end. */
    const begin = (url: string, init: RequestInit) =>
      fetch(url, {
        ...init,
        body: new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(archive.subarray(0, 8 * mebibyte))),
        }),
        duplex: 'half',
      } as RequestInit).then(
        () => 'answered',
        () => 'broken off',
      )
    const both = [
      begin(path, { method: 'PUT' }),
      begin(`${registry.modulesUrl}acme/vpc/aws/1.0.0`, {
        method: 'POST',
        headers: { authorization: `Bearer ${registry.token}`, 'content-type': 'application/gzip' },
      }),
    ]
    await expect.poll(() => filesBelow(join(home, 'blobs')).length).toBe(2)
    first.child.kill('SIGKILL')
    expect(await Promise.all(both)).toEqual(['broken off', 'broken off'])
    const next = await ready(plinth(flags))
    expect(filesBelow(join(home, 'blobs'))).toEqual([])
    const image = `${next.ready.catalog.url}/admin/boxes/base/versions/1.0.0/providers/qemu.box`
    expect((await fetch(image)).status).toBe(404)
    expect((await fetch(`${next.ready.registry.modulesUrl}acme/vpc/aws/1.0.0`)).status).toBe(404)
    expect(await next.stop()).toBe(0)
  })
})
