import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, serve } from '../../src/http/node/index.ts'
import { createRegistry, type Registry } from '../../src/registry/index.ts'
import { memoryStore } from '../../src/store/index.ts'

const terraform = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'terraform'))
  .find((path) => existsSync(path))

const prefix = '/tools'

/** What a proxy leaves of the address of a registry that it serves below a path; discovery is at the top of the host. */
const withoutPrefix = (request: Request): Request =>
  new Request(request.url.replace(`${prefix}/`, '/'), { headers: request.headers })

/**
 * A client that is told nothing but a module's address asks its host over TLS where the modules are. The other tests
 * of this client tell it, and do without TLS. The modules lie below a path of the host.
 */
describe('service discovery over TLS', { timeout: 60_000 }, () => {
  let folder: string
  let certificate: string
  let registry: Registry
  let listening: Listening
  let asked: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plinth-discovery-'))
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert],
      ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ])
    if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`)
    certificate = cert
    listening = await serve({
      fetch: (request) => {
        asked.push(new URL(request.url).pathname)
        return registry.fetch(withoutPrefix(request))
      },
      tls: { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') },
    })
    registry = createRegistry({
      store: memoryStore(),
      words: ['Registry', 'Terraform'],
      baseUrl: `${listening.url}${prefix}`,
    })
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    await registry.publishModule(vpc)
    await mkdir(join(folder, 'module'))
    await writeFile(join(folder, 'module', 'main.tf'), 'output "label" {\n  value = "found"\n}\n')
    for (const version of ['1.9.0', '1.10.0', '2.0.0'])
      await registry.publishVersion(vpc, { version, source: `file://${join(folder, 'module')}` })
  })
  afterAll(async () => {
    await listening.close({ drainMs: 0 })
    await registry.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('says where the modules are, at an address that ends in a slash', async () => {
    const ca = await readFile(certificate)
    const body = await new Promise<string>((resolve, reject) => {
      get(`${listening.url}/.well-known/terraform.json`, { ca }, (answer) => {
        text(answer).then(resolve, reject)
      }).on('error', reject)
    })
    expect(JSON.parse(body)).toMatchObject({ 'modules.v1': `${listening.url}${prefix}/v1/modules/` })
  })

  it.each(terraform === undefined ? [] : [terraform])(
    'is all that the real client needs: %s',
    async (binary) => {
      const { host } = new URL(listening.url)
      const place = await mkdtemp(join(folder, 'run-'))
      const source = `source  = "${host}/acme/vpc/aws"\n  version = "~> 1.0"`
      await writeFile(join(place, 'main.tf'), `module "it" {\n  ${source}\n}\n`)
      const env = {
        PATH: process.env['PATH'],
        HOME: place,
        SSL_CERT_FILE: certificate,
        CHECKPOINT_DISABLE: '1',
        TF_IN_AUTOMATION: '1',
      }
      asked = []
      const { stdout } = await promisify(execFile)(
        binary,
        ['init', '-input=false', '-no-color', '-backend=false'],
        { cwd: place, env },
      )
      expect(stdout).toContain(`Downloading ${host}/acme/vpc/aws 1.10.0 for it`)
      expect(stdout).toContain('Terraform has been successfully initialized!')
      expect(asked).toEqual([
        '/.well-known/terraform.json',
        `${prefix}/v1/modules/acme/vpc/aws/versions`,
        `${prefix}/v1/modules/acme/vpc/aws/1.10.0/download`,
      ])
    },
  )
})
