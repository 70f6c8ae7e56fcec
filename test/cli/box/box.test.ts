import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { folder, killAll, run, start } from '../server.ts'

afterAll(() => {
  killAll()
})

it('plinth box push sends a box, and plinth box mirror copies it to another catalog, once', async () => {
  const bytes = Buffer.alloc(300_000, 'box')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const file = join(folder(), 'base.box')
  writeFileSync(file, bytes)
  const one = await start('--only=catalog', '--catalog-user=alice:password-1')
  const other = await start('--only=catalog')
  const token = String(one.ready.catalog.tokens['alice'])
  const words = ['1.0.0', file, '--provider', 'virtualbox']
  const push = (...more: readonly string[]) =>
    run(['box', 'push', 'alice/base', ...words, '--to', one.ready.catalog.url, ...more], {
      CATALOG_TOKEN: token,
    })
  expect(await push('--dry-run')).toMatchObject({ code: 0, stdout: expect.stringContaining('would send') })
  expect(await push()).toMatchObject({ code: 0, stdout: expect.stringContaining(`sent: alice/base`) })
  expect(await push()).toMatchObject({ code: 0, stdout: expect.stringContaining('already there') })
  expect(
    await run(['box', 'push', 'nobody/base', ...words, '--to', one.ready.catalog.url], {
      CATALOG_TOKEN: token,
    }),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no user or organization nobody; ask an administrator'),
  })
  // A client without a token finds the released version.
  const seen: unknown = await (await fetch(`${one.ready.catalog.url}/api/v2/box/alice/base`)).json()
  expect(seen).toMatchObject({ current_version: { version: '1.0.0', status: 'active' } })

  const box = (...words: readonly string[]) =>
    run(['box', ...words, '--to', one.ready.catalog.url], { CATALOG_TOKEN: token })
  const mirror = (url = one.ready.catalog.url) =>
    run(['box', 'mirror', url, 'alice', '--to', other.ready.catalog.url], {
      CATALOG_TOKEN: String(other.ready.catalog.tokens['admin']),
    })
  expect(await mirror()).toMatchObject({ code: 0, stdout: '1 images copied, 0 already there\n' })
  expect(await mirror()).toMatchObject({ code: 0, stdout: '0 images copied, 1 already there\n' })
  const verify = async () => {
    const flags = ['--verify', '--to', other.ready.catalog.url]
    const { code, stdout } = await run(['box', 'mirror', one.ready.catalog.url, 'alice', ...flags], {
      CATALOG_TOKEN: String(other.ready.catalog.tokens['admin']),
    })
    return [code, stdout]
  }
  expect(await verify()).toEqual([0, '1 images are the same, 0 differences\n'])
  writeFileSync(file, Buffer.alloc(100, 'new'))
  expect(
    await run(['box', 'push', 'alice/base', '1.1.0', ...words.slice(1), '--to', one.ready.catalog.url], {
      CATALOG_TOKEN: token,
    }),
  ).toMatchObject({ code: 0 })
  expect(await verify()).toEqual([
    1,
    'alice/base 1.1.0: the version is missing\n1 images are the same, 1 differences\n',
  ])
  expect(await box('revoke', 'alice/base', '1.1.0')).toMatchObject({ code: 0 })
  const copied = (await (await fetch(`${other.ready.catalog.url}/api/v2/box/alice/base`)).json()) as {
    current_version: { providers: [{ download_url: string }] }
  }
  const [provider] = copied.current_version.providers
  expect(provider).toMatchObject({ checksum: sha256, checksum_type: 'sha256' })
  const answer = await fetch(provider.download_url)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  for (const list of [['list'], ['list', 'alice'], ['list', '--search', 'base']])
    expect(await box(...list)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Box .*\nalice\/base {2}1\.0\.0 .* no\n$/),
    })
  expect((await box('show', 'alice/base')).stdout).toMatch(
    new RegExp(`1\\.0\\.0 +active +virtualbox +unknown +sha256 ${sha256}\\n$`),
  )
  expect(await box('revoke', 'alice/base', '1.0.0')).toMatchObject({
    code: 0,
    stdout: 'revoked: alice/base 1.0.0\n',
  })
  expect((await box('list', 'alice')).stdout).toContain('none released')
  expect(await box('release', 'alice/base', '1.0.0')).toMatchObject({ code: 1 })
  expect(await box('delete', 'alice/base')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--all'),
  })
  for (const [arguments_, left] of [
    [['alice/base', '1.0.0', 'virtualbox', 'unknown'], /1\.0\.0 .*no image/],
    [['alice/base', '1.0.0'], /^(?![\s\S]*1\.0\.0)/],
  ] as const) {
    expect(await box('delete', ...arguments_)).toMatchObject({
      code: 0,
      stdout: `deleted ${arguments_.join(' ')}\n`,
    })
    expect((await box('show', 'alice/base')).stdout).toMatch(left)
  }
  expect(await box('delete', 'alice/base', '--all')).toMatchObject({
    code: 0,
    stdout: 'deleted alice/base\n',
  })
  expect(await box('show', 'alice/base')).toMatchObject({ code: 1 })
  expect(await box('show', 'alice/none')).toMatchObject({ code: 1 })
  // The owner that it made is still free to be somebody's.
  const create = ['box', 'organization', 'create', 'alice', '--member=admin', '--to', other.ready.catalog.url]
  expect(await run(create, { CATALOG_TOKEN: String(other.ready.catalog.tokens['admin']) })).toMatchObject({
    code: 0,
  })
  await one.stop()
  await other.stop()
})

