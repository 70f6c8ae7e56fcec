import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBucket } from '../../src/cli/serve/bucket.ts'
import { ownerBlob } from '../../src/store/blobs/owned-blobs.ts'
import { s3Server } from '../store/s3/s3-server.ts'
import { anyPort, cleanUp, folder, plinth, ready, run } from './server.ts'

let bucket: Awaited<ReturnType<typeof s3Server>>
beforeAll(async () => {
  bucket = await s3Server()
})
afterAll(async () => {
  cleanUp()
  await bucket.close()
})

const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' }

describe('plinth serve --blobs s3://…', () => {
  it.each(['true', 'false'])('keeps images and archives in the bucket (presign=%s)', async (presign) => {
    const home = folder()
    const where = `s3://${bucket.name}/site-${presign}?endpoint=${bucket.endpoint}&presign=${presign}`
    const flags = ['--only=catalog,registry', '--data', join(home, 'data'), '--blobs', where]
    const server = await ready(plinth(['serve', '--json', ...anyPort, ...flags], credentials))
    const { catalog, registry } = server.ready
    const image = randomBytes(100_000)
    writeFileSync(join(home, 'base.box'), image)
    mkdirSync(join(home, 'vpc'))
    writeFileSync(join(home, 'vpc', 'main.tf'), 'variable "a" {}\n')
    const env = {
      CATALOG_TOKEN: String(catalog.tokens['admin']),
      REGISTRY_TOKEN: registry.token ?? '',
    }
    for (const words of [
      ['box', 'push', 'admin/base', '1.0.0', join(home, 'base.box'), '--provider=qemu', '--to', catalog.url],
      ['module', 'publish', join(home, 'vpc'), 'acme/vpc/aws', '1.0.0', '--to', registry.url],
    ])
      expect(await run(words, env)).toMatchObject({ code: 0 })
    const download = `${catalog.url}/admin/boxes/base/versions/1.0.0/providers/qemu.box`
    const got = await fetch(download)
    expect(got.url.startsWith(presign === 'true' ? bucket.endpoint : catalog.url)).toBe(true)
    expect(Buffer.from(await got.arrayBuffer()).equals(image)).toBe(true)
    const { Contents = [] } = await bucket.client.listObjectsV2({
      Bucket: bucket.name,
      Prefix: `site-${presign}/`,
    })
    const kept = Contents.map(({ Key = '' }) => Key).filter((key) => !key.endsWith(ownerBlob))
    expect(kept.map((key) => key.split('/')[1]).sort()).toEqual(['images', 'modules'])
    expect(await server.stop()).toBe(0)
    // A presigned address in a log would be a key to the image.
    expect(server.output().stderr).not.toMatch(/X-Amz|S3RVER/)
    const backup = await run(
      ['backup', '--data', join(home, 'data'), '--blobs', where, join(home, 'copy')],
      credentials,
    )
    expect(backup).toMatchObject({ code: 0, stdout: expect.stringContaining('stay in their bucket') })
  })

  it('says in a line that the bucket cannot be used', async () => {
    const where = `s3://other-bucket?endpoint=${bucket.endpoint}`
    const args = ['serve', '--json', '--only=registry', '--data', join(folder(), 'data'), '--blobs', where]
    const result = await run(args, { ...credentials, AWS_SECRET_ACCESS_KEY: 'wrong' })
    expect([result.code, result.stdout]).toEqual([1, ''])
    // The SDK warns of old versions of Node beside it.
    expect(result.stderr).toMatch(/^plinth: the bucket other-bucket is missing, or .*$/m)
    expect(result.stderr).not.toContain('    at ')
  })
})

describe('the address of a bucket', () => {
  it('names bucket, prefix, region and endpoint', () => {
    expect(readBucket('s3://acme')).toEqual({ bucket: 'acme', prefix: '', presign: false })
    expect(readBucket('s3://acme/a/b/?region=eu-central-1&endpoint=http://minio:9000&presign=true')).toEqual({
      bucket: 'acme',
      prefix: 'a/b/',
      region: 'eu-central-1',
      endpoint: 'http://minio:9000',
      presign: true,
    })
  })

  it.each([
    ['s3://', 'names no bucket'],
    ['s3://key:SECRET@acme', 'takes no credentials'],
    ['s3://acme?presing=true', 'does not take presing'],
    ['s3://acme?presign=true&presign=false', 'takes presign only once'],
    ['s3://acme/100%', 'incomplete % escape'],
    ['s3://acme?presign=yes', 'presign=true or presign=false'],
    ['s3://acme?endpoint=minio', 'endpoint that is not a URL'],
  ])('%s is refused', (text, why) => {
    expect(() => readBucket(text)).toThrow(why)
    expect(() => readBucket(text)).not.toThrow('SECRET')
  })
})
