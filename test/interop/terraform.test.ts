import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, serve } from '../../src/http/node/index.ts'
import { createRegistry, type Reader, type Registry } from '../../src/registry/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { needing, type Program, terraform } from '../programs.ts'
import { archiveOf } from './module-archive.ts'

/**
 * What `terraform init` does with a module registry. Where the real client is on PATH it does it; everywhere, a
 * client written after a recording of its requests (version 1.11.4) does the same, and both must install the same.
 */

const host = 'modules.example.test'
const token = 'reader-token-1'

interface Request1 {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
  /** Whether its answer came compressed. */
  readonly isPacked: boolean
}

interface World {
  readonly registry: Registry
  readonly listening: Listening
  /** What clients asked, in order. */
  readonly requests: Request1[]
}

const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const versions = ['1.0.0', 'v1.9', '1.10.0', '2.0.0-beta1']
const checksum = createHash('sha256').update(archiveOf('checked 1.0.0')).digest('hex')

/** A registry whose archives lie beside it on the same server. */
async function world(
  options: { readonly authenticate?: (request: Request) => Reader | undefined } = {},
): Promise<World> {
  const registry = createRegistry({ store: memoryStore(), ...options })
  const requests: Request1[] = []
  const listening = await serve({
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const archive = /\/([^/]+)\.tar\.gz$/.exec(pathname)
      const answer = archive
        ? new Response(archiveOf(decodeURIComponent(archive[1] ?? '')), {
            headers: { 'content-type': 'application/gzip' },
          })
        : await registry.fetch(request)
      requests.push({
        method: request.method,
        path: pathname,
        authorization: request.headers.get('authorization'),
        isPacked: answer.headers.get('content-encoding') === 'gzip',
      })
      return answer
    },
  })
  const publish = async (name: string, list: readonly string[], source: (version: string) => string) => {
    const address = { ...vpc, name }
    await registry.publishModule(address)
    for (const version of list)
      expect(await registry.publishVersion(address, { version, source: source(version) })).toMatchObject({
        ok: true,
      })
  }
  const files = `${listening.url}/files`
  await publish('vpc', versions, (version) => `${files}/vpc%20${version}.tar.gz?archive=tar.gz`)
  const many = Array.from({ length: 60 }, (_, minor) => `1.${minor}.0`)
  await publish('many', many, (version) => `${files}/many%20${version}.tar.gz`)
  await publish('beside', ['1.0.0'], () => './beside%201.0.0.tar.gz')
  await publish('above', ['1.0.0'], () => '../../above%201.0.0.tar.gz')
  await publish('rooted', ['1.0.0'], () => '/files/rooted%201.0.0.tar.gz')
  await publish('inside', ['1.0.0'], () => `${files}/inside%201.0.0.tar.gz//nat`)
  await publish('checked', ['1.0.0'], () => `${files}/checked%201.0.0.tar.gz?checksum=sha256:${checksum}`)
  await publish('tampered', ['1.0.0'], () => `${files}/tampered%201.0.0.tar.gz?checksum=sha256:${checksum}`)
  await publish('early', ['1.0.0-rc1'], () => `${files}/early.tar.gz`)
  await publish('former', ['1.0.0'], () => `${files}/renamed%201.0.0.tar.gz`)
  await registry.renameModule({ ...vpc, name: 'former' }, { ...vpc, name: 'renamed' })
  return { registry, listening, requests }
}

interface Wanted {
  readonly name: string
  readonly version?: string
  readonly subdirectory?: string
  readonly token?: string
}

/** What a client installed: the label in the module's own text, or why it could not. */
type Installed =
  | { readonly ok: true; readonly label: string }
  | { readonly ok: false; readonly output: string }

type Client = (at: Listening, wanted: Wanted) => Promise<Installed>

const labelIn = (text: string): string => /value = "([^"]*)"/.exec(text)?.[1] ?? ''

