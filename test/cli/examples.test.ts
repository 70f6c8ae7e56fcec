import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AnyCommand, type Example, type Group, isGroup } from '../../src/cli/command/declaration.ts'
import { plinth as commands } from '../../src/cli/commands/index.ts'
import { curl, needing } from '../programs.ts'
import { anyPort, cleanUp, folder, plinth, type Server, start } from './server.ts'

/** Every example of every help text runs as it stands, in the order of the commands. */

interface Named extends Example {
  readonly name: string
}

const examplesOf = (node: AnyCommand | Group, name: string): readonly Named[] =>
  isGroup(node)
    ? Object.entries(node.commands).flatMap(([inner, each]) => examplesOf(each, `${name} ${inner}`))
    : node.examples.map((example) => ({ ...example, name }))

const examples = examplesOf(commands, 'plinth')
/** Those that go on until they are stopped. */
const endless = ['plinth serve', 'plinth runner']
const servers = examples.filter(({ name }) => name === 'plinth serve')
const runners = examples.filter(({ name }) => name === 'plinth runner')
/** Those that need a person, an answer of a server, or another server's boxes; tests of their own run these commands. */
const needsOthers = /-method=|vagrantcloud\.com/
const others = examples.filter(({ name, run }) => !endless.includes(name) && !needsOthers.test(run))

const here = folder()
let server: Server
let sealed: Server
let guarded: Server
const env: Record<string, string> = {}

beforeAll(async () => {
  const program = join(here, 'plinth')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${process.env['PLINTH_CLI']}" "$@"\n`)
  chmodSync(program, 0o755)
  const job = { ID: 'fresh', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server', Driver: 'docker' }] }] }
  const files = {
    'jobs.json': '[{"Status":"running","Type":"batch"},{"Status":"dead","Type":"batch"}]',
    'log.jsonl': `{"at":"${new Date().toISOString()}","status":503}\n{"at":"2001-01-01T00:00:00Z","message":"up"}\n`,
    'records.json': '{"scheduler":{"pools":[{"Name":"gpu"}]}}',
    'cert.pem': '-----BEGIN CERTIFICATE-----\n',
    'readers.hcl': 'path "secret/*" {\n  capabilities = ["read"]\n}\n',
    'main.tf': 'variable "cidr" {}\n',
    'base.box': 'an image',
    'web.json': JSON.stringify({ Job: job }),
    'idp.json': '{"users":{"ada":{"password":"hunter2"}}}',
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(here, name), content)
  server = await start('--demo', '--root-token', 'root', '--idp-script', join(here, 'idp.json'))
  sealed = await start('--sealed', '--only=secrets')
  guarded = await start('--acl', '--only=scheduler')
  const unclaimed = await start('--production', '--only=scheduler', '--behind-proxy', '--data', folder())
  const { secrets, scheduler, catalog, registry } = server.ready
  const first = async (list: string) => {
    const [one] = (await (await fetch(`${scheduler.url}/v1/${list}`)).json()) as { readonly ID: string }[]
    return one?.ID ?? ''
  }
  Object.assign(env, process.env, {
    PATH: `${here}:${process.env['PATH']}`,
    SECRETS_ADDR: secrets.url,
    SECRETS_TOKEN: 'root',
    SCHEDULER_ADDR: scheduler.url,
    CATALOG_ADDR: catalog.url,
    CATALOG_TOKEN: catalog.tokens['admin'],
    REGISTRY_ADDR: registry.url,
    REGISTRY_TOKEN: registry.token ?? '',
    SEALED: sealed.ready.secrets.url,
    NEW: unclaimed.ready.scheduler.url,
    NODE: await first('nodes'),
    DEPLOYMENT: await first('deployments'),
    ALLOC: await first('allocations'),
  })
  for (const line of [
    'mkdir -p modules/vpc && cp main.tf modules/vpc && cd modules && git init -q . && git add . && git -c user.name=t -c user.email=t@t.test commit -qm vpc && git tag vpc/v1.0.0',
    'plinth module publish . acme/vpc/aws 1.2.0',
    'plinth write auth/idp/config org_name=acme api_token=t',
    ...['app', 'old', 'app', 'old'].map((name) => `plinth kv put secret/${name} user=ada password=hunter2`),
  ])
    expect(await bash(line)).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/^plinth: /m) })
  const policy = `echo 'namespace "default" { policy = "write" }' | plinth acl policy apply deploy -`
  expect(await bash(policy, withAccess())).toMatchObject({ code: 0, stderr: '' })
})
afterAll(cleanUp)

/** The scheduler with access control, for the commands about it. */
const withAccess = (): Readonly<Record<string, string>> => ({
  SCHEDULER_ADDR: guarded.ready.scheduler.url,
  SCHEDULER_TOKEN: guarded.ready.scheduler.managementToken ?? '',
})

async function bash(line: string, more: Readonly<Record<string, string>> = {}) {
  const child = spawn('bash', ['-c', `set -o pipefail\n${line}`], { cwd: here, env: { ...env, ...more } })
  child.stdin.end()
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}

describe('the examples of the help texts', () => {
  it.each(servers)('$run', async ({ run: line }) => {
    const args = line.split(' ').slice(1)
    const inFolder = args.map((word) => (/^\.\/|\.json$/.test(word) ? join(here, word) : word))
    const { child, output, exited } = plinth([...inFolder, ...anyPort])
    await Promise.race([expect.poll(() => output().stdout).not.toBe(''), exited])
    child.kill('SIGTERM')
    expect([await exited, output().stderr.replace(/^\S+: \d+%\n/gm, '')]).toEqual([0, ''])
  })

  it.each(runners)('$run', async ({ run: line }) => {
    const given = line.replaceAll('http://127.0.0.1:4646', server.ready.scheduler.url).split(' ').slice(1)
    const { child, output, exited } = plinth(
      given.map((word) => (word.startsWith('./') ? join(here, word) : word)),
      { SCHEDULER_ADDR: server.ready.scheduler.url },
    )
    await Promise.race([expect.poll(() => output().stdout + output().stderr).not.toBe(''), exited])
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it.each(others)(...needing('$run', curl), async ({ name, run: line, exits = 0 }) => {
    const done = await bash(
      line.replaceAll('http://127.0.0.1:4646', server.ready.scheduler.url),
      name.startsWith('plinth acl') ? withAccess() : {},
    )
    expect(done).toMatchObject({
      code: exits,
      stderr: exits === 0 ? expect.not.stringMatching(/^plinth: /m) : expect.anything(),
    })
  })

  it('are there for every command', () => {
    expect(new Set(examples.map(({ name }) => name)).size).toBeGreaterThan(30)
  })
})
