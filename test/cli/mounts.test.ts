import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run, type Server, start } from './server.ts'

let server: Server
const here = folder()
const env: Record<string, string> = {}
const plinth = (...args: readonly string[]) => run(args, env)

beforeAll(async () => {
  server = await start('--only=secrets', '--root-token', 'root')
  Object.assign(env, { SECRETS_ADDR: server.ready.secrets.url, SECRETS_TOKEN: 'root' })
})
afterAll(cleanUp)

describe('the mounts of the secrets service, on the command line', () => {
  it('enables, lists, tunes and disables a secrets engine', async () => {
    const enabled = await plinth('secrets', 'enable', '-path=team', '-version=2', '-description=notes', 'kv')
    expect(enabled).toMatchObject({ code: 0, stdout: 'enabled kv at team/\n' })
    expect((await plinth('secrets', 'list')).stdout).toMatch(
      /^PATH +TYPE +ACCESSOR +DESCRIPTION\n(?:.*\n)*team\/ +kv +kv_\w+ +notes\n/,
    )
    expect((await plinth('secrets', 'tune', '-max-lease-ttl=24h', 'team/')).stdout).toBe('tuned team/\n')
    const listed = JSON.parse((await plinth('secrets', 'list', '-format=json')).stdout)
    expect(listed['team/']).toMatchObject({
      type: 'kv',
      options: { version: '2' },
      config: { max_lease_ttl: 86_400 },
    })
    expect((await plinth('secrets', 'disable', 'team')).stdout).toBe('disabled team/\n')
    expect((await plinth('secrets', 'list')).stdout).not.toContain('team/')
  })

  it('prints a description with line breaks on one line, which looks like no other row', async () => {
    await plinth('secrets', 'enable', '-path=forged', '-description=a\nsys/ kv\tb', 'kv')
    const { stdout } = await plinth('secrets', 'list')
    expect(stdout).toMatch(/^forged\/ +kv +kv_\w+ +a\\nsys\/ kv\\tb$/m)
  })

  it('says which types there are when one is unknown, and changes nothing', async () => {
    const refused = await plinth('secrets', 'enable', 'kw')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('enabling kw at kw/: plugin not found in the catalog: kw')
  })

  it('enables an auth method, and signs in with a password from a file', async () => {
    expect((await plinth('auth', 'enable', '-path=people', 'userpass')).stdout).toBe(
      'enabled userpass at people/\n',
    )
    expect((await plinth('auth', 'list')).stdout).toMatch(/people\/ +userpass/)
    await plinth('write', 'auth/people/users/ada', 'password=hunter2')
    writeFileSync(join(here, 'password.txt'), 'hunter2\n')
    const login = await plinth(
      'login',
      '-method=userpass',
      '-path=people',
      'username=ada',
      `password=@${join(here, 'password.txt')}`,
    )
    expect(login).toMatchObject({ code: 0 })
    expect(login.stdout).toMatch(/^token /)
  })

  it('enables and lists an audit device', async () => {
    expect((await plinth('audit', 'enable', 'file', `file_path=${join(here, 'audit.log')}`)).stdout).toBe(
      'enabled the audit device file/\n',
    )
    expect((await plinth('audit', 'list')).stdout).toMatch(/file\/ +file/)
    expect(JSON.parse((await plinth('audit', 'list', '-format=json')).stdout)).toHaveProperty([
      'file/',
      'options',
      'file_path',
    ])
    expect((await plinth('audit', 'disable', 'file')).stdout).toBe('disabled the audit device file/\n')
  })
})

describe('a command line', () => {
  it('names the shells when completion is asked for without one', async () => {
    const refused = await plinth('completion')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('SHELL is missing; name bash, zsh or fish')
  })
})