/** The real client, told where the host is by its configuration, so that it needs neither TLS nor a network. */
const realClient =
  (folder: string): Client =>
  async (at, { name, version, subdirectory, token: secret }) => {
    const place = await mkdtemp(join(folder, 'run-'))
    const config = join(place, 'cli.tfrc')
    const services = `services = { "modules.v1" = "${at.url}/v1/modules/" }`
    const credentials = secret === undefined ? '' : `credentials "${host}" { token = "${secret}" }\n`
    await writeFile(config, `host "${host}" { ${services} }\n${credentials}`)
    const source = `${host}/acme/${name}/aws${subdirectory === undefined ? '' : `//${subdirectory}`}`
    const constraint = version === undefined ? '' : `  version = "${version}"\n`
    await writeFile(join(place, 'main.tf'), `module "it" {\n  source  = "${source}"\n${constraint}}\n`)
    const env = {
      PATH: process.env['PATH'],
      HOME: place,
      TF_CLI_CONFIG_FILE: config,
      CHECKPOINT_DISABLE: '1',
      TF_IN_AUTOMATION: '1',
    }
    try {
      await promisify(execFile)('terraform', ['init', '-input=false', '-no-color'], { cwd: place, env })
    } catch (error) {
      // `execFile` rejects with the output of the program on the error.
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      return { ok: false, output: `${stdout}${stderr}` }
    }
    const index = JSON.parse(await readFile(join(place, '.terraform/modules/modules.json'), 'utf8'))
    const { Dir } = index.Modules.find(({ Key }: { Key: string }) => Key === 'it')
    return { ok: true, label: labelIn(await readFile(join(place, Dir, 'main.tf'), 'utf8')) }
  }

