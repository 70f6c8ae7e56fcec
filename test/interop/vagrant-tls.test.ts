import { writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folder, killAll, plinth, removeFolders, run } from '../cli/server.ts'
import { needing, openssl, vagrant } from '../programs.ts'
import { selfSigned } from '../self-signed.ts'
import { vagrantHome } from './vagrant-fixture.ts'

/**
 * Publish → use → delete with the real client, over TLS, against `plinth serve --production`. The tests go on from one
 * another.
 */
describe(...needing('the real vagrant client against a production server', vagrant, openssl), () => {
  const home = folder()
  const certificate = join(home, 'cert.pem')
  let client: Awaited<ReturnType<typeof vagrantHome>>
  let url: string
  let token: string
  let one: { readonly path: string; readonly sha256: string }
  let two: typeof one

  beforeAll(async () => {
    const tls = selfSigned()
    writeFileSync(certificate, tls.cert)
    writeFileSync(join(home, 'key.pem'), tls.key)
    const listener = `listener "tcp" {\n  purpose = "catalog"\n  address = "127.0.0.1:0"\n  tls_cert_file = "${certificate}"\n  tls_key_file = "${home}/key.pem"\n}\n`
    writeFileSync(join(home, 'server.hcl'), listener)
    const server = plinth([
      ...['serve', '--production', '--json', '--only=catalog', '--catalog-user=alice:password-1'],
      ...['--data', join(home, 'data'), '--config', join(home, 'server.hcl')],
    ])
    const line = await new Promise<string>((resolve) =>
      server.child.stdout.once('data', (text) => resolve(String(text))),
    )
    const { catalog } = JSON.parse(line)
    url = catalog.url
    token = catalog.tokens.alice
    client = await vagrantHome(url, certificate)
    one = await client.makeBox('one.box', 'virtualbox')
    two = await client.makeBox('two.box', 'virtualbox')
  })
  afterAll(() => {
    client?.remove()
    killAll()
    removeFolders()
  })

  const publish = (version: string, path: string, checksum: string) =>
    client.vagrant(
      token,
      ...['cloud', 'publish', '--force', '--release', '--no-private', 'alice/tiny', version, 'virtualbox'],
      ...[path, '--checksum', checksum, '--checksum-type', 'sha256'],
    )
  const plinthPush = (version: string, path: string) =>
    run(['box', 'push', 'alice/tiny', version, path, '--provider', 'virtualbox', '--to', url], {
      CATALOG_TOKEN: token,
      NODE_EXTRA_CA_CERTS: certificate,
    })
  const add = (...more: readonly string[]) =>
    client.vagrant(undefined, 'box', 'add', 'alice/tiny', '--provider', 'virtualbox', ...more)

  const fetchStatus = (path: string) => {
    return new Promise<number | undefined>((resolve, reject) => {
      get(`${url}${path}`, { rejectUnauthorized: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).on('error', reject)
    })
  }

  it('is told that a direct upload has another checksum, and nothing of it can be added', async () => {
    expect(url).toMatch(/^https:/)
    const wrong = await publish('1.0.0', one.path, two.sha256)
    expect(wrong.code).toBe(1)
    expect(wrong.out).toContain(`The sha256 checksum of the upload is ${one.sha256}, not ${two.sha256}`)
    expect(await add()).toMatchObject({ code: 1 })
    const image = await fetchStatus('/alice/boxes/tiny/versions/1.0.0/providers/virtualbox.box')
    expect(image).toBe(404)
  })

  it('publishes with the right one, and adds what it published', async () => {
    const published = await publish('1.0.0', one.path, one.sha256)
    expect(published).toMatchObject({
      code: 0,
      out: expect.stringContaining('Complete! Published alice/tiny'),
    })
    const added = await add()
    expect(added.out).toContain("Successfully added box 'alice/tiny' (v1.0.0) for 'virtualbox'!")
    expect(added.out).toContain('Calculating and comparing box checksum')
  })

  it('learns of a version that plinth box push sent, and updates to it', async () => {
    expect(await plinthPush('1.10.0', two.path)).toMatchObject({ code: 0 })
    const outdated = await client.vagrant(undefined, 'box', 'outdated', '--global')
    expect(outdated.out).toContain('is outdated! Current: 1.0.0. Latest: 1.10.0')
    const updated = await client.vagrant(undefined, 'box', 'update', '--box', 'alice/tiny')
    expect(updated.out).toContain("Successfully added box 'alice/tiny' (v1.10.0) for 'virtualbox'!")
  })

  it('is told of a wrong checksum where the bytes go through the service, too', async () => {
    const at = ['alice/tiny', 'virtualbox', '2.0.0']
    const create = ['provider', 'create', ...at, '--checksum', two.sha256, '--checksum-type', 'sha256']
    expect(await client.vagrant(token, 'cloud', 'version', 'create', 'alice/tiny', '2.0.0')).toMatchObject({
      code: 0,
    })
    expect(await client.vagrant(token, 'cloud', ...create)).toMatchObject({ code: 0 })
    const wrong = await client.vagrant(token, 'cloud', 'provider', 'upload', '--no-direct', ...at, one.path)
    expect(wrong.code).toBe(1)
    const released = await client.vagrant(
      token,
      'cloud',
      'version',
      'release',
      '--force',
      'alice/tiny',
      '2.0.0',
    )
    expect(released).toMatchObject({ code: 1 })
    const right = await client.vagrant(token, 'cloud', 'provider', 'upload', '--no-direct', ...at, two.path)
    expect(right).toMatchObject({ code: 0 })
  })

  it('revokes and deletes, after which nothing can be added', async () => {
    const cloud = (...args: readonly string[]) => client.vagrant(token, 'cloud', ...args)
    expect(await cloud('version', 'revoke', '--force', 'alice/tiny', '1.10.0')).toMatchObject({ code: 0 })
    expect((await add('--force')).out).toContain("Successfully added box 'alice/tiny' (v1.0.0)")
    const late = await cloud('provider', 'upload', 'alice/tiny', 'virtualbox', '1.10.0', one.path)
    expect(late).toMatchObject({ code: 1, out: expect.stringContaining('revoked') })
    expect(await cloud('provider', 'delete', '--force', 'alice/tiny', 'virtualbox', '2.0.0')).toMatchObject({
      code: 0,
    })
    expect(await cloud('version', 'delete', '--force', 'alice/tiny', '1.0.0')).toMatchObject({ code: 0 })
    expect(await add('--force')).toMatchObject({ code: 1 })
    expect(await cloud('box', 'delete', '--force', 'alice/tiny')).toMatchObject({ code: 0 })
    expect(await add('--force')).toMatchObject({
      code: 1,
      out: expect.stringContaining('could not be found'),
    })
  })
})
