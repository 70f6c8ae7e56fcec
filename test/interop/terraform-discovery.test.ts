import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, serve } from '../../src/http/node/index.ts'
import { createRegistry, type Registry } from '../../src/registry/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { needing, openssl, terraform } from '../programs.ts'
import { selfSigned } from '../self-signed.ts'

const prefix = '/tools'

/** What a proxy leaves of the address of a registry that it serves below a path; discovery is at the top of the host. */
const withoutPrefix = (request: Request): Request =>
  new Request(request.url.replace(`${prefix}/`, '/'), { headers: request.headers })

/**
 * A client that is told nothing but a module's address asks its host over TLS where the modules are. The other tests
 * of this client tell it, and do without TLS. The modules lie below a path of the host.
 */
describe(...needing('service discovery over TLS', openssl), () => {
  let folder: string
  let tls: ReturnType<typeof selfSigned>
  let registry: Registry
  let listening: Listening
  let asked: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plinth-discovery-'))
    tls = selfSigned()
    listening = await serve({
      fetch: (request) => {
        asked.push(new URL(request.url).pathname)
        return registry.fetch(withoutPrefix(request))
      },
      tls,
    })
    registry = createRegistry({
      store: memoryStore(),
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
    const body = await new Promise<string>((resolve, reject) => {
      get(`${listening.url}/.well-known/terraform.json`, { ca: tls.cert }, (answer) => {
        text(answer).then(resolve, reject)
      }).on('error', reject)
    })
    expect(JSON.parse(body)).toMatchObject({ 'modules.v1': `${listening.url}${prefix}/v1/modules/` })
  })

  it(...needing('is all that the real client needs', terraform), async () => {
    const { host } = new URL(listening.url)
    const certificate = join(folder, 'cert.pem')
    await writeFile(certificate, tls.cert)
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
      'terraform',
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
  })
})
