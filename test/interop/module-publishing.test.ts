import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { ownerBlob } from '../../src/store/blobs/owned-blobs.ts'
import { folder, killAll, plinth, removeFolders, run, type Server, start } from '../cli/server.ts'
import { needing, openssl, terraform } from '../programs.ts'
import { tarGz } from '../registry/archive/archives.ts'
import { selfSigned } from '../self-signed.ts'

afterEach(killAll)
afterAll(removeFolders)

const token = 'publishing-token'
const flags = ['--only', 'registry', '--registry-token', `ci:${token}:acme`]

/** The folder of a module that says which version it is, with a submodule and files that are not published. */
function moduleFolder(label: string): string {
  const home = folder()
  const files = {
    'main.tf': `variable "name" {\n  type = string\n  default = "x"\n}\noutput "label" {\n  value = "${label}"\n}\n`,
    'README.md': '# A network\n',
    'modules/nat/main.tf': 'output "label" {\n  value = "nat"\n}\n',
    '.git/HEAD': 'secret\n',
    '.terraformignore': 'private/\n',
    'private/notes.txt': 'secret\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, '..'), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  return home
}

const module = (server: Server, ...args: readonly string[]) =>
  run(['module', ...args, '--to', server.ready.registry.url], { REGISTRY_TOKEN: token })

describe('plinth module', () => {
  it('publishes a folder and deletes it again', async () => {
    const server = await start(...flags)
    const home = moduleFolder('1')
    const dry = await module(server, 'publish', home, 'acme/vpc/aws', '1.0', '--dry-run')
    expect(dry.stdout).toMatch(/would publish acme\/vpc\/aws 1\.0\.0: 4 files/)
    expect(dry.stdout).not.toContain('private')
    const detail = `${server.ready.registry.modulesUrl}acme/vpc/aws/1.0.0`
    expect((await fetch(detail)).status).toBe(404)
    const published = await module(server, 'publish', home, 'acme/vpc/aws', '1.0')
    expect([published.code, published.stdout]).toEqual([
      0,
      expect.stringMatching(/^published acme\/vpc\/aws 1\.0\.0: 4 files, \d+ bytes\n$/),
    ])
    expect(await (await fetch(detail)).json()).toMatchObject({
      owner: 'ci',
      root: { readme: '# A network\n', inputs: [{ name: 'name', type: 'string', default: '"x"' }] },
      submodules: [{ path: 'modules/nat' }],
    })
    const again = await module(server, 'publish', home, 'acme/vpc/aws', '1.0.0')
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('already has a version 1.0.0 (409)'),
    ])
    const foreign = await module(server, 'publish', home, 'other/vpc/aws', '1.0.0')
    expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('(403)')])
    const mark = async (...words: readonly string[]) => {
      const done = await module(server, 'deprecate', 'acme/vpc/aws', '1.0', ...words)
      const versions = (await (await fetch(detail.replace('1.0.0', 'versions'))).json()) as {
        readonly modules: readonly { readonly versions: readonly { readonly deprecation?: unknown }[] }[]
      }
      return [done.code, done.stdout, versions.modules[0]?.versions[0]?.deprecation]
    }
    const deprecation = { reason: 'use 2.0', link: 'https://example.com/2' }
    expect(await mark('--reason', 'use 2.0', '--dry-run')).toEqual([
      0,
      'would deprecate acme/vpc/aws 1.0\n',
      undefined,
    ])
    expect(await mark('--reason', deprecation.reason, '--link', deprecation.link)).toEqual([
      0,
      'deprecated acme/vpc/aws 1.0\n',
      deprecation,
    ])
    expect(await mark()).toEqual([2, '', deprecation])
    expect(await mark('--undo', '--reason', 'x')).toEqual([2, '', deprecation])
    expect(await mark('--undo')).toEqual([0, 'reinstated acme/vpc/aws 1.0\n', undefined])
    const deleted = await module(server, 'delete', 'acme/vpc/aws', '1.0')
    expect([deleted.code, deleted.stdout]).toEqual([0, 'deleted acme/vpc/aws 1.0\n'])
    expect((await fetch(detail)).status).toBe(404)
  })

  it('says what is wrong before it sends anything', async () => {
    const home = moduleFolder('1')
    const tries: readonly (readonly [readonly string[], number, string])[] = [
      [['publish', home, 'acme/vpc', '1.0.0'], 2, 'namespace/name/provider'],
      [['publish', home, 'acme/vpc/aws', 'latest'], 2, 'not a version number'],
      [['publish', '/nowhere', 'acme/vpc/aws', '1.0.0'], 1, 'cannot read /nowhere'],
      [['delete', 'a.example.com/acme/vpc/aws', '1.0.0'], 2, '--to URL'],
    ]
    for (const [args, code, text] of tries) {
      const result = await run(['module', ...args], { REGISTRY_TOKEN: token })
      expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(text)])
    }
    const without = await run(['module', 'publish', home, 'acme/vpc/aws', '1.0.0'], { REGISTRY_TOKEN: '' })
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('REGISTRY_TOKEN is not set')])
  })
})

