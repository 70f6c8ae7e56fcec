import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { folder, killAll, removeFolders, run, type Server, start } from './server.ts'

afterEach(killAll)
afterAll(removeFolders)

const configured = (text: (folder: string) => string) => {
  const at = folder()
  const config = join(at, 'plinth.hcl')
  writeFileSync(config, text(at))
  return { at, config }
}
const ask = (server: Server, path: string, init: RequestInit = {}) =>
  fetch(`${server.ready.secrets?.url}/v1/${path}`, {
    ...init,
    headers: { 'X-Secrets-Token': server.ready.secrets?.rootToken ?? '' },
  })
const entriesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('audit in a configuration file', () => {
  it('writes a file for each block, listed under its label', async () => {
    const { at, config } = configured(
      (at) => `
        audit "file" { path = "${at}/one.log" }
        audit "file" "quiet" {
          path                 = "${at}/two.log"
          elide_list_responses = true
          hmac_accessor        = "false"
        }`,
    )
    const server = await start('--only', 'secrets', '--config', config)
    const write = { method: 'POST', body: JSON.stringify({ data: { password: 'hunter2' } }) }
    expect((await ask(server, 'secret/data/app', write)).status).toBe(200)
    await ask(server, 'secret/metadata/?list=true')
    const listed = (await (await ask(server, 'sys/audit')).json()) as { data: object }
    expect(Object.keys(listed.data)).toEqual(['file/', 'quiet/'])
    const [one, two] = [entriesOf(join(at, 'one.log')), entriesOf(join(at, 'two.log'))]
    expect([one.length, two.length]).toEqual([6, 6])
    expect([one[3].response.data.keys, two[3].response.data.keys]).toEqual([
      [expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/)],
      1,
    ])
    expect(one[0].request.remote_address).toMatch(/127\.0\.0\.1/)
    expect(JSON.stringify([one, two])).not.toMatch('hunter2')
    expect(await server.stop()).toBe(0)
  })

  it('reopens its file at SIGHUP, after the old one was moved away', async () => {
    const { at, config } = configured((at) => `audit "file" { path = "${at}/audit.log" }`)
    const server = await start('--only', 'secrets', '--config', config)
    const log = join(at, 'audit.log')
    await ask(server, 'secret/config')
    renameSync(log, `${log}.1`)
    server.child.kill('SIGHUP')
    await expect.poll(() => server.output().stderr).toContain(`reopened ${log}`)
    await ask(server, 'secret/config')
    expect([entriesOf(`${log}.1`).length, entriesOf(log).length]).toEqual([2, 2])
    expect(await server.stop()).toBe(0)
  })

  it('answers 500 and changes nothing while the disk is full', async () => {
    const { config } = configured(() => 'audit "file" { path = "/dev/full" }')
    const server = await start('--only', 'secrets', '--config', config)
    const write = { method: 'POST', body: '{"data":{}}' }
    expect((await ask(server, 'secret/data/app', write)).status).toBe(500)
    expect(await server.stop()).toBe(0)
    await expect
      .poll(() => server.output().stderr)
      .toContain('secrets: the audit device file/ could not be written: ENOSPC: no space left on device')
    // One line, without a stack.
    expect(server.output().stderr.match(/could not be written/g)).toHaveLength(1)
    expect(server.output().stderr).not.toContain('    at ')
  })

  it('sends lines to a socket, and connects again when the collector is back', async () => {
    const received: string[] = []
    const collect = async (port: number) => {
      const collector = createServer((connection) => {
        connection.setEncoding('utf8').on('data', (text) => received.push(String(text)))
      }).listen(port, '127.0.0.1')
      await once(collector, 'listening')
      return collector
    }
    const collector = await collect(0)
    const { port } = collector.address() as AddressInfo
    const connection = once(collector, 'connection') as Promise<[Socket]>
    const { config } = configured(() => `audit "socket" { address = "127.0.0.1:${port}" }`)
    const server = await start('--only', 'secrets', '--config', config)
    expect((await ask(server, 'secret/config')).status).toBe(200)
    await expect.poll(() => received.join('').split('\n').length).toBe(3)
    collector.close()
    ;(await connection)[0].destroy()
    await expect.poll(async () => (await ask(server, 'secret/config')).status).toBe(500)
    const again = await collect(port)
    expect((await ask(server, 'secret/config')).status).toBe(200)
    again.close()
    expect(await server.stop()).toBe(0)
  })

  it('enables a file over HTTP, which is there again after a restart, and follows SIGHUP', async () => {
    const at = folder()
    const log = join(at, 'audit.log')
    const flags = ['--only', 'secrets', '--data', join(at, 'data')]
    const server = await start(...flags)
    const device = JSON.stringify({ type: 'file', options: { file_path: log } })
    expect((await ask(server, 'sys/audit/main', { method: 'PUT', body: device })).status).toBe(204)
    await ask(server, 'secret/config')
    renameSync(log, `${log}.1`)
    server.child.kill('SIGHUP')
    await expect.poll(() => server.output().stderr).toContain(`reopened ${log}`)
    await ask(server, 'secret/config')
    await server.stop()
    const again = await start(...flags)
    await ask(again, 'secret/config')
    await again.stop()
    expect([entriesOf(`${log}.1`).length, entriesOf(log).length]).toEqual([2, 4])
  })

  it.each([
    [
      'a directory',
      (at: string) => `audit "file" { path = "${at}" }`,
      /audit "file\/": cannot open .*EISDIR/,
    ],
    ['no path', () => 'audit "file" {}', /line 1: audit\.path/],
    ['a misspelt setting', () => 'audit "file" {\n path = "x"\n hmac = true\n}', /line 3: audit\.hmac/],
    ['another type', () => 'audit "syslog" "x" { path = "y" }', /"syslog" is not a type of audit device/],
    ['a socket without an address', () => 'audit "socket" {}', /line 1: audit: address is required/],
    ['a collector that is away', () => 'audit "socket" { address = "127.0.0.1:1" }', /ECONNREFUSED/],
  ])('ends the start with %s', async (_, text, message) => {
    const { config } = configured(text)
    const result = await run(['serve', '--json', '--only', 'secrets', '--config', config])
    expect([result.code, result.stderr]).toEqual([1, expect.stringMatching(message)])
  })
})

