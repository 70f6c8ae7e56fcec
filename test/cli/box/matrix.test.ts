import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { cleanUp, folder, run, start } from '../server.ts'
import { front } from './faulty-front.ts'

afterAll(cleanUp)

const images = ['qemu', 'libvirt', 'virtualbox', 'parallels'].flatMap((provider) =>
  ['amd64', 'arm64', 'i386', 'arm'].map((architecture) => ({ provider, architecture })),
)

it('the 16 jobs of a matrix push one new version, although the server is killed twice, and the last one releases it', async () => {
  const data = folder()
  const serve = () => start('--only=catalog', '--data', data, '--catalog-user=alice:password-1')
  let server = await serve()
  const env = { CATALOG_TOKEN: String(server.ready.catalog.tokens['alice']) }
  const way = await front(server.ready.catalog.url)
  const sums = new Map<string, string>()
  const jobs = images.map(({ provider, architecture }) => {
    const name = `${provider} ${architecture}`
    const file = join(data, `${name}.box`)
    const bytes = Buffer.alloc(300_000, name)
    writeFileSync(file, bytes)
    sums.set(name, createHash('sha256').update(bytes).digest('hex'))
    const what = ['alice/base', '1.0.0', file, `--provider=${provider}`, `--architecture=${architecture}`]
    return run(['box', 'push', ...what, '--release-after=16', `--to=${way.url}`], env)
  })
  // Of 4.8 MB in all, so that jobs run at both times.
  for (const sent of [200_000, 700_000]) {
    await way.cutAfter({ sent })
    await server.stop('SIGKILL')
    server = await serve()
    way.leadTo(server.ready.catalog.url)
  }
  for (const job of await Promise.all(jobs)) expect(job).toMatchObject({ code: 0 })
  const address = `${server.ready.catalog.url}/api/v2/box/alice/base/version/1.0.0`
  const made = (await (await fetch(address)).json()) as {
    status: string
    providers: { name: string; architecture: string; checksum: string; download_url: string }[]
  }
  expect(made.status).toBe('active')
  expect(made.providers).toHaveLength(16)
  for (const { name, architecture, checksum, download_url } of made.providers) {
    const bytes = Buffer.from(await (await fetch(download_url)).arrayBuffer())
    const sha256 = sums.get(`${name} ${architecture}`)
    expect([checksum, createHash('sha256').update(bytes).digest('hex')]).toEqual([sha256, sha256])
  }
  const release = await run(['box', 'release', 'alice/base', '1.0.0', `--to=${way.url}`], env)
  expect(release).toMatchObject({ code: 0, stdout: 'already released: alice/base 1.0.0\n' })
  await server.stop()
  way.close()
})

it('plinth box release ends what plinth box push --no-release began, and two pushes of one image are one', async () => {
  const server = await start('--only=catalog', '--catalog-user=alice:password-1')
  const env = { CATALOG_TOKEN: String(server.ready.catalog.tokens['alice']) }
  const file = join(folder(), 'base.box')
  writeFileSync(file, 'bytes')
  const to = `--to=${server.ready.catalog.url}`
  const push = (...more: readonly string[]) =>
    run(['box', 'push', 'alice/base', '1.0.0', file, '--provider=qemu', to, ...more], env)
  for (const pushed of await Promise.all([push('--no-release'), push('--no-release')]))
    expect(pushed).toMatchObject({ code: 0 })
  expect(await push('--release-after=2')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('not released: 1 of 2 images are there'),
  })
  expect(await push('--release-after=0')).toMatchObject({ code: 2 })
  expect(await push('--release-after=2', '--no-release')).toMatchObject({ code: 2 })
  const release = () => run(['box', 'release', 'alice/base', '1.0.0', to], env)
  expect(await release()).toMatchObject({ code: 0, stdout: 'released: alice/base 1.0.0\n' })
  expect(await release()).toMatchObject({ code: 0, stdout: 'already released: alice/base 1.0.0\n' })
  // A changed image of the released version replaces the old one.
  writeFileSync(file, 'other bytes')
  expect(await push()).toMatchObject({ code: 0, stdout: expect.stringContaining('sent: alice/base') })
  await server.stop()
})
