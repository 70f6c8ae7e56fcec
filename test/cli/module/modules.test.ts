import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownerBlob } from '../../../src/store/blobs/owned-blobs.ts'
import { cleanUp, folder, run, type Server, start } from '../server.ts'

/** What `plinth module` does at a registry, and from one registry to another. */

let here: Server
let there: Server
let thereData: string
const fakes: HttpServer[] = []

beforeAll(async () => {
  const registry = ['--only', 'registry,gateway']
  thereData = join(folder(), 'data')
  ;[here, there] = await Promise.all([start(...registry), start(...registry, '--data', thereData)])
})

afterAll(() => {
  for (const fake of fakes) fake.close()
  cleanUp()
})

const at = ({ ready }: Server) => ({
  REGISTRY_ADDR: ready.registry.url,
  REGISTRY_TOKEN: ready.registry.token ?? '',
})
const module = (args: string, server = here) => run(['module', ...args.split(' ')], at(server))

/** Runs a command that must succeed; returns what it printed. */
async function said(args: string, server = here): Promise<string> {
  const { code, stdout, stderr } = await module(args, server)
  expect(stderr.replace(/^publishing .*\n/gm, '')).toBe('')
  expect(code).toBe(0)
  return stdout
}

function moduleFolder(readme = '# vpc\n\nA private network.\n'): string {
  const home = folder()
  writeFileSync(join(home, 'main.tf'), 'variable "cidr" {}\noutput "id" {\n  value = 1\n}\n')
  writeFileSync(join(home, 'README.md'), readme)
  return home
}

/** The files of the archives that a registry keeps in its folder, the last one first. */
const archivesOf = (data: string): readonly string[] =>
  readdirSync(join(data, 'blobs', 'modules', 'kept'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== ownerBlob)
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)

/** A registry that answers as `answers` says. */
async function fake(answers: RequestListener): Promise<string> {
  const server = createServer(answers)
  fakes.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('plinth module', () => {
  it('publishes, lists, shows, describes and renames a module', async () => {
    const home = moduleFolder()
    await said(`publish ${home} team/vpc/aws 1.0.0 --label edge --source https://git.test/vpc`)
    await said(`publish ${home} team/vpc/aws 1.1.0`)
    await said(`publish ${home} team/vpc/google 1.0.0`)
    expect(await said('list team --provider aws')).toMatch(
      /^Module.*\nteam\/vpc\/aws +1\.1\.0 +0 +no +A private network\.\n$/,
    )
    expect(await said('list team --provider aws --provider google')).toMatch(/team\/vpc\/google/)
    expect(await said('list --search edge')).toMatch(/^Module.*\nteam\/vpc\/aws .*\n$/)
    const shown = await said('show team/vpc/aws')
    for (const row of ['version       1.1.0', 'labels        edge', 'inputs        cidr (required)'])
      expect(shown).toContain(`${row}\n`)
    await said('update team/vpc/aws --description Ours --verified')
    expect(await said('list --verified')).toMatch(/ yes +Ours\n/)
    await said('deprecate team/vpc/aws 1.0.0 --reason old')
    expect(await said('versions team/vpc/aws')).toBe('Version  Deprecated\n1.0.0    old\n1.1.0    no\n')
    await said('rename team/vpc/aws team/network/aws')
    expect(await said('versions team/network/aws')).toContain('1.1.0')
    expect(await module('show team/vpc/aws')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('module team/vpc/aws is now team/network/aws (301)'),
    })
    await said('delete team/network/aws 1.0.0')
    expect(await said('versions team/network/aws')).toBe('Version  Deprecated\n1.1.0    no\n')
    expect((await module('delete team/google/aws')).code).toBe(2)
    expect(await said('delete team/vpc/google --all')).toBe('deleted team/vpc/google\n')
    expect((await module('show team/vpc/google')).code).toBe(1)
    expect((await module('versions team/none/aws')).code).toBe(1)
    expect((await module('update team/network/aws')).code).toBe(2)
  })

  it('publishes every tagged version of a folder of a repository, once', async () => {
    const home = folder()
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', home, '-c', 'user.name=t', '-c', 'user.email=t@t.test', ...args])
    git('init', '-q')
    mkdirSync(join(home, 'modules/db'), { recursive: true })
    git('commit', '-q', '--allow-empty', '-m', 'nothing')
    git('tag', 'db/v0.1.0')
    for (const version of ['1.0.0', '1.10.0', '1.9.0']) {
      writeFileSync(join(home, 'modules/db/main.tf'), `output "version" {\n  value = "${version}"\n}\n`)
      git('add', '.')
      git('commit', '-q', '-m', version)
      git('tag', `db/v${version}`)
    }
    git('tag', 'v7.0.0')
    const publish = `publish ${home}/modules/db team/db/aws --all --tag-prefix db/v`
    const { code, stdout, stderr } = await module(publish)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^db\/v0\.1\.0: cannot read .*modules\/db/m)
    expect(stdout.match(/published team\/db\/aws (\S+):/g)).toEqual([
      'published team/db/aws 1.0.0:',
      'published team/db/aws 1.9.0:',
      'published team/db/aws 1.10.0:',
    ])
    git('tag', '-d', 'db/v0.1.0')
    expect(await said(publish)).toBe('')
    expect(git('status', '--porcelain').toString()).toBe('')
    expect((await module(`publish ${home}/modules/db team/db/aws --all 1.0.0`)).code).toBe(2)
  })
})