describe('plinth login with the other methods', () => {
  it('gives a token for a user name and a password, and for a role ID and a secret ID', async () => {
    const server = await start('--only', 'secrets')
    const root = {
      SECRETS_ADDR: server.ready.secrets?.url ?? '',
      SECRETS_TOKEN: server.ready.secrets?.rootToken ?? '',
    }
    const anyone = { ...root, SECRETS_TOKEN: '' }
    for (const [path, ...pairs] of [
      ['sys/auth/userpass', 'type=userpass'],
      ['sys/auth/approle', 'type=approle'],
      ['auth/userpass/users/ada', 'password=hunter2', 'token_policies=dev'],
      ['auth/approle/role/ci', 'role_id=ci-runner', 'token_policies=deploy'],
    ])
      expect(await run(['write', path ?? '', ...pairs], root)).toMatchObject({ code: 0 })
    const user = await run(['login', '-method=userpass', 'username=ada'], anyone, 'hunter2\n')
    expect(user.stdout).toMatch(/^token_policies\s+\["default","dev"\]$/m)
    const wrong = await run(['login', '-method=userpass', 'username=ada', 'password=x'], anyone)
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('invalid username or password') })
    const made = await run(['write', '-format=json', 'auth/approle/role/ci/secret-id', 'num_uses=1'], root)
    const { secret_id } = JSON.parse(made.stdout).data
    const login = ['login', '-method=approle', '-token-only', 'role_id=ci-runner', `secret_id=${secret_id}`]
    expect((await run(login, anyone)).stdout).toMatch(/^s\.\w+\n$/)
    expect(await run(login, anyone)).toMatchObject({ code: 1 })
    expect(await run(['login', '-method=approle'], anyone)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('role_id is missing'),
    })
    expect(await server.stop()).toBe(0)
  })
})

it('warns of a listener of the configuration file that a flag overrides', async () => {
  const { config } = configured(
    () => 'listener "tcp" {\n purpose = "secrets"\n address = "127.0.0.1:18299"\n tls_disable = true\n}',
  )
  const server = await start('--only', 'secrets', '--config', config)
  expect(await server.stop()).toBe(0)
  expect(server.output().stderr).toMatch(
    /warning: --secrets-port 0 overrides the "secrets" listener at 127\.0\.0\.1:18299/,
  )
})
