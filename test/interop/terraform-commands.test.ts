import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, type Server, start } from '../cli/server.ts'
import { needing, terraform } from '../programs.ts'
import { tarGz } from '../registry/archive/archives.ts'

const host = 'modules.example.test'
const token = 'publishing-token'

const root = (value: string) => ({ path: 'main.tf', text: `output "v" {\n  value = "${value}"\n}\n` })

/** The commands of the real client, whose token lies where `terraform login` puts it, against a private registry. */
describe(...needing('terraform and plinth serve --registry-private', terraform), () => {
  let server: Server
  let home: string

  const send = async (method: string, path: string, body: Uint8Array<ArrayBuffer> | string, type: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    return (await fetch(`${server.ready.registry.modulesUrl}${path}`, { method, headers, body })).status
  }
  const publish = async (path: string, ...files: readonly { path: string; text: string }[]) =>
    expect(await send('POST', path, new Uint8Array(tarGz(...files)), 'application/gzip')).toBe(201)

  beforeAll(async () => {
    server = await start('--only', 'registry', '--registry-private', '--registry-token', `ci:${token}:acme`)
    home = folder()
    const services = `services = { "modules.v1" = "${server.ready.registry.modulesUrl}" }`
    writeFileSync(join(home, '.terraformrc'), `host "${host}" { ${services} }\n`)
    mkdirSync(join(home, '.terraform.d'))
    const credentials = JSON.stringify({ credentials: { [host]: { token } } })
    writeFileSync(join(home, '.terraform.d/credentials.tfrc.json'), credentials)
    for (const version of ['1.0.0', '1.1.0', '1.2.0', '2.0.0'])
      await publish(`acme/vpc/aws/${version}`, root(version), {
        path: 'modules/sub/main.tf',
        text: `output "v" {\n  value = "part of ${version}"\n}\n`,
      })
    const call = `module "in" {\n  source  = "${host}/acme/vpc/aws"\n  version = "~> 1.0"\n}\n`
    await publish('acme/outer/aws/1.0.0', {
      path: 'main.tf',
      text: `${call}output "v" {\n  value = "around \${module.in.v}"\n}\n`,
    })
  })
  afterAll(cleanUp)

  /** A configuration that calls a module, perhaps with other files beside it. */
  const calling = (address: string, version = '', more: Readonly<Record<string, string>> = {}) => {
    const place = mkdtempSync(join(home, 'run-'))
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(place, path)), { recursive: true })
      writeFileSync(join(place, path), text)
    }
    const use = (constraint: string) => {
      const wanted = constraint && `  version = "${constraint}"\n`
      const call = `module "m" {\n  source = "${host}/${address}"\n${wanted}}\n`
      write('main.tf', `${call}output "v" {\n  value = module.m.v\n}\n`)
    }
    use(version)
    for (const [path, text] of Object.entries(more)) write(path, text)
    const run = (...args: readonly string[]) =>
      promisify(execFile)('terraform', [...args, '-no-color'], {
        cwd: place,
        env: { PATH: process.env['PATH'], HOME: home, CHECKPOINT_DISABLE: '1' },
      }).then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }) => `refused: ${stdout}${stderr}`.replace(/[\s│]+/g, ' '),
      )
    const installed = () =>
      JSON.parse(readFileSync(join(place, '.terraform/modules/modules.json'), 'utf8')).Modules.flatMap(
        ({ Version }: { readonly Version?: string }) => Version ?? [],
      )
    return { run, use, installed }
  }
  const initialized = expect.stringContaining('successfully initialized')

  it('applies a module and names it among those of the configuration', async () => {
    const { run } = calling('acme/vpc/aws', '~> 1.0, < 1.2')
    expect(await run('init')).toEqual(initialized)
    expect(await run('apply', '-auto-approve')).toContain('v = "1.1.0"')
    expect(await run('modules', '-json')).toContain(`${host}/acme/vpc/aws`)
  })

  it('keeps what is installed until it is asked to upgrade', async () => {
    const { run, use, installed } = calling('acme/vpc/aws', '1.1.0')
    await run('init')
    use('~> 1.0')
    expect([await run('init'), installed()]).toEqual([initialized, ['1.1.0']])
    expect([await run('init', '-upgrade'), installed()]).toEqual([initialized, ['1.2.0']])
    use('1.0.0')
    expect([await run('get', '-update'), installed()]).toEqual([expect.stringContaining('1.0.0'), ['1.0.0']])
  })

  it('installs a module that calls another', async () => {
    const outer = calling('acme/outer/aws')
    expect([await outer.run('init'), outer.installed()]).toEqual([initialized, ['1.0.0', '1.2.0']])
    expect(await outer.run('apply', '-auto-approve')).toContain('v = "around 1.2.0"')
  })

  it('installs a part of a module, and none that is not there', async () => {
    const part = calling('acme/vpc/aws//modules/sub', '1.0.0')
    await part.run('init')
    expect(await part.run('apply', '-auto-approve')).toContain('v = "part of 1.0.0"')
    expect(await calling('acme/vpc/aws//modules/none', '1.0.0').run('init')).toContain('refused')
  })

  it('installs one version for all calls of a module, by its name in capitals too', async () => {
    const call = `module "second" {\n  source  = "${host}/ACME/vpc/aws"\n  version = "1.0.0"\n}\n`
    const { run, installed } = calling('acme/vpc/aws', '1.0.0', { 'second.tf': call })
    expect([await run('init'), installed()]).toEqual([initialized, ['1.0.0', '1.0.0']])
  })

  it('tests a module, and starts a configuration from one', async () => {
    const check = 'assert {\n    condition = output.v == "1.2.0"\n    error_message = "another version"\n  }'
    const { run } = calling('acme/vpc/aws', '1.2.0', {
      'tests/v.tftest.hcl': `run "one" {\n  command = plan\n  ${check}\n}\n`,
    })
    await run('init')
    expect(await run('test')).toContain('1 passed')
    const copy = join(home, 'copy')
    mkdirSync(copy)
    expect(await run(`-chdir=${copy}`, 'init', `-from-module=${host}/acme/vpc/aws`)).not.toContain('refused')
    expect(readFileSync(join(copy, 'main.tf'), 'utf8')).toContain('"2.0.0"')
  })

  it('installs a deprecated version by its number', async () => {
    const mark = JSON.stringify({ reason: 'use 2.0' })
    expect(await send('PUT', 'acme/vpc/aws/1.0.0/deprecation', mark, 'application/json')).toBe(204)
    const { run, installed } = calling('acme/vpc/aws', '1.0.0')
    expect([await run('init'), installed()]).toEqual([initialized, ['1.0.0']])
  })

  it('is refused without its token', async () => {
    writeFileSync(join(home, '.terraform.d/credentials.tfrc.json'), '{}')
    expect(await calling('acme/vpc/aws').run('init')).toMatch(/refused: .*401/)
  })
})
