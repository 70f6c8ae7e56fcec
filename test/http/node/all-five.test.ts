import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import nodeVault from 'node-vault'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Catalog, createCatalog } from '../../../src/catalog/index.ts'
import { createGateway, type Gateway } from '../../../src/gateway/index.ts'
import { mount } from '../../../src/http/index.ts'
import { directoryBlobs, type FetchHandler, type Listening, serve } from '../../../src/http/node/index.ts'
import { unwrap } from '../../../src/kernel/index.ts'
import { createRegistry, type Registry } from '../../../src/registry/index.ts'
import { createScheduler, type Scheduler } from '../../../src/scheduler/index.ts'
import { devSecrets, listener, type Secrets } from '../../../src/secrets/index.ts'
import { vagrantHome } from '../../interop/vagrant-fixture.ts'
import { commandOf, hvac, needing, openssl, terraform, vagrant } from '../../programs.ts'
import { selfSigned } from '../../self-signed.ts'

const run = promisify(execFile)
const session = new URL('../../interop/hvac-session.py', import.meta.url).pathname

/**
 * One server with all five below paths, as `site/guide/one-server.md` has it, in plain HTTP and over TLS; real clients
 * use it.
 */
describe('all five services in one server', () => {
  let folder: string
  let secrets: Secrets
  let rootToken: string
  let unsealKeys: readonly string[]
  let scheduler: Scheduler
  let gateway: Gateway
  let catalog: Catalog
  let registry: Registry
  let plain: Listening
  let answer: FetchHandler
  const peers = new Set<string | undefined>()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-all-five-'))
    const dev = await devSecrets()
    secrets = dev.service
    rootToken = dev.rootToken
    unsealKeys = dev.unsealKeys
    scheduler = createScheduler()
    gateway = createGateway()
    catalog = createCatalog({ blobs: await directoryBlobs(join(folder, 'blobs')) })
    registry = createRegistry()
    answer = mount({
      '/secrets': listener(secrets.fetch, { customResponseHeaders: { default: { 'X-Door': ['plain'] } } }),
      '/scheduler': scheduler.fetch,
      '/gateway': (request, context) => {
        peers.add(context?.peer?.address)
        return gateway.fetch(request, context)
      },
      '/catalog': catalog.fetch,
      '/modules': registry.fetch,
      '/.well-known/terraform.json': () => Response.json({ 'modules.v1': '/modules/v1/modules/' }),
    })
    plain = await serve({ fetch: answer })
  })
  afterAll(async () => {
    await plain.close({ drainMs: 0 })
    for (const service of [secrets, scheduler, gateway, catalog, registry]) await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(plain.url + path, { redirect: 'manual', ...init })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  it('each answer at their path, and identify the caller', async () => {
    for (const path of [
      '/scheduler/v1/jobs',
      '/gateway/health',
      '/catalog/api/v2/search',
      '/modules/v1/modules',
    ])
      expect([path, (await ask(path)).status]).toEqual([path, 200])
    expect(await ask('/v1/jobs')).toMatchObject({ status: 404, text: 'nothing is mounted at /v1/jobs' })
    expect([...peers]).toEqual(['127.0.0.1'])
  })

  it('refuse a verb that they do not know, each in its dialect', async () => {
    const headers = { 'x-secrets-token': rootToken }
    for (const method of ['FOO', 'PROPFIND', 'LIST-ALL']) {
      const said = async (path: string) => {
        const { status, headers: got, text } = await ask(path, { method, headers })
        return [status, got.get('content-type'), text]
      }
      const json = 'application/json'
      expect(await said('/secrets/v1/secret/data/x')).toEqual([405, json, '{"errors":[]}\n'])
      expect(await said('/scheduler/v1/jobs')).toEqual([405, 'text/plain; charset=utf-8', 'Invalid method'])
      expect(await said('/gateway/health')).toEqual([
        405,
        json,
        expect.stringContaining('"MethodNotAllowed"'),
      ])
      const refused = '{"errors":["Method Not Allowed"],"success":false}'
      expect(await said('/catalog/api/v2/search')).toEqual([405, json, refused])
      expect(await said('/modules/v1/modules')).toEqual([405, json, expect.stringContaining(method)])
    }
    expect((await ask('/secrets/v1/secret/data/x', { method: 'FOO' })).headers.get('cache-control')).toBe(
      'no-store',
    )
  })

  it(...needing('serve a whole session of hvac', hvac), async () => {
    const { stdout } = await run(commandOf(hvac) ?? '', [session, `${plain.url}/secrets`, rootToken], {
      env: { ...process.env, UNSEAL_KEYS: unsealKeys.join(',') },
    })
    expect(stdout).toContain('seal: seal, refuse, unseal, read on')
  })

  it('serve node-vault, its LIST verb included', async () => {
    const vault = nodeVault({ endpoint: `${plain.url}/secrets`, token: rootToken })
    await vault.write('secret/data/node/db', { data: { user: 'ada' } })
    expect((await vault.read('secret/data/node/db')).data.data).toEqual({ user: 'ada' })
    expect((await vault.list('secret/metadata/node')).data.keys).toEqual(['db'])
  })

  it(
    ...needing('serve vagrant, which uploads to and downloads from the addresses it is given', vagrant),
    async () => {
      unwrap(await catalog.putUser({ username: 'alice', password: 'correct horse' }))
      const { token } = unwrap(await catalog.createToken('alice'))
      const client = await vagrantHome(`${plain.url}/catalog`)
      // Given a path, its `cloud` commands take it for that of the API.
      const cloud = await vagrantHome(`${plain.url}/catalog/api/v1`)
      try {
        const box = await client.makeBox('one.box', 'virtualbox')
        const published = await cloud.vagrant(
          token,
          ...[
            'cloud',
            'publish',
            '--force',
            '--release',
            '--no-private',
            'alice/tiny',
            '1.0.0',
            'virtualbox',
          ],
          box.path,
        )
        expect(published).toMatchObject({ code: 0, out: expect.stringContaining('Published alice/tiny') })
        const added = await client.vagrant(undefined, 'box', 'add', 'alice/tiny', '--provider', 'virtualbox')
        expect(added.out).toContain("Successfully added box 'alice/tiny' (v1.0.0) for 'virtualbox'!")
      } finally {
        client.remove()
        cloud.remove()
      }
      const { text } = await ask('/catalog/alice/tiny', { headers: { accept: 'application/json' } })
      expect(text).toContain(`${plain.url}/catalog/alice/boxes/tiny/versions/1.0.0/providers/virtualbox`)
    },
  )

  it('lead to the next page, to a module that moved and to the page about secrets where these are', async () => {
    for (const name of ['vpc', 'nat']) {
      const address = { namespace: 'acme', name, provider: 'aws' }
      await registry.publishModule(address)
      await registry.publishVersion(address, { version: '1.0.0', source: 'https://x.test/a.zip' })
    }
    const page = JSON.parse((await ask('/modules/v1/modules?limit=1')).text)
    expect(page.meta.next_url).toBe('/modules/v1/modules?limit=1&offset=1')
    expect(JSON.parse((await ask(page.meta.next_url)).text).modules).toMatchObject([{ name: 'vpc' }])
    await registry.renameModule(
      { namespace: 'acme', name: 'nat', provider: 'aws' },
      { namespace: 'acme', name: 'gateway', provider: 'aws' },
    )
    const moved = await ask('/modules/v1/modules/acme/nat/aws')
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      '/modules/v1/modules/acme/gateway/aws',
    ])
    const top = await ask('/secrets')
    expect([top.status, top.headers.get('location')]).toEqual([307, '/secrets/ui/'])
    const { text } = await ask('/secrets/ui/')
    const [, link = ''] = /href="([^"]*seal-status)"/.exec(text) ?? []
    expect(new URL(link, `${plain.url}/secrets/ui/`).pathname).toBe('/secrets/v1/sys/seal-status')
    expect(JSON.parse((await ask('/modules/.well-known/registry.json')).text)['modules.v1']).toBe(
      '/modules/v1/modules/',
    )
  })

  it('describe themselves below their place, and keep the rules of a listener there', async () => {
    const described = await ask('/secrets/v1/sys/internal/specs/openapi', {
      headers: { 'x-vault-token': rootToken },
    })
    expect(JSON.parse(described.text).servers).toEqual([{ url: '/secrets/v1' }])
    expect(described.headers.get('x-door')).toBe('plain')
  })

  it(
    ...needing('serve terraform, which is told nothing but the address of a module', terraform, openssl),
    async () => {
      const tls = selfSigned()
      const certificate = join(folder, 'cert.pem')
      writeFileSync(certificate, tls.cert)
      const secure = await serve({ fetch: answer, tls })
      onTestFinished(() => secure.close({ drainMs: 0 }))
      const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
      const module = mkdtempSync(join(folder, 'module-'))
      writeFileSync(join(module, 'main.tf'), 'output "label" {\n  value = "found"\n}\n')
      await registry.publishVersion(vpc, { version: '1.2.0', source: `file://${module}` })
      const { host } = new URL(secure.url)
      const place = mkdtempSync(join(folder, 'run-'))
      writeFileSync(
        join(place, 'main.tf'),
        `module "it" {\n  source  = "${host}/acme/vpc/aws"\n  version = "~> 1.0"\n}\n`,
      )
      const { stdout } = await run('terraform', ['init', '-input=false', '-no-color', '-backend=false'], {
        cwd: place,
        env: { PATH: process.env['PATH'], HOME: place, SSL_CERT_FILE: certificate, CHECKPOINT_DISABLE: '1' },
      })
      expect(stdout).toContain(`Downloading ${host}/acme/vpc/aws 1.2.0 for it`)
    },
  )
})
