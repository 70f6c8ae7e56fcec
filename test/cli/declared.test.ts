import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { folder, killAll, removeFolders, run, type Server, start } from './server.ts'

afterEach(killAll)
afterAll(removeFolders)

const file = (name: string, text: string): string => {
  const path = join(folder(), name)
  writeFileSync(path, text)
  return path
}
const asker = (url: string | undefined, token: string | null) => async (path: string, body?: object) => {
  const answer = await fetch(`${url}/v1/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Secrets-Token': token ?? '' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}
const ask = ({ ready }: Server) => asker(ready.secrets?.url, ready.secrets?.rootToken ?? null)

const declaration = `
  secrets {
    mount "team" {
      type    = "kv"
      options = { version = "2" }
    }
    auth "userpass" {}
    auth "machines" { type = "approle" }
    policy "reader" {
      text = <<EOT
path "team/data/*" {
  capabilities = ["read"]
}
EOT
    }
    user "ada" {
      password       = "correct horse"
      token_policies = ["reader"]
      token_ttl      = "1h"
    }
    role "ci" {
      mount          = "machines"
      role_id        = "ci-runner"
      bind_secret_id = false
      token_policies = ["reader"]
      token_bound_cidrs = ["127.0.0.0/8", "::1/128"]
    }
    role "short" {
      mount            = "token"
      allowed_policies = ["reader"]
    }
  }`

describe('what a configuration file declares', () => {
  it('exists from the first start, and a login with it works', async () => {
    const server = await start('--only', 'secrets', '--config', file('plinth.hcl', declaration))
    const call = ask(server)
    expect((await call('team/data/app', { data: { a: 1 } })).status).toBe(200)
    const ada = await call('auth/userpass/login/ada', { password: 'correct horse' })
    expect(ada.body.auth).toMatchObject({ policies: ['default', 'reader'], lease_duration: 3600 })
    const machine = await call('auth/machines/login', { role_id: 'ci-runner' })
    const as = asker(server.ready.secrets?.url, machine.body.auth.client_token)
    expect((await as('team/data/app')).status).toBe(200)
    expect((await as('team/metadata/app')).status).toBe(403)
    expect((await call('auth/token/roles/short')).body.data).toMatchObject({ allowed_policies: ['reader'] })
    const accessors = (await call('auth/token/accessors?list=true')).body.data.keys
    expect(accessors).toHaveLength(3)
  })

  it('stays unchanged at later starts, and is created again if it is missing', async () => {
    const config = file('plinth.hcl', declaration)
    const args = ['--only', 'secrets', '--config', config, '--data', join(folder(), 'data')]
    const first = await start(...args)
    const call = ask(first)
    await call('auth/userpass/users/ada/password', { password: 'changed' })
    await call('sys/policies/acl/reader', { policy: 'path "team/*" { capabilities = ["list"] }' })
    const { url, rootToken } = first.ready.secrets ?? {}
    await fetch(`${url}/v1/auth/machines/role/ci`, {
      method: 'DELETE',
      headers: { 'X-Secrets-Token': rootToken ?? '' },
    })
    expect(await first.stop()).toBe(0)
    const second = await start(...args)
    const again = ask(second)
    expect((await again('auth/userpass/login/ada', { password: 'changed' })).status).toBe(200)
    expect((await again('sys/policies/acl/reader')).body.data.policy).toContain('list')
    expect((await again('auth/machines/login', { role_id: 'ci-runner' })).status).toBe(200)
    expect(await second.stop()).toBe(0)
  })

  it('waits until a service that starts sealed is unsealed', async () => {
    const server = await start('--only', 'secrets', '--sealed', '--config', file('plinth.hcl', declaration))
    const call = asker(server.ready.secrets?.url, null)
    const { body } = await call('sys/init', { secret_shares: 1, secret_threshold: 1 })
    expect((await call('auth/userpass/login/ada', { password: 'correct horse' })).status).toBe(503)
    await call('sys/unseal', { key: body.keys[0] })
    await expect
      .poll(async () => (await call('auth/userpass/login/ada', { password: 'correct horse' })).status, {
        timeout: 60_000,
      })
      .toBe(200)
  })

  it('may be the policies and passwords of other files', async () => {
    const policy = file('own.hcl', '# line 1\npath "secret/*" { capabilities = ["read"] }\n')
    const password = file('password', 'correct horse\n')
    const config = file(
      'plinth.json',
      JSON.stringify({
        secrets: {
          auth: { userpass: {} },
          policy: { own: { file: policy }, default: { text: 'path "sys/x" { capabilities = ["read"] }' } },
          user: { ada: { password_file: password } },
        },
      }),
    )
    const call = ask(await start('--only', 'secrets', '--config', config))
    expect((await call('sys/policies/acl/own')).body.data.policy).toBe(readFileSync(policy, 'utf8'))
    expect((await call('sys/policies/acl/default')).body.data.policy).toContain('sys/x')
    expect((await call('auth/userpass/login/ada', { password: 'correct horse' })).status).toBe(200)
  })

  it.each([
    [
      'a misspelt setting',
      'secrets {\n  auth "userpass" {}\n  user "ada" { polices = ["a"] }\n}',
      'secrets.user.ada.polices: there is no such setting; did you mean policies?',
    ],
    ['a misspelt block', 'secrets {\n  users "ada" {}\n}', 'line 2: secrets.users: there is no such setting'],
    [
      'a policy that cannot be read',
      'secrets {\n  policy "a" { text = "path {" }\n}',
      'secrets.policy.a: failed to parse policy',
    ],
    [
      'a policy without a text',
      'secrets {\n  policy "a" {}\n}',
      'line 2: secrets.policy.a: expected text or file',
    ],
    [
      'a user of no method',
      'secrets {\n  user "ada" { password = "p" }\n}',
      'secrets.user.ada: no handler for route',
    ],
    [
      'a mount where another one is',
      'secrets {\n  mount "secret" { type = "transit" }\n}',
      'secrets.mount.secret: secret/ is of type kv already',
    ],
    [
      'a setting of a mount in the wrong place',
      'secrets {\n  mount "a" {\n    type = "kv"\n    max_lease_ttl = "1h"\n  }\n}',
      'secrets.mount.a.max_lease_ttl: there is no such setting',
    ],
  ])('is refused with its name for %s', async (_what, text, message) => {
    const result = await run([
      'serve',
      '--json',
      '--only',
      'secrets',
      '--secrets-port=0',
      '--config',
      file('c.hcl', text),
    ])
    expect([result.code, result.stdout]).toEqual([1, ''])
    expect(result.stderr).toContain(message)
  })
})

describe('a load file', () => {
  it('has mounts, auth methods, users and roles as well', async () => {
    const records = {
      secrets: {
        mounts: { team: { type: 'kv', options: { version: '2' } } },
        auth: { userpass: {}, approle: {} },
        policies: { reader: 'path "team/data/*" { capabilities = ["read"] }' },
        users: { ada: { password: 'correct horse', token_policies: ['reader'] } },
        roles: { ci: { role_id: 'ci-runner' } },
        kv: { 'team/app': { a: 1 } },
      },
    }
    const server = await start('--only', 'secrets', '--load', file('load.json', JSON.stringify(records)))
    const call = ask(server)
    const ada = await call('auth/userpass/login/ada', { password: 'correct horse' })
    const as = asker(server.ready.secrets?.url, ada.body.auth.client_token)
    expect((await as('team/data/app')).body.data.data).toEqual({ a: 1 })
    expect((await call('auth/approle/role/ci/role-id')).body.data).toEqual({ role_id: 'ci-runner' })
  })

  it('is refused by the name of its record', async () => {
    const records = { secrets: { auth: { userpass: {} }, users: { ada: { pasword: 'p' } } } }
    const path = file('load.json', JSON.stringify(records))
    const result = await run(['serve', '--json', '--only', 'secrets', '--secrets-port=0', '--load', path])
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'secrets.users.ada.pasword: there is no such setting; did you mean password?',
      ),
    })
  })
})