const segmentsOf = (version: string): readonly number[] => {
  const numbers = version
    .replace(/[-+].*$/, '')
    .split('.')
    .map(Number)
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0]
}
const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((each, index) => each - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0

/** Whether the recorded client takes a version for a constraint: `=`, `>=`, `<` and `~>` over three segments. */
function satisfies(version: string, constraint: string | undefined): boolean {
  const terms = (constraint ?? '>= 0').split(',').map((term) => /^\s*(=|>=|<|~>)?\s*v?(\S+)\s*$/.exec(term))
  return terms.every((term) => {
    const [, operator = '=', bound = ''] = term ?? []
    if (version.includes('-')) return operator === '=' && bound === version
    const order = compare(segmentsOf(version), segmentsOf(bound))
    if (operator === '=') return order === 0 && !bound.includes('-')
    if (operator === '>=') return order >= 0
    if (operator === '<') return order < 0
    const fixed = bound.split('.').length - 1
    return (
      order >= 0 && segmentsOf(version).slice(0, fixed).join() === segmentsOf(bound).slice(0, fixed).join()
    )
  })
}

/**
 * The requests of the real client, as recorded: the version list and the download with the token, redirects followed
 * on the former; the location resolved against the download's URL; the archive by HEAD and GET without the token.
 */
const recordedClient: Client = async (at, { name, version, subdirectory, token: secret }) => {
  const headers: Record<string, string> = {
    'user-agent': 'Terraform/1.11.4',
    'x-terraform-version': '1.11.4',
    ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
  }
  const base = `${at.url}/v1/modules/acme/${name}/aws`
  const listed = await fetch(`${base}/versions`, { headers })
  if (listed.status === 404) return { ok: false, output: 'Module not found' }
  if (!listed.ok) return { ok: false, output: `error looking up module versions: ${listed.status}` }
  const body = JSON.parse(await listed.text())
  const offered: readonly string[] = body.modules[0].versions.map((each: { version: string }) => each.version)
  const chosen = offered
    .filter((each) => satisfies(each, version))
    .sort((a, b) => compare(segmentsOf(a), segmentsOf(b)))
    .at(-1)
  if (chosen === undefined) return { ok: false, output: 'no available version matches' }
  const download = await fetch(`${base}/${chosen}/download`, { headers })
  const location = download.headers.get('x-terraform-get')
  if (download.status !== 204 || !location) return { ok: false, output: `download: ${download.status}` }
  const resolved = /^\.{0,2}\//.test(location) ? new URL(location, download.url).href : location
  const [, archive = '', folder = '', query = ''] =
    /^(\w+:\/\/[^?]*?)(?:\/\/([^?]*))?(\?.*)?$/.exec(resolved) ?? []
  await fetch(archive, { method: 'HEAD', headers: { 'user-agent': 'Go-http-client/1.1' } })
  const bytes = Buffer.from(
    await (await fetch(archive, { headers: { 'user-agent': 'Go-http-client/1.1' } })).arrayBuffer(),
  )
  const expected = new URLSearchParams(query).get('checksum')
  if (expected !== null && expected !== `sha256:${createHash('sha256').update(bytes).digest('hex')}`)
    return { ok: false, output: 'Checksums did not match' }
  const inner = [folder, subdirectory ?? ''].filter((part) => part !== '').join('/')
  const label = decodeURIComponent(/([^/]+)\.tar\.gz$/.exec(archive)?.[1] ?? '')
  return { ok: true, label: inner === '' ? label : `${label} ${inner}` }
}

const folder = await mkdtemp(join(tmpdir(), 'plinth-terraform-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const clients: readonly (readonly [name: string, needed: readonly Program[], client: Client])[] = [
  ['the recorded client', [], recordedClient],
  ['the real client', [terraform], realClient(folder)],
]

for (const [name, needed, install] of clients)
  describe(...needing(`${name} installs from the registry`, ...needed), () => {
    let at: World
    beforeAll(async () => {
      await mkdir(folder, { recursive: true })
      at = await world()
    })
    afterAll(async () => {
      await at.listening.close({ drainMs: 0 })
      await at.registry.close()
    })

    it.each<[string, Wanted, string]>([
      ['the highest stable version', { name: 'vpc' }, 'vpc 1.10.0'],
      ['the highest of a range', { name: 'vpc', version: '>= 1.0, < 1.10' }, 'vpc v1.9'],
      ['the highest of a pessimistic range', { name: 'vpc', version: '~> 1.0' }, 'vpc 1.10.0'],
      ['an exact version that was published with a v', { name: 'vpc', version: '1.9.0' }, 'vpc v1.9'],
      ['an exact prerelease', { name: 'vpc', version: '2.0.0-beta1' }, 'vpc 2.0.0-beta1'],
      ['an archive beside the download', { name: 'beside' }, 'beside 1.0.0'],
      ['an archive above it', { name: 'above' }, 'above 1.0.0'],
      ['an archive from the root of the host', { name: 'rooted' }, 'rooted 1.0.0'],
      ['a folder that the source names', { name: 'inside' }, 'inside 1.0.0 nat'],
      ['a submodule that the configuration names', { name: 'vpc', subdirectory: 'nat' }, 'vpc 1.10.0 nat'],
      ['an archive with its checksum', { name: 'checked' }, 'checked 1.0.0'],
      ['a module by the name it used to have', { name: 'former' }, 'renamed 1.0.0'],
    ])('%s', async (_what, wanted, label) => {
      expect(await install(at.listening, wanted)).toEqual({ ok: true, label })
    })

    it.each<[string, Wanted, RegExp]>([
      ['a module that is not there', { name: 'nothing' }, /not found/i],
      [
        'a version that is not there',
        { name: 'vpc', version: '9.9.9' },
        /no available version|no (?:suitable|matching) version|There is no available/i,
      ],
      [
        'a prerelease it did not ask for',
        { name: 'early' },
        /no (?:available )?versions? (?:available|matches)/i,
      ],
      ['an archive that is not the published one', { name: 'tampered' }, /checksums? did not match/i],
    ])('not %s', async (_what, wanted, output) => {
      const installed = await install(at.listening, wanted)
      expect(installed.ok).toBe(false)
      if (!installed.ok) expect(installed.output.replace(/\s+/g, ' ')).toMatch(output)
    })

    it('one of many versions, of which the list comes compressed', async () => {
      at.requests.length = 0
      expect(await install(at.listening, { name: 'many', version: '< 1.50' })).toEqual({
        ok: true,
        label: 'many 1.49.0',
      })
      expect(at.requests.filter(({ isPacked }) => isPacked).map(({ path }) => path)).toEqual([
        '/v1/modules/acme/many/aws/versions',
      ])
    })

    it('and one installation is one counted download', async () => {
      const total = async () => {
        const counted = await at.registry.downloads({ ...vpc, name: 'checked' })
        return counted.ok ? counted.value.summary.total : -1
      }
      const before = await total()
      await install(at.listening, { name: 'checked' })
      expect(await total()).toBe(before + 1)
    })
  })

for (const [name, needed, install] of clients)
  describe(...needing(`${name} and a private registry`, ...needed), () => {
    let at: World
    beforeAll(async () => {
      at = await world({
        authenticate: ({ headers }) => (headers.get('authorization') === `Bearer ${token}` ? {} : undefined),
      })
    })
    afterAll(async () => {
      await at.listening.close({ drainMs: 0 })
      await at.registry.close()
    })

    it('installs with a token, which the archive server never sees', async () => {
      at.requests.length = 0
      expect(await install(at.listening, { name: 'vpc', token })).toEqual({ ok: true, label: 'vpc 1.10.0' })
      const seen = at.requests.map(({ path, authorization }) => [path.replace(/^.*\//, ''), authorization])
      const archives = seen.filter(([path]) => path?.endsWith('.tar.gz'))
      expect(seen.slice(0, 2)).toEqual([
        ['versions', `Bearer ${token}`],
        ['download', `Bearer ${token}`],
      ])
      expect(archives.length).toBeGreaterThan(0)
      expect(archives.every(([, authorization]) => authorization === null)).toBe(true)
    })

    it.each([undefined, 'wrong'])('is refused with the token %s', async (wrong) => {
      const installed = await install(at.listening, {
        name: 'vpc',
        ...(wrong === undefined ? {} : { token: wrong }),
      })
      expect(installed.ok).toBe(false)
      if (!installed.ok) expect(installed.output).toMatch(/401/)
    })
  })