describe('a registry that is busy, or whose answers get lost', () => {
  /** A way to the server on which some requests fail: by 503, or by an answer that never comes. */
  async function flaky(server: Server, faults: readonly ('busy' | 'lost')[]) {
    const left = [...faults]
    const front = createServer(async (incoming, answer) => {
      const fault = left.shift()
      const body = await buffer(incoming)
      if (fault === 'busy') return void answer.writeHead(503, { 'retry-after': '0' }).end('not json')
      const { authorization = '', 'content-type': type = '' } = incoming.headers
      const real = await fetch(`${server.ready.registry.url}${incoming.url}`, {
        method: incoming.method ?? 'GET',
        headers: { authorization, 'content-type': type },
        ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
      })
      const text = await real.text()
      if (fault === 'lost') incoming.socket.destroy()
      else answer.writeHead(real.status, { etag: real.headers.get('etag') ?? '' }).end(text)
    })
    front.listen(0, '127.0.0.1')
    await once(front, 'listening')
    const { port } = front.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, close: () => front.close() }
  }

  it('is asked again, and what was done already counts as done', async () => {
    const server = await start(...flags)
    const front = await flaky(server, ['busy', 'lost'])
    const env = { REGISTRY_TOKEN: token }
    const args = ['acme/vpc/aws', '1.0.0', '--to', front.url]
    const published = await run(['module', 'publish', moduleFolder('1'), ...args], env)
    expect([published.code, published.stdout]).toEqual([
      0,
      expect.stringContaining('published acme/vpc/aws 1.0.0'),
    ])
    expect(published.stderr).toMatch(
      /status 503 from .*; trying again in .* s\nno answer from .*; trying again/,
    )
    front.close()
    const second = await flaky(server, ['lost'])
    const deleted = await run(['module', 'delete', 'acme/vpc/aws', '1.0.0', '--to', second.url], env)
    expect([deleted.code, deleted.stdout]).toEqual([0, 'deleted acme/vpc/aws 1.0.0\n'])
    second.close()
  })
})

describe('plinth serve, for clients of other names', () => {
  it('emits and reads the headers of Terraform, Vault and Nomad', async () => {
    const uuid = '6f0b0a4e-3c1d-4b0e-9c43-1f2d3e4a5b6c'
    const server = await start('--demo', '--root-token', 'root', '--management-token', uuid)
    const { registry, secrets, scheduler } = server.ready
    const listed = (await (await fetch(registry.modulesUrl)).json()) as { modules: [{ id: string }] }
    const { id } = listed.modules[0]
    const download = await fetch(`${registry.modulesUrl}${id}/download`)
    expect([download.status, download.headers.get('x-terraform-get')]).toEqual([
      204,
      download.headers.get('x-registry-get'),
    ])
    const lookup = await fetch(`${secrets.url}/v1/auth/token/lookup-self`, {
      headers: { 'X-Vault-Token': 'root' },
    })
    expect(lookup.status).toBe(200)
    const jobs = await fetch(`${scheduler.url}/v1/acl/token/self`, { headers: { 'X-Nomad-Token': uuid } })
    expect(jobs.status).toBe(200)
    expect(jobs.headers.get('x-nomad-index')).toBe(jobs.headers.get('x-scheduler-index'))
    expect(jobs.headers.get('x-nomad-index')).not.toBeNull()
  })
})

