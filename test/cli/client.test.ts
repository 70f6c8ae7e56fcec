import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run, type Server, start } from './server.ts'

let server: Server
beforeAll(async () => {
  const script = join(folder(), 'idp.json')
  const push = { type: 'push', number: 42, polls: 3, result: 'approve' }
  const totp = { type: 'totp', provider: 'GOOGLE', passcode: '314159' }
  const users = {
    ada: { password: 'hunter2', groups: ['dev'], factors: [push] },
    bob: { password: 'plain' },
    eve: { password: 'late', status: 'PASSWORD_EXPIRED' },
    tim: { password: 'time', factors: [totp] },
  }
  writeFileSync(script, JSON.stringify({ users }))
  server = await start('--root-token', 'root', '--idp-script', script)
  await client('write', 'auth/idp/config', 'org_name=acme', 'api_token=t')
  await client('write', 'auth/idp/groups/dev', 'policies=developers')
})
afterAll(cleanUp)

const env = (token = 'root') => ({ SECRETS_ADDR: server.ready.secrets.url, SECRETS_TOKEN: token })
const client = (...args: readonly string[]) => run(args, env())

describe('the command-line client', () => {
  it('writes, reads, lists and deletes', async () => {
    const written = await run(['write', 'secret/data/app', '-'], env(), '{"data":{"user":"ada"}}')
    expect([written.code, written.stdout]).toEqual([0, expect.stringMatching(/^version\s+1$/m)])
    const read = await client('read', '-format=json', 'secret/data/app')
    expect(JSON.parse(read.stdout)).toMatchObject({ data: { data: { user: 'ada' } } })
    expect((await client('list', 'secret/metadata')).stdout).toBe('app\n')
    expect(await client('delete', 'secret/metadata/app')).toMatchObject({
      code: 0,
      stdout: 'deleted secret/metadata/app\n',
    })
    expect(await client('read', 'secret/data/app')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing is there (404)'),
    })
  })

  it('explains a mount and a path', async () => {
    expect((await client('path-help', 'secret/')).stdout).toMatch(/^## DESCRIPTION\n[\s\S]*\n## PATHS\n/)
    expect(await client('path-help', 'secret/data/app')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Matching Route: /data/{path}\n'),
    })
    const json = JSON.parse((await client('path-help', '-format=json', 'sys/seal')).stdout)
    expect(Object.keys(json)).toEqual(['help', 'openapi'])
    expect(await client('path-help', 'sys/nowhere')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('reading the help of sys/nowhere'),
    })
  })

  it('does not ignore a requested version on a mount without versions', async () => {
    await client('write', 'sys/mounts/flat', 'type=kv')
    expect(await client('kv', 'put', 'flat/a', 'a=b', '-cas=0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('flat/a is on a mount without versions, which does not support -cas'),
    })
    expect(await client('kv', 'get', 'flat/a', '-version=1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('which does not support -version'),
    })
    expect(await client('kv', 'list', 'flat')).toMatchObject({ code: 1 })
  })

  it('prints a token that it created, which cannot be read again', async () => {
    const made = await client('write', 'auth/token/create', 'policies=default', 'ttl=1h')
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^token\s+s\.\w{24,}$/m) })
    expect(made.stdout).toMatch(/^token_duration\s+3600s$/m)
  })

  it('keeps secrets by their own path on mounts of either version', async () => {
    await client('write', 'sys/mounts/team/plain', 'type=kv')
    for (const mount of ['secret', 'team/plain']) {
      const secret = `${mount}/own/db`
      expect(await client('kv', 'put', secret, 'user=ada', 'password=x=y')).toMatchObject({ code: 0 })
      expect((await client('kv', 'get', secret)).stdout).toMatch(/^user +ada$/m)
      expect((await client('kv', 'get', secret)).stdout).toMatch(/^password +x=y$/m)
      expect((await client('kv', 'get', '-field=password', secret)).stdout).toBe('x=y\n')
      expect(await client('kv', 'get', secret, '-field=pasword')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`${secret} has no field pasword; it has user, password`),
      })
      expect((await client('kv', 'list', mount)).stdout).toMatch(/^own\/$/m)
      expect(await client('kv', 'list', `${mount}/own`)).toMatchObject({ code: 0, stdout: 'db\n' })
      expect(await client('kv', 'delete', secret)).toMatchObject({ code: 0, stdout: `deleted ${secret}\n` })
      expect(await client('kv', 'get', secret)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          mount === 'team/plain' ? /nothing is there \(404\)/ : /version 1 of \S+ was deleted at 2\S+Z/,
        ),
      })
    }
  })

  it('writes over the given version, and reads an earlier one', async () => {
    await run(['kv', 'put', 'secret/cas', '-'], env(), '{"deep":{"a":[1]}}')
    expect(await client('kv', 'put', '-cas', '0', 'secret/cas', 'a=b')).toMatchObject({ code: 1 })
    expect(await client('kv', 'put', '-cas', '1', 'secret/cas', 'a=b')).toMatchObject({ code: 0 })
    expect((await client('kv', 'get', 'secret/cas')).stdout).toBe('a  b\n')
    expect((await client('kv', 'get', '-version=1', 'secret/cas')).stdout).toBe('deep  {"a":[1]}\n')
    const whole = await client('kv', 'get', '-format=json', 'secret/cas')
    expect(JSON.parse(whole.stdout)).toMatchObject({ data: { metadata: { version: 2 } } })
  })

  it('shows what comes without an envelope, too', async () => {
    expect((await client('read', 'sys/seal-status')).stdout).toMatch(/^sealed +false$/m)
  })

  it('puts the pairs of a read into its query', async () => {
    for (const user of ['ada', 'bob'])
      await run(['write', 'secret/data/old', '-'], env(), JSON.stringify({ data: { user } }))
    expect((await client('read', 'secret/data/old', 'version=1')).stdout).toContain('ada')
    expect((await client('read', 'secret/data/old')).stdout).toContain('bob')
  })

  it('says what is missing from the path of a versioned secret', async () => {
    await run(['write', 'secret/data/app', '-'], env(), '{"data":{}}')
    expect(await client('read', 'secret/app')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"data/" is missing after "secret/"'),
    })
  })

  it('sends the request header, so that a listener may require it', async () => {
    const config = join(folder(), 'strict.hcl')
    writeFileSync(
      config,
      'listener "tcp" {\n  purpose = "secrets"\n  tls_disable = true\n  require_request_header = true\n}\n',
    )
    const strict = await start('--root-token', 'root', '--config', config)
    const there = { SECRETS_ADDR: strict.ready.secrets.url, SECRETS_TOKEN: 'root' }
    expect((await run(['write', 'secret/data/x', '-'], there, '{"data":{}}')).code).toBe(0)
    await strict.stop()
  })

  it.each([
    [['read'], 'usage: plinth read PATH'],
    [['list', 'secret', 'after=x'], 'usage: plinth list PATH'],
    [['write', 'secret/data/x', '-', 'a=b'], 'not both'],
    [['read', '-format=xml', 'x'], '--format takes table, json or yaml, not "xml"'],
    [['read', '-colour=red', 'x'], 'there is no flag --colour. See plinth read --help.'],
    [['kv', 'fly', 'secret/x'], 'there is no command "kv fly"'],
    [['kv', 'put', 'secret/x'], 'usage: plinth kv'],
    [['kv', 'get', 'secret/x', 'a=b'], 'usage: plinth kv'],
    [['kv', 'put', 'secret/x', 'a=b', '-cas=new'], '-cas takes the number of a version, not "new"'],
    [['read', 'x', '-format'], '--format needs a value: --format FORMAT'],
    [['read', '--format', 'xml', 'x'], '--format takes table, json or yaml, not "xml"'],
    [['read', '-address=nowhere', 'x'], '"nowhere" is not a valid URL'],
    [['login', '-method=idp'], 'username is missing: plinth login username=NAME'],
    [['login', 'username=ada', 'pin=1'], 'unknown login parameter "pin"'],
  ])('%j: says what would be right', async (args, text) => {
    expect(await client(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(text) })
  })

  it('says where no mount is', async () => {
    expect(await client('kv', 'get', 'nowhere/x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no mount for nowhere/x'),
    })
  })

  it('reports a server that does not answer', async () => {
    const result = await run(['read', '-address=http://127.0.0.1:1', 'x'])
    expect([result.code, result.stderr]).toEqual([
      1,
      expect.stringContaining('cannot reach http://127.0.0.1:1'),
    ])
  })

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['a token that no header takes', ['read', 'x'], { SECRETS_TOKEN: 's.hunter2\nmore' }],
    ['an address with a password', ['read', 'x'], { SECRETS_ADDR: 'http://ada:hunter2@127.0.0.1:1' }],
  ])('refuses %s, and never repeats it', async (_, args, more) => {
    const result = await run(args, { ...env(), ...more })
    expect([result.code, result.stderr]).toEqual([2, expect.not.stringContaining('hunter2')])
  })

  it('takes a token with a line break at its end, as files have it', async () => {
    expect(await run(['list', 'secret/metadata'], env('root\n'))).toMatchObject({ code: 0 })
  })

  it('refuses a path with steps up, which would mean another one', async () => {
    const result = await client('delete', 'secret/metadata/x/../kept')
    expect([result.code, result.stderr]).toEqual([
      2,
      expect.stringContaining('the path secret/metadata/x/../kept contains . or .. as a segment'),
    ])
  })

  it('reports an invalid URL', async () => {
    const result = await run(['read', '-address=http://[::', 'x'])
    expect([result.code, result.stderr]).toEqual([
      2,
      expect.stringContaining('"http://[::" is not a valid URL'),
    ])
  })

  it('never repeats what it could not read from standard input', async () => {
    const result = await run(['write', 'secret/data/x', '-'], env(), '{"password": hunter2')
    expect([result.code, result.stderr]).toEqual([1, expect.not.stringContaining('hunter2')])
  })
})

