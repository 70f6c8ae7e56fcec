import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folder, killAll, run, type Server, start } from '../server.ts'

/** The commands that manage the users, organizations and tokens of a catalog in production. */

let server: Server
const at: Record<string, string> = {}

beforeAll(async () => {
  const flags = ['--production', '--data', join(folder(), 'data'), '--only=catalog']
  server = await start(...flags, '--catalog-user=boss:a-long-password')
  const { url, tokens } = server.ready.catalog
  Object.assign(at, { CATALOG_ADDR: url, CATALOG_TOKEN: tokens['boss'] })
})
afterAll(() => {
  killAll()
})

const plinth = (line: string, env = {}) => run(['box', ...line.split(' ')], { ...at, ...env })
const whose = async (token: string) =>
  (
    await fetch(`${at['CATALOG_ADDR']}/api/v2/authenticate`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).json()

describe('plinth box', () => {
  it('creates a user with a password from a file, changes it, lists it and deletes it', async () => {
    const file = join(folder(), 'password')
    writeFileSync(file, 'correct horse\n')
    expect(await plinth(`user create alice --password-file ${file} --email alice@example.com`)).toEqual({
      code: 0,
      stdout: 'username       alice\nadministrator  false\n',
      stderr: '',
    })
    const login = await fetch(`${at['CATALOG_ADDR']}/api/v1/authenticate`, {
      method: 'POST',
      body: JSON.stringify({ user: { login: 'alice@example.com', password: 'correct horse' } }),
    })
    expect(login.status).toBe(200)
    expect(await plinth('user update alice --administrator yes --format json')).toMatchObject({ code: 0 })
    const listed = await plinth('user list')
    expect(listed.stdout).toMatch(
      /^Name +E-mail +Administrator +Created\nalice +alice@example.com +yes +\S+\nboss +yes +\S+\n$/,
    )
    expect(JSON.parse((await plinth('user list --format json')).stdout)).toMatchObject({
      users: [{ username: 'alice', administrator: true }, { username: 'boss' }],
    })
    expect((await plinth('user list --format yaml')).stdout).toContain('username: alice')
    expect(await plinth('user delete alice')).toMatchObject({ code: 0, stdout: 'deleted the user alice\n' })
    expect((await plinth('user list')).stdout).not.toContain('alice')
  })

  it('lists every user of many', async () => {
    const { url } = server.ready.catalog
    await Promise.all(
      Array.from({ length: 120 }, (_, number) =>
        fetch(`${url}/api/v2/users`, {
          method: 'POST',
          headers: { authorization: `Bearer ${at['CATALOG_TOKEN']}` },
          body: JSON.stringify({ user: { username: `many-${number}` } }),
        }),
      ),
    )
    expect(
      (await plinth('user list')).stdout.split('\n').filter((line) => line.includes('many-')),
    ).toHaveLength(120)
  })

  it('creates an organization, changes its members and deletes it', async () => {
    await plinth('user create ann')
    await plinth('user create ben')
    expect(await plinth('organization create acme --member ann --member ben')).toMatchObject({ code: 0 })
    expect((await plinth('organization list')).stdout).toMatch(
      /^Name +Members +Created\nacme +ann,ben +\S+\n$/,
    )
    expect(await plinth('organization update acme --member ben')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('["ben"]'),
    })
    expect(await plinth('organization update acme')).toMatchObject({ code: 2 })
    expect(await plinth('organization create team --member nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no user "nobody"'),
    })
    expect(await plinth('organization delete acme')).toMatchObject({ code: 0 })
  })

  it('creates a token that is of use, and revokes it', async () => {
    await plinth('user create ci')
    const token = (await plinth('token create ci --description pipeline --field token')).stdout.trim()
    expect(await whose(token)).toEqual({ user: { username: 'ci' } })
    const list = () => plinth('token list', { CATALOG_TOKEN: token })
    const [, row = ''] = (await list()).stdout.split('\n')
    expect(row).toMatch(/^[0-9a-f]{16} +ci +pipeline +/)
    const [id = ''] = row.split(' ')
    expect(await plinth(`token revoke ${id}`)).toMatchObject({ code: 0, stdout: `revoked the token ${id}\n` })
    expect(await list()).toMatchObject({ code: 1, stderr: expect.stringContaining('(401)') })
  })

  it('says what is wrong', async () => {
    for (const [line, code, said] of [
      ['user create boss', 1, 'Username has already been taken (422)'],
      ['user delete nobody', 1, 'not found'],
      ['user delete boss', 1, 'your own account'],
      ['user update boss', 2, 'say what changes'],
      ['user create x --password-file /dev/null', 1, 'no password on its first line'],
      ['user crate x', 2, 'create'],
      ['token revoke 0123', 1, 'not found'],
    ] as const)
      expect(await plinth(line)).toMatchObject({ code, stderr: expect.stringContaining(said) })
    expect(await plinth('user list', { CATALOG_TOKEN: '' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CATALOG_TOKEN is not set'),
    })
  })
})
