import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import nodeVault from 'node-vault'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Catalog } from '../../src/catalog/index.ts'
import { mount } from '../../src/http/index.ts'
import { fastifyPlinth, prepareServer, serve, toNodeListener } from '../../src/http/node/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry, type Registry } from '../../src/registry/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { archiveOf } from '../interop/module-archive.ts'
import { nomadClient } from '../interop/nomad-fixture.ts'
import { vagrantHome } from '../interop/vagrant-fixture.ts'
import { commandOf, hvac, needing, openssl, terraform, vagrant } from '../programs.ts'
import { programsOf } from './programs.ts'
import { runnable } from './runnable.ts'
import { tlsProxy } from './walk.ts'

/**
 * The samples that mount services, as the pages show them, asked by the real clients: a program runs up to the line that
 * closes what it opened, and the rest when the test has ended.
 */

const scratch = mkdtempSync(join(tmpdir(), 'plinth-mounted-'))
mkdirSync(join(scratch, 'var/lib'), { recursive: true })
const programs = resolve(`temp/mounted-${process.pid}`)
mkdirSync(programs, { recursive: true })
afterAll(() => {
  for (const folder of [scratch, programs]) rmSync(folder, { recursive: true, force: true })
})

/** Where the end of a program begins. */
const closing = /^(?:\/\/ Graceful shutdown|(?:await )?\w+\.close\()/m

let openedSoFar = 0

/** Runs the program of a page that contains a text; answers the values of some of its names. */
async function opened(page: string, marker: string, ...names: readonly string[]) {
  const program = programsOf(page).find(({ code }) => code.includes(marker))
  const end = program?.code.search(closing) ?? -1
  if (program === undefined || end < 0) throw new Error(`${page} has no program with ${marker} that ends`)
  const code = `${program.code.slice(0, end)}
export const end = async () => {
${program.code.slice(end)}
}
export { ${names.join(', ')} }
`
  const path = join(programs, `${openedSoFar++}-${program.name}`)
  writeFileSync(path, runnable(code, { directory: mkdtempSync(join(scratch, 'var/lib/')) }))
  const { end: close, ...values } = await import(path)
  onTestFinished(close)
  return values
}

async function fetchBox(catalog: Catalog, url: string): Promise<void> {
  const client = await vagrantHome(url)
  onTestFinished(client.remove)
  unwrap(await catalog.putUser({ username: 'acme' }))
  const box = { username: 'acme', name: 'tiny' }
  const version = { ...box, version: '1.0.0' }
  unwrap(await catalog.createBox({ ...box, private: false }))
  unwrap(await catalog.createVersion(box, { version: '1.0.0' }))
  unwrap(await catalog.createProvider(version, { name: 'virtualbox' }))
  const { secret } = unwrap(await catalog.requestUpload(version, { name: 'virtualbox' }, 'standard'))
  const { path } = await client.makeBox('tiny.box', 'virtualbox')
  unwrap(await catalog.receiveUpload(secret, new Blob([readFileSync(path)]).stream()))
  unwrap(await catalog.releaseVersion(version))
  const { out } = await client.vagrant(undefined, 'box', 'add', 'acme/tiny')
  expect(out).toContain("Successfully added box 'acme/tiny' (v1.0.0) for 'virtualbox'!")
}

async function initModule(
  registry: Registry,
  at: { readonly host: string; readonly modules?: string; readonly certificate?: string },
  name = 'net',
): Promise<void> {
  const address = { namespace: 'acme', name, provider: 'aws' }
  unwrap(
    await registry.publishArchive(address, { version: '1.0.0' }, new Blob([archiveOf('1.0.0')]).stream()),
  )
  const place = mkdtempSync(join(scratch, 'terraform-'))
  const rc = join(place, 'terraform.rc')
  const services = `services = { "modules.v1" = "${at.modules}" }`
  writeFileSync(rc, at.modules === undefined ? '' : `host "${at.host}" { ${services} }\n`)
  writeFileSync(join(place, 'main.tf'), `module "it" {\n  source = "${at.host}/acme/${name}/aws"\n}\n`)
  const { stdout } = await promisify(execFile)(
    commandOf(terraform) ?? '',
    ['init', '-input=false', '-no-color'],
    {
      cwd: place,
      env: {
        PATH: process.env['PATH'],
        HOME: place,
        CHECKPOINT_DISABLE: '1',
        TF_CLI_CONFIG_FILE: rc,
        SSL_CERT_FILE: at.certificate,
      },
    },
  )
  expect(stdout).toContain('Terraform has been successfully initialized!')
  expect(readFileSync(join(place, '.terraform/modules/it/main.tf'), 'utf8')).toContain('1.0.0')
}
const modules = 'modules.example.com'

async function readWithHvac(url: string, token: string): Promise<void> {
  const program = `
import sys, hvac
kv = hvac.Client(url=sys.argv[1], token=sys.argv[2]).secrets.kv.v2
kv.create_or_update_secret("by-hvac", {"n": 1})
print(kv.list_secrets("")["data"]["keys"])
print(kv.read_secret_version("by-hvac")["data"]["data"])
`
  const { stdout } = await promisify(execFile)(commandOf(hvac) ?? '', ['-c', program, url, token])
  expect(stdout).toMatch(/'by-hvac'.*\n\{'n': 1\}/)
}

async function readWithNodeVault(endpoint: string, token: string): Promise<void> {
  const client = nodeVault({ endpoint, token })
  await client.write('secret/data/by-node', { data: { n: 1 } })
  expect((await client.list('secret/metadata')).data.keys).toContain('by-node')
  expect((await client.read('secret/data/by-node')).data.data).toEqual({ n: 1 })
}

async function runJob(baseUrl: string, token?: string): Promise<void> {
  const Client = await nomadClient()
  const client = new Client({ baseUrl, token })
  const TaskGroups = [{ Name: 'web', Count: 1, Tasks: [{ Name: 'web', Driver: 'exec' }] }]
  const job = { ID: 'hello', Name: 'hello', Type: 'service', Datacenters: ['*'], TaskGroups }
  expect(await client.jobs.create(job)).toMatchObject({ EvalID: expect.any(String) })
  expect(await client.jobs.get('hello')).toMatchObject({ ID: 'hello' })
  expect(JSON.stringify(await client.jobs.list())).toContain('"hello"')
}

describe('several services in one server', () => {
  const page = 'site/guide/one-server.md'
  const names = ['listening', 'rootToken', 'catalog', 'registry'] as const

  it(
    ...needing('answer the settings of every client on the page', hvac, vagrant, terraform, openssl),
    async () => {
      const { listening, rootToken, catalog, registry } = await opened(page, 'await serve({', ...names)
      await readWithHvac(`${listening.url}/secrets`, rootToken)
      await readWithNodeVault(`${listening.url}/secrets`, rootToken)
      await runJob(`${listening.url}/scheduler`)
      await fetchBox(catalog, `${listening.url}/catalog`)
      const account = await vagrantHome(`${listening.url}/catalog/api/v1`)
      onTestFinished(account.remove)
      const { token } = unwrap(await (catalog as Catalog).createToken('acme'))
      const shown = await account.vagrant(token, 'cloud', 'box', 'show', 'acme/tiny')
      expect(shown.out).toContain('acme/tiny')
      expect(shown.code).toBe(0)
      const proxy = await tlsProxy(scratch)
      onTestFinished(proxy.close)
      proxy.to(listening.url)
      await initModule(registry, { host: new URL(proxy.url).host, certificate: proxy.certificate })
    },
  )
})

describe('a service in a framework', () => {
  const page = 'site/guide/frameworks.md'

  it('answers node-vault in node:http', async () => {
    const { port, rootToken } = await opened(page, "mount({ '/secrets'", 'port', 'rootToken')
    await readWithNodeVault(`http://127.0.0.1:${port}/secrets`, rootToken)
  })

  it(...needing('answers vagrant and terraform in Express', vagrant, terraform), async () => {
    const { base, catalog, registry } = await opened(page, "app.use('/boxes'", 'base', 'catalog', 'registry')
    await fetchBox(catalog, `${base}/boxes`)
    await initModule(registry, { host: modules, modules: `${base}/v1/modules/` })
  })

  it('answers nomad-client in Nest', async () => {
    const { app } = await opened(page, 'NestFactory.create', 'app')
    await runJob(`${await app.getUrl()}/jobs`)
  })

  it(...needing('answers hvac and node-vault in Fastify', hvac), async () => {
    const { base, rootToken } = await opened(page, 'fastifyPlinth', 'base', 'rootToken')
    await readWithHvac(`${base}/secrets`, rootToken)
    await readWithNodeVault(`${base}/secrets`, rootToken)
  })

  it('answers nomad-client in Koa', async () => {
    const { base } = await opened(page, 'new Koa()', 'base')
    await runJob(base)
  })

  it.each(['hono', 'h3', 'elysia'])(
    ...(needing('answers vagrant in %s', vagrant) as [string, { skip: boolean }]),
    async (name) => {
      const { catalog, ...apps } = await opened(page, 'new Elysia()', 'catalog', 'hono', 'h3', 'elysia')
      const listening = await serve({ fetch: (request) => apps[name].fetch(request) })
      onTestFinished(() => listening.close())
      await fetchBox(catalog, `${listening.url}/boxes`)
    },
  )

  it(...needing('answers terraform in handlers of files', terraform), async () => {
    const { registry, next, fallback } = await opened(page, '// Next.js:', 'registry', 'next', 'fallback')
    const listening = await serve({ fetch: next.GET })
    onTestFinished(() => listening.close())
    await initModule(registry, { host: modules, modules: `${listening.url}/v1/modules/` })
    const remix = await serve({ fetch: (request) => fallback({ request }) })
    onTestFinished(() => remix.close())
    await initModule(registry, { host: modules, modules: `${remix.url}/v1/modules/` }, 'other')
  })
})

/** The other clients of the table, at a path of their own. */
describe('a service below a path of a framework', () => {
  async function listening(app: RequestListener): Promise<string> {
    const server = prepareServer(createServer(app)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const discovery = { 'modules.v1': '/modules/v1/modules/' }
  /** Starts an app with a registry at `/modules`, and with the file in which terraform looks for it. */
  const apps: Readonly<Record<string, (registry: Registry) => Promise<string>>> = {
    Express: (registry) =>
      listening(
        express()
          .use('/modules', toNodeListener(registry.fetch))
          .get('/.well-known/terraform.json', (_request, response) => void response.json(discovery)),
      ),
    Fastify: (registry) => {
      const app = fastify({ forceCloseConnections: true })
      app.register(fastifyPlinth, { fetch: registry.fetch, prefix: '/modules' })
      app.get('/.well-known/terraform.json', async () => discovery)
      onTestFinished(() => app.close())
      return app.listen({ port: 0, host: '127.0.0.1' })
    },
  }

  it.each(Object.keys(apps))(
    ...(needing('answers terraform in %s', terraform, openssl) as [string, { skip: boolean }]),
    async (name) => {
      const registry = createRegistry()
      onTestFinished(() => registry.close())
      const proxy = await tlsProxy(scratch)
      onTestFinished(proxy.close)
      proxy.to((await apps[name]?.(registry)) ?? '')
      await initModule(registry, { host: new URL(proxy.url).host, certificate: proxy.certificate })
    },
  )

  it(...needing('answers hvac in Koa', hvac), async () => {
    const { service, rootToken } = await devSecrets()
    onTestFinished(() => service.close())
    const listener = toNodeListener(mount({ '/secrets': service.fetch }))
    const app = new Koa().use((context) => {
      context.respond = false
      listener(context.req, context.res)
    })
    const base = await listening(app.callback())
    await readWithHvac(`${base}/secrets`, rootToken)
    await readWithNodeVault(`${base}/secrets`, rootToken)
  })
})

it(...needing('an app of its own answers vagrant and nomad-client', vagrant), async () => {
  const page = 'site/guide/in-your-app.md'
  const { base, catalog } = await opened(page, "from 'express'", 'base', 'catalog')
  await runJob(base, 'a secret of your app')
  await fetchBox(catalog, `${base}/boxes`)
})

it(...needing('the registry of the README answers terraform', terraform), async () => {
  const { registry, server } = await opened('README.md', 'createServer(toNodeListener', 'registry', 'server')
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${server.address().port}`
  await initModule(registry, { host: modules, modules: `${url}/v1/modules/` })
})