describe('plinth serve --pull-through', () => {
  const pulling = (url: string) => start('--only', 'registry', '--pull-through', url)
  const versionsAt = async ({ ready }: Server, address: string) => {
    const answer = await fetch(`${ready.registry.url}/v1/modules/${address}/versions`)
    const body = (await answer.json()) as { modules?: [{ versions: { version: string }[] }] }
    return [answer.status, body.modules?.[0].versions.map(({ version }) => version)]
  }
  const download = ({ ready }: Server, path: string) =>
    fetch(`${ready.registry.url}/v1/modules/${path}/download`).then(({ status }) => status)

  it('lists what the other registry has, and keeps what is asked for', async () => {
    const home = moduleFolder()
    for (const version of ['1.0.0', '1.2.0']) await said(`publish ${home} up/vpc/aws ${version}`)
    const source = await start('--only', 'registry')
    const flags = `mirror ${here.ready.registry.url} up --to ${source.ready.registry.url}`
    await said(flags, source)
    const copy = await pulling(source.ready.registry.url)
    expect(await versionsAt(copy, 'up/vpc/aws')).toEqual([200, ['1.0.0', '1.2.0']])
    expect(await versionsAt(copy, 'up/none/aws')).toEqual([404, undefined])
    expect(
      await Promise.all(
        ['1.2.0', '1.2.0', '9.9.9'].map((version) => download(copy, `up/vpc/aws/${version}`)),
      ),
    ).toEqual([204, 204, 404])
    const read = await fetch(`${copy.ready.registry.url}/v1/modules/up/vpc/aws/1.2.0`)
    expect(await read.json()).toMatchObject({ versions: ['1.2.0'], root: { inputs: [{ name: 'cidr' }] } })
    await source.stop()
    expect(await download(copy, 'up/vpc/aws/1.2.0')).toBe(204)
    // What is not here needs the other registry.
    expect(await download(copy, 'down/vpc/aws/1.0.0')).toBe(502)
    await copy.stop()
  })

  it('never asks for a namespace in which something was published', async () => {
    const asked: string[] = []
    const url = await fake(({ url = '' }, answer) => {
      asked.push(url)
      answer.end(
        url.startsWith('/.well-known/')
          ? '{"modules.v1":"/v1/modules/"}'
          : '{"modules":[{"versions":[{"version":"99.0.0"}]}]}',
      )
    })
    const copy = await pulling(url)
    await said(`publish ${moduleFolder()} own/vpc/aws 1.0.0`, copy)
    expect(await versionsAt(copy, 'own/vpc/aws')).toEqual([200, ['1.0.0']])
    expect(await versionsAt(copy, 'own/other/aws')).toEqual([404, undefined])
    expect(asked).toEqual([])
    expect(await versionsAt(copy, 'foreign/vpc/aws')).toEqual([200, ['99.0.0']])
    await copy.stop()
  })

  it('is not led to private addresses, in circles, or to what is no archive', async () => {
    const secrets: string[] = []
    const inside = await fake(({ url = '' }, answer) => {
      secrets.push(url)
      answer.end('inside')
    })
    const port = new URL(inside).port
    const locations: Readonly<Record<string, string>> = {
      '1.0.0': `${inside}/direct.tar.gz`,
      '2.0.0': `http://localhost:${port}/named.tar.gz`,
      '3.0.0': './redirect.tar.gz',
      '4.0.0': './circle.tar.gz',
      '5.0.0': './text.tar.gz',
      '6.0.0': `git::${inside}/repository.git`,
      '7.0.0': `http://[::ffff:127.0.0.1]:${port}/mapped.tar.gz`,
    }
    const url = await fake(({ url = '' }, answer) => {
      const version = /aws\/([\d.]+)\/download$/.exec(url)?.[1]
      const location = version === undefined ? undefined : locations[version]
      if (url.startsWith('/.well-known/')) answer.end('{"modules.v1":"/v1/modules/"}')
      else if (location) answer.writeHead(204, { 'x-terraform-get': location }).end()
      else if (url.endsWith('/redirect.tar.gz'))
        answer.writeHead(302, { location: `${inside}/redirected` }).end()
      else if (url.endsWith('/circle.tar.gz')) answer.writeHead(302, { location: url }).end()
      else if (url.endsWith('/text.tar.gz')) answer.end('<html>')
      else
        answer.end(
          JSON.stringify({ modules: [{ versions: Object.keys(locations).map((version) => ({ version })) }] }),
        )
    })
    const copy = await pulling(url)
    for (const version of Object.keys(locations))
      expect([version, await download(copy, `x/y/aws/${version}`)]).toEqual([version, 502])
    expect(secrets).toEqual([])
    expect(await (await fetch(`${copy.ready.registry.url}/v1/modules`)).json()).toMatchObject({ modules: [] })
    await copy.stop()
  })
})