describe('plinth login -method=idp', () => {
  it('gives a token that works, with the default policy', async () => {
    const login = await run(['login', '-method=idp', '-token-only', 'username=bob'], env(''), 'plain\n')
    expect([login.code, login.stdout]).toEqual([0, expect.stringMatching(/^s\.[A-Za-z0-9]{24,}\n$/)])
    const own = await run(['read', '-format=json', 'auth/token/lookup-self'], env(login.stdout.trim()))
    expect(JSON.parse(own.stdout)).toMatchObject({ data: { display_name: 'idp-bob', policies: ['default'] } })
  })

  it('shows the number to press while it waits, and adds the policies of the groups', async () => {
    const login = await run(['login', '-method=idp', 'username=ada', 'password=hunter2'], env(''))
    expect(login).toMatchObject({ code: 0, stderr: expect.stringContaining('press 42') })
    expect(login.stdout).toMatch(/^token_policies\s+\["default","developers"\]$/m)
  })

  it('takes a passcode, and is refused without one', async () => {
    expect(
      (await run(['login', '-token-only', 'username=tim', 'password=time', 'totp=314159'], env(''))).code,
    ).toBe(0)
    const without = await run(['login', 'username=tim', 'password=time'], env(''))
    expect(without).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("'totp' passcode parameter is required"),
    })
  })

  it.each([
    ['a wrong password', ['username=bob', 'password=guess']],
    ['an unknown user', ['username=unknown', 'password=guess']],
    ['an expired password', ['username=eve', 'password=late']],
    ['a wrong passcode', ['username=tim', 'password=time', 'totp=000000']],
  ])('refuses %s with 400 and no token', async (_what, args) => {
    const login = await run(['login', ...args], env(''))
    expect([login.code, login.stdout]).toEqual([1, ''])
    expect(login.stderr).toContain('(400)')
  })

  it('names what is wrong with a script', async () => {
    const script = join(folder(), 'bad.json')
    writeFileSync(script, '{"users":{"ada":{}}}')
    const result = await run(['serve', '--json', '--idp-script', script])
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('users.ada.password')])
  })
})