it('plinth box mirror says why it cannot', async () => {
  expect(await run(['box', 'mirror', 'http://127.0.0.1:9', 'a/b/c'])).toMatchObject({ code: 2 })
  expect(await run(['box', 'mirror', 'http://127.0.0.1:9', 'alice'], { CATALOG_TOKEN: '' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CATALOG_TOKEN'),
  })
})

interface Shown {
  readonly boxes: readonly { readonly name: string }[]
  readonly versions: readonly { readonly providers: readonly { readonly name: string }[] }[]
}

it('plinth box push creates nothing for an image that the quota of its owner refuses', async () => {
  const server = await start('--only=catalog')
  const url = server.ready.catalog.url
  const token = String(server.ready.catalog.tokens['admin'])
  const file = join(folder(), 'base.box')
  writeFileSync(file, Buffer.alloc(1000))
  const push = (box: string, version: string, provider = 'qemu') =>
    run(['box', 'push', box, version, file, `--provider=${provider}`, '--to', url], { CATALOG_TOKEN: token })
  const allow = async (quota: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/plinth/v1/owners/admin/quota`, {
      method: 'PUT',
      headers,
      body: JSON.stringify(quota),
    })
    expect(answer.status).toBe(200)
  }
  const shown = async () => {
    const read = async (path: string) => (await fetch(`${url}/api/v2/${path}`)).json() as Promise<Shown>
    const names = (await read('user/admin')).boxes.map(({ name }) => name)
    const { versions } = await read('box/admin/base')
    return [names, versions.map(({ providers }) => providers.map(({ name }) => name))]
  }
  await allow({ bytes: 1500 })
  expect(await push('admin/base', '1.0.0')).toMatchObject({ code: 0 })
  for (const [box, version, provider] of [
    ['admin/base', '1.0.0', 'virtualbox'],
    ['admin/base', '2.0.0', 'qemu'],
    ['admin/other', '1.0.0', 'qemu'],
  ] as const)
    expect(await push(box, version, provider)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^plinth: .*: admin has 1000 bytes and may have 1500, and this adds 1000; nothing was created: delete/,
      ),
    })
  expect(await shown()).toEqual([['base'], [['qemu']]])
  // What replaces an image adds only the difference.
  writeFileSync(file, Buffer.alloc(1400, 'new'))
  expect(await push('admin/base', '1.0.0')).toMatchObject({ code: 0 })
  await allow({ bytes: null, versions: 1 })
  expect(await push('admin/base', '1.0.0', 'virtualbox')).toMatchObject({ code: 0 })
  expect(await push('admin/other', '1.0.0')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('admin has 1 versions and may have 1, and this adds 1'),
  })
  expect(await shown()).toEqual([['base'], [['qemu', 'virtualbox']]])
  await server.stop()
})