describe('a server that is killed in the middle of a publish', () => {
  it('shows nothing of it and has nothing of it after the next start', async () => {
    const data = join(folder(), 'data')
    const server = await start(...flags, '--data', data)
    const url = new URL(`${server.ready.registry.modulesUrl}acme/vpc/aws/1.0.0`)
    const sending = request(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
    })
    sending.on('error', () => {})
    // All but the end of it, so that the server neither refuses it nor has all of it.
    const image = { path: 'image.bin', text: randomBytes(1024 * 1024) }
    const archive = tarGz({ path: 'main.tf', text: '' }, image)
    sending.write(archive.subarray(0, -1000))
    const unfinished = join(data, 'blobs', 'modules', 'unfinished')
    const uploads = () => readdirSync(unfinished, { recursive: true }).length
    await expect.poll(uploads).toBeGreaterThan(1)
    server.child.kill('SIGKILL')
    await server.exited
    expect(uploads()).toBeGreaterThan(1)
    const next = await start(...flags, '--data', data)
    expect(uploads()).toBe(0)
    const kept = join(data, 'blobs', 'modules', 'kept')
    const archives = existsSync(kept) ? readdirSync(kept, { recursive: true, withFileTypes: true }) : []
    expect(archives.filter((entry) => entry.isFile() && entry.name !== ownerBlob)).toEqual([])
    expect((await fetch(`${next.ready.registry.modulesUrl}acme/vpc/aws/1.0.0`)).status).toBe(404)
    const published = await module(next, 'publish', moduleFolder('1'), 'acme/vpc/aws', '1.0.0')
    expect(published.code).toBe(0)
    next.child.kill('SIGKILL')
    await next.exited
    const third = await start(...flags, '--data', data)
    const served = await fetch(`${third.ready.registry.modulesUrl}acme/vpc/aws/1.0.0/archive`)
    expect([served.status, (await served.arrayBuffer()).byteLength > 100]).toEqual([200, true])
  })
})

describe(...needing('over TLS with discovery', openssl, terraform), () => {
  it('publishes, is used by the real client, and deletes', async () => {
    const home = folder()
    const tls = selfSigned()
    writeFileSync(join(home, 'cert.pem'), tls.cert)
    writeFileSync(join(home, 'key.pem'), tls.key)
    const listener = `listener "tcp" {\n  purpose = "registry"\n  address = "127.0.0.1:0"\n  tls_cert_file = "${home}/cert.pem"\n  tls_key_file = "${home}/key.pem"\n}\n`
    writeFileSync(join(home, 'server.hcl'), listener)
    const server = plinth(['serve', '--json', ...flags, '--config', join(home, 'server.hcl')])
    const line = await new Promise<string>((resolve) =>
      server.child.stdout.once('data', (text) => resolve(String(text))),
    )
    const { url } = JSON.parse(line).registry
    expect(url).toMatch(/^https:/)
    const env = { REGISTRY_TOKEN: token, NODE_EXTRA_CA_CERTS: join(home, 'cert.pem') }
    for (const version of ['1.0.0', '1.10.0', '2.0.0'])
      expect(
        await run(['module', 'publish', moduleFolder(version), 'acme/vpc/aws', version, '--to', url], env),
      ).toMatchObject({
        code: 0,
      })
    const init = async () => {
      const place = folder()
      const source = `source  = "${new URL(url).host}/acme/vpc/aws`
      const text = `module "it" {\n  ${source}"\n  version = "~> 1.0"\n}\nmodule "nat" {\n  ${source}//modules/nat"\n  version = "~> 1.0"\n}\n`
      writeFileSync(join(place, 'main.tf'), text)
      const reported = await promisify(execFile)(
        'terraform',
        ['init', '-input=false', '-no-color', '-backend=false'],
        {
          cwd: place,
          env: {
            PATH: process.env['PATH'],
            HOME: place,
            SSL_CERT_FILE: join(home, 'cert.pem'),
            CHECKPOINT_DISABLE: '1',
          },
        },
      ).catch((error: unknown) => ({ stdout: '', stderr: String(error) }))
      const installed = join(place, '.terraform/modules')
      const read = (path: string) =>
        existsSync(join(installed, path)) ? readFileSync(join(installed, path), 'utf8') : ''
      const found = {
        ...reported,
        it: read('it/main.tf'),
        nat: read('nat/modules/nat/main.tf'),
        files: existsSync(join(installed, 'it')) ? readdirSync(join(installed, 'it')) : [],
      }
      rmSync(place, { recursive: true })
      return found
    }
    const used = await init()
    expect(used.stdout).toContain('Terraform has been successfully initialized!')
    expect(used.it).toContain('"1.10.0"')
    expect(used.nat).toContain('"nat"')
    expect(used.files.sort()).toEqual(['.terraformignore', 'README.md', 'main.tf', 'modules'])
    expect((await run(['module', 'delete', 'acme/vpc/aws', '1.10.0', '--to', url], env)).code).toBe(0)
    expect((await init()).it).toContain('"1.0.0"')
    expect((await run(['module', 'delete', 'acme/vpc/aws', '1.0.0', '--to', url], env)).code).toBe(0)
    expect((await init()).stderr).toMatch(/no available|no versions|Unresolvable/i)
  })
})
