import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type CatalogOptions, createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry, type RegistryOptions } from '../../src/registry/index.ts'
import { tarGz } from '../registry/archive/archives.ts'

/** What browsers send. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

async function boxes(options: CatalogOptions = {}, shortDescription = 'A <b>base</b> & more') {
  const catalog = createCatalog(options)
  closing.push(catalog.close)
  unwrap(await catalog.putUser({ username: 'acme' }))
  unwrap(await catalog.createBox({ username: 'acme', name: 'base', private: false, shortDescription }))
  unwrap(await catalog.createBox({ username: 'acme', name: 'secret' }))
  const version = { username: 'acme', name: 'base', version: '1.2.0' }
  unwrap(await catalog.createVersion(version, version))
  unwrap(await catalog.createProvider(version, { name: 'qemu', url: 'https://example.com/a.box' }))
  unwrap(await catalog.releaseVersion(version))
  return catalog
}

async function modules(options: RegistryOptions = {}, readme = '# VPC\n\nA <script>network</script>.\n') {
  const registry = createRegistry(options)
  closing.push(registry.close)
  const archive = tarGz(
    {
      path: 'main.tf',
      text: 'variable "cidr" {\n  type = string\n}\nvariable "size" {\n  default = 1\n}\nvariable "tags" {}\n',
    },
    { path: 'README.md', text: readme },
  )
  const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
  unwrap(
    await registry.publishArchive(vpc, { version: '1.0.0' }, new Blob([new Uint8Array(archive)]).stream()),
  )
  return registry
}

type Asked = { readonly fetch: (request: Request) => Promise<Response> }
const ask = (
  { fetch }: Asked,
  path: string,
  headers: Record<string, string> = { accept },
  host = 'boxes.example.com',
) => fetch(new Request(`http://${host}${path}`, { headers: { host, ...headers } }))

const consoleUrl = () => 'http://127.0.0.1:4600'

describe('a browser without a console', () => {
  it('is shown how to use a box, escaped and in a policy that runs nothing', async () => {
    const answer = await ask(await boxes(), '/acme/base')
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain('<h1>acme/base</h1>')
    expect(text).toContain('A &#60;b&#62;base&#60;/b&#62; &#38; more')
    expect(text).toContain('ENV[&#34;VAGRANT_SERVER_URL&#34;] = &#34;http://boxes.example.com&#34;')
    expect(text).toContain('config.vm.box_version = &#34;1.2.0&#34;')
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? ''
    const digest = createHash('sha256').update(style).digest('base64')
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each(['/v1/modules/acme/vpc/aws', '/v1/modules/acme/vpc/aws/1.0.0'])(
    'is shown how to use the module at %s',
    async (path) => {
      const text = await (await ask(await modules(), path)).text()
      expect(text).toContain('<h1>acme/vpc/aws 1.0.0</h1>')
      expect(text).toContain('source  = &#34;boxes.example.com/acme/vpc/aws&#34;')
      expect(text).toContain('# cidr = string, required')
      expect(text).toContain('# tags = any, required')
      expect(text).not.toContain('size = ')
      expect(text).not.toContain('<script')
    },
  )

  const written =
    '# Use\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nrun <it>\n```\n\n[ok](https://example.com) [no](javascript:alert(1)) <b>x</b>\n'
  const rendered = [
    '<h2>Use</h2>',
    '<td>1</td>',
    '<pre><code class="language-sh">run &lt;it&gt;\n</code></pre>',
    '<a href="https://example.com">ok</a> <a href="">no</a> &lt;b&gt;x&lt;/b&gt;',
  ]
  it('is shown the Markdown of a box and of a module: tables, code and harmless links', async () => {
    const catalog = await boxes()
    unwrap(await catalog.updateBox({ username: 'acme', name: 'base' }, { description: written }))
    const registry = await modules({}, written)
    for (const text of [
      await (await ask(catalog, '/acme/base')).text(),
      await (await ask(registry, '/v1/modules/acme/vpc/aws')).text(),
    ])
      for (const part of rendered) expect(text).toContain(part)
  })

  it('learns no more of a private box than of one that does not exist', async () => {
    const catalog = await boxes()
    const [hidden, missing] = [await ask(catalog, '/acme/secret'), await ask(catalog, '/acme/nothing')]
    expect([hidden.status, missing.status]).toEqual([404, 404])
    expect(hidden.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await hidden.text()).toBe(await missing.text())
    const registry = await modules({ authenticate: 'tokens' })
    const closed = await ask(registry, '/v1/modules/acme/vpc/aws')
    expect([closed.status, closed.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await closed.text()).toContain('<h1>Not signed in</h1>')
  })

  it('gets no markup from the texts of a box or a module', async () => {
    const tagsOf = async (description: string) =>
      (await (await ask(await boxes({}, description), '/acme/base')).text()).match(/<[^>]*>/g)
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async (description) => {
        expect(await tagsOf(description)).toEqual(await tagsOf(''))
      }),
      { numRuns: 30 },
    )
  })
})

describe('a browser with a console', () => {
  it.each([
    ['/acme/base', '/catalog/acme/base'],
    ['/acme/secret', '/catalog/acme/secret'],
    ['/acme/a%2F..%2Fb', '/catalog/acme/a%2F..%2Fb'],
  ])('is sent from %s to its view', async (path, view) => {
    const catalog = await boxes({ consoleUrl: 'https://console.example.com/ui/' })
    const answer = await ask(catalog, path)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      `https://console.example.com/ui${view}`,
    ])
    expect(answer.headers.get('vary')).toBe('Accept')
  })

  it('is sent to one on the loopback interface only from there', async () => {
    const registry = await modules({ consoleUrl })
    const near = await ask(registry, '/v1/modules/acme/vpc/aws', { accept }, 'localhost:8400')
    expect(near.headers.get('location')).toBe('http://127.0.0.1:4600/registry/acme/vpc/aws')
    expect((await ask(registry, '/v1/modules/acme/vpc/aws')).status).toBe(200)
  })
})

describe('a client', () => {
  it.each([
    ['vagrant', 'application/json'],
    ['curl', '*/*'],
    ['terraform', ''],
    ['a program that refuses HTML', 'text/html;q=0, application/json'],
  ])('%s gets JSON, with and without a console', async (_name, accept) => {
    const headers: Record<string, string> = accept === '' ? {} : { accept }
    for (const options of [{}, { consoleUrl: 'https://console.example.com' }])
      for (const [service, path] of [
        [await boxes(options), '/acme/base'],
        [await modules(options), '/v1/modules/acme/vpc/aws'],
      ] as const) {
        const answer = await ask(service, path, headers)
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
        expect(await answer.json()).toHaveProperty('name')
        expect(answer.headers.get('vary')).toMatch(/^Accept\b/)
      }
  })

  it('that names HTML still gets JSON of what has no page', async () => {
    const answer = await ask(await boxes(), '/api/v2/box/acme/base')
    expect(answer.headers.get('content-type')).toBe('application/json')
  })
})