describe('plinth module mirror', () => {
  it('copies what is missing with its bytes, and nothing the second time', async () => {
    const home = moduleFolder()
    for (const version of ['1.0.0', '2.0.0'])
      await said(`publish ${home} copied/vpc/aws ${version} --source https://git.test/vpc`)
    const mirror = `mirror ${here.ready.registry.url} copied`
    expect(await said(`${mirror} --dry-run`, there)).toMatch(/would copy copied\/vpc\/aws 2\.0\.0\n$/)
    expect(await said(mirror, there)).toMatch(/^2 versions copied, 0 already there$/m)
    expect(await said(mirror, there)).toBe('0 versions copied, 2 already there\n')
    const archive = 'v1/modules/copied/vpc/aws/2.0.0/archive'
    const [from, to] = await Promise.all(
      [here, there].map(async ({ ready }) =>
        (await fetch(`${ready.registry.url}/${archive}`)).headers.get('etag'),
      ),
    )
    expect(to).toBe(from)
    expect(await said('show copied/vpc/aws', there)).toContain('https://git.test/vpc')
  })

  it('keeps dates and downloads where an administrator asks, and verifies the copy', async () => {
    const home = moduleFolder()
    for (const version of ['1.0.0', '2.0.0']) await said(`publish ${home} old/vpc/aws ${version}`)
    const past = {
      downloads: 41,
      versions: [{ version: '1.0.0', published_at: '2019-05-06T07:08:09.123456Z' }],
    }
    const set = await fetch(`${here.ready.registry.url}/plinth/v1/modules/old/vpc/aws/history`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${here.ready.registry.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(past),
    })
    expect(set.status).toBe(204)
    const mirror = `mirror ${here.ready.registry.url} old`
    const early = await module(`${mirror} --verify`, there)
    expect([early.code, early.stdout]).toEqual([
      1,
      'old/vpc/aws 1.0.0: the version is missing\nold/vpc/aws 2.0.0: the version is missing\n0 versions are the same, 2 differences\n',
    ])
    expect(early.stderr).toContain('is not a complete copy of')
    await said(mirror, there)
    const read = async (version: string) => {
      const answer = await fetch(`${there.ready.registry.url}/v1/modules/old/vpc/aws/${version}`)
      return (await answer.json()) as { readonly published_at: string; readonly downloads: number }
    }
    expect((await read('1.0.0')).published_at).not.toBe(past.versions[0]?.published_at)
    expect(await said(`${mirror} --keep-history`, there)).toMatch(/^0 versions copied, 2 already there$/m)
    expect(await read('1.0.0')).toMatchObject({ published_at: past.versions[0]?.published_at })
    expect((await read('1.0.0')).downloads).toBeGreaterThanOrEqual(41)
    expect(await said(`${mirror} --verify`, there)).toBe('2 versions are the same, 0 differences\n')
    const [archive = ''] = archivesOf(thereData)
    const kept = readFileSync(archive)
    writeFileSync(archive, Buffer.from(kept).fill(0, 60, 61))
    expect((await module(`${mirror} --verify`, there)).stdout).toMatch(
      /: the SHA-256 of its archive is [0-9a-f]{64}, not [0-9a-f]{64}\n1 versions are the same, 1 differences\n$/,
    )
    writeFileSync(archive, kept)
    await said(`delete old/vpc/aws 2.0.0`, there)
    await said(`publish ${moduleFolder('# other')} old/vpc/aws 2.0.0`, there)
    expect((await module(`${mirror}/vpc/aws --verify`, there)).stdout).toMatch(
      /^old\/vpc\/aws 2\.0\.0: the SHA-256 of its archive is [0-9a-f]{64}, not [0-9a-f]{64}\n1 versions are the same, 1 differences\n$/,
    )
  })

  it('is not harmed by a registry that lies, and copies the rest', async () => {
    const kept = await fetch(`${here.ready.registry.url}/v1/modules/copied/vpc/aws/1.0.0/archive`)
    const archive = new Uint8Array(await kept.arrayBuffer())
    const wrong = 'f'.repeat(64)
    const locations: Readonly<Record<string, string>> = {
      '1.0.0': './archive.tar.gz?archive=tar.gz',
      '1.1.0': `./archive.tar.gz?checksum=sha256:${wrong}`,
      '1.2.0': './circle',
      '1.3.0': 'file::/etc/passwd',
      '1.4.0': 'git::file:///etc',
    }
    const url = await fake(({ url = '' }, answer) => {
      const version = /aws\/([\d.]+)\/download$/.exec(url)?.[1]
      const location = version === undefined ? undefined : locations[version]
      if (url.startsWith('/.well-known/')) answer.end('{"modules.v1":"/v1/modules/"}')
      else if (location) answer.writeHead(204, { 'x-terraform-get': location }).end()
      else if (url.includes('archive.tar.gz')) answer.end(archive)
      else if (url.endsWith('/circle')) answer.writeHead(302, { location: url }).end()
      else if (url.endsWith('/versions')) {
        const versions = ['../../x', 'v1.0', ...Object.keys(locations)].map((version) => ({ version }))
        answer.end(JSON.stringify({ modules: [{ versions }] }))
      } else if (url.includes('?')) {
        // Every page names a next one.
        const modules = [{ namespace: 'lies', name: 'x', provider: 'aws' }, { namespace: '../..' }]
        const offset = Number(/offset=(\d+)/.exec(url)?.[1])
        answer.end(JSON.stringify({ modules, meta: { next_offset: offset + 100 } }))
      } else answer.writeHead(404).end()
    })
    const { code, stdout, stderr } = await module(`mirror ${url} lies`, there)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^copied lies\/x\/aws 1\.0\.0\n1 versions copied, 0 already there\n$/)
    for (const problem of [
      /1\.1\.0: the fetched bytes/,
      /1\.2\.0: too many redirects/,
      /1\.3\.0: it is fetched with file/,
    ])
      expect(stderr).toMatch(problem)
    expect(await said('versions lies/x/aws', there)).toBe('Version  Deprecated\n1.0.0    no\n')
  })

  it('says what is not a registry', async () => {
    const url = await fake((_, answer) => void answer.end('<html>'))
    expect((await module(`mirror ${url}`, there)).stderr).toMatch(/is not a module registry/)
  })
})
